"""What the entity view and the relations view answer: capsules, statements of relation, relations between capsules (W11)."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from recordance.answer.envelope import FRAMING, Shown
from recordance.answer.merging import Failed, Ranking, absences, failed_view, merge_ranked
from recordance.answer.recalled_rows import capsule_row
from recordance.answer.report import present
from recordance.domain.capsule import Capsule, CapsuleText
from recordance.domain.destination import Naming
from recordance.domain.instant import format_instant
from recordance.domain.relation import Relation
from recordance.errors import Json
from recordance.query.fence import entity_key
from recordance.query.memory_recall import Projection
from recordance.ranking.trimming import compact_json

MOST_COMPANIONS = 20
"""How many entities that stand beside the one asked for are shown."""

Known = tuple[Capsule, CapsuleText]
Row = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Statement:
    """What a capsule of kind relation states of two entities, as it spells them."""

    source: str
    relation: str
    target: str
    capsule: Capsule
    text: CapsuleText


@dataclass(frozen=True, slots=True)
class Between:
    """A typed relation of two capsules, of which at least one bears the entity."""

    relation: Relation
    source: Known
    target: Known


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPart:
    """What one destination has of an entity.

    `bearers` are its capsules, the most important first, `total` how many there are; `companions` count the other entities of
    the bearers by spelling; `statements` stand newest first; `unread` says how many
    capsules were too many to be read.
    """

    name: str
    naming: Naming
    bearers: tuple[Known, ...] = ()
    total: int = 0
    companions: Mapping[str, int]
    statements: tuple[Statement, ...] = ()
    between: tuple[Between, ...] = ()
    unread: int = 0


Stated = tuple[GraphPart, Statement]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """What all destinations that were asked have of an entity; `limit` cuts each list."""

    entity: str
    limit: int
    parts: tuple[GraphPart, ...]
    asked: tuple[GraphPart | Failed, ...]
    unasked: tuple[str, ...]
    alone: bool


def entity_report(graph: Graph) -> Row:
    """Return everything that may ground about an entity."""
    capsules, total = _capsules(graph)
    told = _relations(graph)
    empty = not (capsules or told["relations"] or told["capsule_relations"])
    return {
        "framing": FRAMING,
        "entity": graph.entity,
        "capsules": capsules,
        "total": total,
        "co_occurring": _companions(graph.parts),
        **told,
        **present("reason", _nothing(graph, "Nothing that may answer bears") if empty else ""),
        "searched": [_searched(each) for each in graph.asked],
    }


def relations_report(graph: Graph) -> Row:
    """Return what an entity is related to, as statements say it and as relations between its capsules do."""
    told = _relations(graph)
    empty = not (told["relations"] or told["capsule_relations"])
    return {
        "framing": FRAMING,
        "entity": graph.entity,
        **told,
        **present("reason", _nothing(graph, "No relation that was asked for names") if empty else ""),
        "searched": [_searched(each) for each in graph.asked],
    }


# ── capsules ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _capsules(graph: Graph) -> tuple[list[Row], int]:
    total = sum(part.total for part in graph.parts)
    rankings = [Ranking(part.name, part.naming, tuple(_shown(part, each) for each in part.bearers)) for part in graph.parts]
    if graph.alone:
        return [each.envelope for each in rankings[0].shown[: graph.limit]], total
    merged = merge_ranked(rankings)
    return [each.row() for each in merged.results[: graph.limit]], total - merged.joined


def _shown(part: GraphPart, known: Known) -> Shown:
    capsule, text = known
    return Shown(partial(capsule_row, part.naming, capsule, text, Projection.FULL), capsule.number, capsule.content_digest)


def _companions(parts: Sequence[GraphPart]) -> list[Row]:
    """Return the entities beside, each in its most frequent spelling, the most frequent first."""
    spellings = sum((Counter(part.companions) for part in parts), Counter[str]())
    counts: Counter[str] = Counter()
    for spelling, count in spellings.items():
        counts[entity_key(spelling)] += count
    best = {entity_key(each): each for each in sorted(spellings, key=lambda each: (spellings[each], each))}
    order = sorted(counts, key=lambda mark: (-counts[mark], mark))[:MOST_COMPANIONS]
    return [{"entity": best[mark], "capsules": counts[mark]} for mark in order]


# ── relations ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _relations(graph: Graph) -> Row:
    """Return both lists, the newest first, how many there are of each, and how many capsules nobody read."""
    stated = [(part, each) for part in graph.parts for each in part.statements]
    stated.sort(key=lambda each: (-each[1].capsule.captured_at, each[0].name, -each[1].capsule.number))
    between = [(part, each) for part in graph.parts for each in part.between]
    between.sort(key=lambda each: (-each[1].relation.at, each[0].name, -each[1].relation.source, each[1].relation.target))
    unread = sum(part.unread for part in graph.parts)
    said = _joined(stated)
    return {
        "relations": [_statement(graph, *same) for same in said[: graph.limit]],
        "relation_count": len(said),
        "capsule_relations": [_between(graph, part, each) for part, each in between[: graph.limit]],
        "capsule_relation_count": len(between),
        **present("unread", unread),
    }


def _joined(stated: Sequence[Stated]) -> list[list[Stated]]:
    """Return the statements in order, each with those of other destinations that state the same in the same words (D4)."""
    joined: dict[tuple[str, ...], list[list[Stated]]] = {}
    order: list[list[Stated]] = []
    for part, each in stated:
        alike = joined.setdefault((each.capsule.content_digest, each.source, each.relation, each.target), [])
        open_to = (same for same in alike if all(other.name != part.name for other, _ in same))
        if (same := next(open_to, None)) is None:
            alike.append(same := [])
            order.append(same)
        same.append((part, each))
    return order


def _statement(graph: Graph, first: Stated, *equal: Stated) -> Row:
    part, each = first
    return {
        "from": each.source,
        "relation": each.relation,
        "to": each.target,
        "id": part.naming.id(each.capsule.number),
        "title": each.text.headline,
        "confidence": each.capsule.confidence,
        "created_at": format_instant(each.capsule.captured_at),
        **_tainted(each.capsule),
        **_where(graph, part),
        **present("equal", [other.naming.id(same.capsule.number) for other, same in equal]),
    }


def _between(graph: Graph, part: GraphPart, each: Between) -> Row:
    (source, source_text), (target, target_text) = each.source, each.target
    return {
        "from": part.naming.id(source.number),
        "relation": each.relation.kind.value,
        "to": part.naming.id(target.number),
        "from_title": source_text.headline,
        "to_title": target_text.headline,
        **_tainted(source, target),
        **_where(graph, part),
    }


def statement_of(capsule: Capsule, text: CapsuleText) -> Statement | None:
    """Return what a capsule states by its metadata `from`, `type` and `to`, all of them texts; None if it states nothing so."""
    borne = dict(text.metadata)
    said = [_text(borne.get(name)) for name in ("from", "type", "to")]
    source, relation, target = said
    if source is None or relation is None or target is None:
        return None
    return Statement(source, relation, target, capsule, text)


def _text(json_value: str | None) -> str | None:
    value = None if json_value is None else json.loads(json_value)
    return value if isinstance(value, str) else None


# ── what is said of the search ────────────────────────────────────────────────────────────────────────────────────────────────


def _tainted(*capsules: Capsule) -> Row:
    return {"instruction_taint": True} if any(each.taint for each in capsules) else {}


def _where(graph: Graph, part: GraphPart) -> Row:
    return {} if graph.alone else {"destination": part.name}


def _nothing(graph: Graph, what: str) -> str:
    advice = "An entity is compared whole, in any case; memory_recall looks for words."
    return " ".join((f"{what} {compact_json(graph.entity)}.", advice, *absences(graph.asked, graph.unasked)))


def _searched(each: GraphPart | Failed) -> Row:
    return failed_view(each) if isinstance(each, Failed) else {"destination": each.name, "found": _found(each)}


def _found(part: GraphPart) -> int:
    return part.total + len(part.statements) + len(part.between)


def counted(spellings: Iterable[Sequence[str]], entity: str) -> Mapping[str, int]:
    """Return how many capsules bear each other entity, by spelling; a capsule that spells one twice bears it once."""
    own = entity_key(entity)
    counts: Counter[str] = Counter()
    for borne in spellings:
        counts.update({entity_key(each): each for each in borne if entity_key(each) != own}.values())
    return counts
