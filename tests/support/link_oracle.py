"""The oracle of what stands beside hits: their session's capsules, and what lies one hop away (L14, L15)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recordance.domain.capsule import LabelField
from support.dialect_oracle import Reading
from support.row_oracle import MOST_LINKS, capsule_row

MOST_ENTITIES, MOST_BEARERS = 24, 50
Row = dict[str, Any]


@dataclass(frozen=True)
class Link:
    """By what a capsule hangs on a seed: a relation's kind, or an entity as the seed spells it; `worth` in 0..1."""

    seed: int
    by: Mapping[str, str]
    worth: float


@dataclass(frozen=True)
class LinkOracle:
    """What stands beside hits among the capsules that may ground, in one reading of a store."""

    reading: Reading
    active: Sequence[int]

    def beside(self, number: int, each_side: int) -> list[int]:
        """Return the neighbours of a hit in its session, of all sessions where it has none, in append order."""
        own = self._session(number)
        line = [each for each in self.active if own is None or self._session(each) == own]
        before, after = [each for each in line if each < number], [each for each in line if each > number]
        return [*before[max(len(before) - each_side, 0) :], *after[:each_side]]

    def linked(self, seeds: Sequence[int], most: int, view: str) -> list[Row]:
        """Return the rows of what lies one hop from seeds, whoever hangs on most and on the best first."""
        links: dict[int, list[Link]] = {}
        for number, link in (*self._related(seeds), *self._sharing(seeds)):
            if number in self.active and number not in seeds:
                links.setdefault(number, []).append(link)

        def value(link: Link) -> float:
            return link.worth / (seeds.index(link.seed) + 1)

        worth = {number: round(math.fsum(map(value, each)), 12) for number, each in links.items()}
        rows = []
        for number in sorted(worth, key=lambda each: (-worth[each], each))[:most]:
            best = sorted(links[number], key=lambda link: (-value(link), link.seed, *link.by.values()))
            told = {(link.seed, *link.by.items()): {"id": f"cap-{link.seed}", **link.by} for link in best}
            rows.append({**capsule_row(self.reading, number, view), "linked_by": list(told.values())[:MOST_LINKS]})
        return rows

    def _session(self, number: int) -> str | None:
        return self.reading.world.capsules[number].labels.get(LabelField.SESSION)

    def _related(self, seeds: Sequence[int]) -> list[tuple[int, Link]]:
        found = [
            (each.target, Link(each.source, {"relation": each.kind.value}, 1.0))
            for each in self.reading.world.relations
            if each.source in seeds
        ]
        return found + [
            (each.source, Link(each.target, {"relation": each.kind.value}, 1.0))
            for each in self.reading.world.relations
            if each.target in seeds
        ]

    def _sharing(self, seeds: Sequence[int]) -> list[tuple[int, Link]]:
        spelled = {seed: self._spelled(seed) for seed in seeds}
        entities = list(dict.fromkeys(entity for seed in seeds for entity in spelled[seed]))[:MOST_ENTITIES]
        return [each for entity in entities for each in self._bearing(entity, spelled)]

    def _bearing(self, entity: str, spelled: Mapping[int, Mapping[str, str]]) -> list[tuple[int, Link]]:
        bearers = [number for number in self.active if entity in self.reading.entities(number)]
        shown = sorted(bearers, key=self.reading.browsed)[:MOST_BEARERS]
        links = [Link(seed, {"entity": own[entity]}, 1.0 / len(bearers)) for seed, own in spelled.items() if entity in own]
        return [(number, link) for number in shown for link in links]

    def _spelled(self, seed: int) -> dict[str, str]:
        """Return the entities of a seed in the form that compares them, each as the seed spells it first."""
        spelled: dict[str, str] = {}
        for each in self.reading.world.texts[seed].entities:
            spelled.setdefault(each.casefold(), each)
        return spelled
