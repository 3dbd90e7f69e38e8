"""The oracle of a merged answer: each destination's own ranking, as if it were asked alone, by reciprocal ranks (D4)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Row = dict[str, Any]
RANKS = 12
"""With how many of its ranks each destination enters."""


@dataclass(frozen=True)
class Own:
    """One row of what a destination answers alone; equal contents have one digest."""

    destination: str
    row: Row
    digest: str


@dataclass
class _Result:
    """Rows of one content, the one that is shown first, the others as they were asked, each with its rank and whose it is."""

    places: list[tuple[int, int, Own]]


def merged(rankings: Sequence[Sequence[Own]]) -> list[Row]:
    """Return the rows of all rankings as one, each with its destination and the ids of the same content elsewhere.

    `sure` are those of them that stand among the first ranks; the others are told as far as somebody reads behind those.
    """
    order = sorted(_front(rankings), key=_standing)
    behind = sorted((rank, place) for place, own in enumerate(rankings) for rank in range(RANKS, len(own)))
    for before, place in behind:
        own, rank = rankings[place][before], before + 1
        holder = next((each for each in order if each.places[0][2].digest == own.digest), None)
        if holder is not None and holder.places[0][2].destination != own.destination:
            holder.places.append((rank, place, own))
        else:
            order.append(_Result([(rank, place, own)]))
    return [_row(each.places) for each in order]


def _front(rankings: Sequence[Sequence[Own]]) -> Iterator[_Result]:
    """Yield what the first ranks come to: the first row of a content in each destination is one with those of the others."""
    joined: dict[str, _Result] = {}
    for place, ranking in enumerate(rankings):
        own = set[str]()
        for rank, each in enumerate(ranking[:RANKS], start=1):
            if each.digest in own:
                yield _Result([(rank, place, each)])
            else:
                joined.setdefault(each.digest, _Result([])).places.append((rank, place, each))
            own.add(each.digest)
    for result in joined.values():
        best = min(result.places, key=lambda each: each[:2])
        yield _Result([best, *(each for each in result.places if each is not best)])


def _standing(result: _Result) -> tuple[Fraction, int, int]:
    """Higher sums first, then the better rank, then who was asked first."""
    rank, place, _ = result.places[0]
    return -sum((Fraction(1, 60 + each) for each, _, _ in result.places), Fraction(0)), rank, place


def _row(places: Sequence[tuple[int, int, Own]]) -> Row:
    _, _, best = places[0]
    others = [(named(own), rank <= RANKS) for rank, _, own in places[1:]]
    equal = {"equal": [name for name, _ in others], "sure": [name for name, front in others if front]} if others else {}
    return {**best.row, "id": named(best), "destination": best.destination, **equal}


def named(own: Own) -> str:
    """Return the id of a row as a caller of several destinations sees it."""
    return own.row["id"] if own.destination == "main" else f"{own.destination}:{own.row['id']}"
