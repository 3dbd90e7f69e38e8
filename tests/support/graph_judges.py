"""What `memory_entity` and `memory_relations` must answer: everything about a name that may ground (W11)."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recordance.domain.capsule import LabelField
from recordance.domain.instant import format_instant
from recordance.domain.relation import Relation
from support.dialect_oracle import Arguments, Reading, no_telemetry
from support.recall_judges import differing
from support.row_oracle import capsule_row

Answer = Mapping[str, Any]
Row = dict[str, Any]
FEW, MANY, COMPANIONS = 20, 50, 20
"""How many rows each list of either view has where the caller does not say, and how many companions are shown."""


def entity(reading: Reading, arguments: Arguments, answer: Answer) -> Iterator[str]:
    """Judge `memory_entity`, whole but for its sentence."""
    graph = _GraphOracle(reading, arguments["name"].casefold(), arguments)
    limit = arguments.get("limit", FEW)
    wanted = {
        "capsules": [capsule_row(reading, number, "full") for number in graph.bearers[:limit]],
        "total": len(graph.bearers),
        "co_occurring": graph.companions(),
        **graph.relations(limit),
    }
    yield from _judged(answer, {"entity": arguments["name"], **wanted}, len(graph.bearers))


def relations(reading: Reading, arguments: Arguments, answer: Answer) -> Iterator[str]:
    """Judge `memory_relations`, whole but for its sentence."""
    graph = _GraphOracle(reading, arguments["entity"].casefold(), arguments)
    wanted = {"entity": arguments["entity"], **graph.relations(arguments.get("limit", MANY))}
    yield from _judged(answer, wanted, len(graph.bearers))


def _judged(answer: Answer, wanted: Row, bearers: int) -> Iterator[str]:
    found = bearers + wanted["relation_count"] + wanted["capsule_relation_count"]
    empty = not any(wanted.get(name) for name in ("capsules", "relations", "capsule_relations"))
    whole = {"framing": "DATA", "searched": [{"destination": "main", "found": found}], **wanted}
    yield from differing({name: value for name, value in answer.items() if name != "reason"}, whole)
    if ("reason" in answer) is not empty:
        yield "a reason is given where something is shown, or none where nothing is"


@dataclass(frozen=True)
class _GraphOracle:
    """Everything about one entity, case-folded, in one reading of a store."""

    reading: Reading
    name: str
    arguments: Arguments

    @property
    def live(self) -> list[int]:
        """What may ground at all."""
        return self.reading.active(self.reading.inside(no_telemetry))

    @property
    def bearers(self) -> list[int]:
        """What bears the entity, as it is browsed."""
        return sorted((each for each in self.live if self.name in self.reading.entities(each)), key=self.reading.browsed)

    def companions(self) -> list[Row]:
        """Return the entities beside, the most frequent first, each as it is spelt most often, of equals the last."""
        spellings = Counter[str]()
        for number in self.bearers:
            spellings.update({each.casefold(): each for each in self.reading.world.texts[number].entities}.values())
        others = sorted({each.casefold() for each in spellings} - {self.name})
        counts = {other: sum(count for each, count in spellings.items() if each.casefold() == other) for other in others}
        order = sorted(others, key=lambda other: (-counts[other], other))[:COMPANIONS]
        best = {other: max((count, each) for each, count in spellings.items() if each.casefold() == other)[1] for other in order}
        return [{"entity": best[other], "capsules": counts[other]} for other in order]

    def relations(self, limit: int) -> Row:
        """Return both lists of relations, the newest first, with how many there are of each."""
        stated, between = self._statements(), self._between()
        return {
            "relations": stated[:limit],
            "relation_count": len(stated),
            "capsule_relations": between[:limit],
            "capsule_relation_count": len(between),
        }

    def _asked(self, relation: str, source: Sequence[str], target: Sequence[str]) -> bool:
        way = self.arguments.get("direction", "both")
        stands = (way != "to" and self.name in source) or (way != "from" and self.name in target)
        return stands and self.arguments.get("relation_type", relation).casefold() == relation.casefold()

    def _statements(self) -> list[Row]:
        capsules, rows = self.reading.world.capsules, []
        for number in sorted(self.live, key=lambda each: (-capsules[each].captured_at, -each)):
            capsule, text = self.reading.of(number)
            said = {name: json.loads(value) for name, value in text.metadata}
            source, relation, target = (said.get(name) for name in ("from", "type", "to"))
            if capsule.labels.get(LabelField.KIND) != "relation" or not all(
                isinstance(each, str) for each in (source, relation, target)
            ):
                continue
            if self._asked(relation, [source.casefold()], [target.casefold()]):
                row = {"from": source, "relation": relation, "to": target, "id": f"cap-{number}", "title": text.headline}
                when = {"confidence": capsule.confidence, "created_at": format_instant(capsule.captured_at)}
                rows.append({**row, **when, **({"instruction_taint": True} if capsule.taint else {})})
        return rows

    def _between(self) -> list[Row]:
        live, bearers = set(self.live), set(self.bearers)
        found = [
            each
            for each in self.reading.world.relations
            if {each.source, each.target} <= live
            and {each.source, each.target} & bearers
            and self._asked(each.kind, self.reading.entities(each.source), self.reading.entities(each.target))
        ]
        found.sort(key=lambda each: (-each.at, -each.source, each.target, each.kind))
        return [self._row(each) for each in found]

    def _row(self, each: Relation) -> Row:
        titles = [self.reading.world.texts[end].headline for end in (each.source, each.target)]
        ends = {"from": f"cap-{each.source}", "relation": each.kind.value, "to": f"cap-{each.target}"}
        tainted = any(self.reading.world.capsules[end].taint for end in (each.source, each.target))
        row = {**ends, "from_title": titles[0], "to_title": titles[1]}
        return {**row, **({"instruction_taint": True} if tainted else {})}
