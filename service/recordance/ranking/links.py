"""What lies one hop from hits, and what of it comes first (L15).

A relation weighs 1; a shared entity the n-th part, n being how many capsules inside the fences bear it. A link counts by its
weight ÷ the place of its seed, counted from 1.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from recordance.domain.capsule import Capsule, CapsuleText
from recordance.domain.relation import RelationKind


@dataclass(frozen=True, slots=True)
class Link:
    """By what a capsule hangs on a seed: a relation's kind, or an entity as the seed spells it; `weight` in 0..1."""

    seed: int
    by: RelationKind | str
    weight: float


@dataclass(frozen=True, slots=True)
class Linked:
    """A capsule one hop from some seeds, with its links, the strongest first."""

    capsule: Capsule
    text: CapsuleText
    links: tuple[Link, ...]


Found = Mapping[int, Sequence[Link]]
"""Who was found one hop away, by number, and by which links."""


def found_by(links: Iterable[tuple[int, Link]], seeds: Mapping[int, int]) -> Found:
    """Return the links of each capsule that is no seed itself; `seeds` are their places by number."""
    found: dict[int, list[Link]] = {}
    for number, link in links:
        if number not in seeds:
            found.setdefault(number, []).append(link)
    return {
        number: sorted(own, key=lambda link: (-link.weight / seeds[link.seed], link.seed, link.by))
        for number, own in found.items()
    }


def in_order(found: Found, seeds: Mapping[int, int]) -> tuple[int, ...]:
    """Return who was found, those first whose links come to more; of equals whoever was stored first."""
    worth = {number: round(sum(each.weight / seeds[each.seed] for each in links), 12) for number, links in found.items()}
    return tuple(sorted(found, key=lambda number: (-worth[number], number)))
