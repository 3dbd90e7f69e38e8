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
    """Rows of one content, the one that is shown first, each with its rank and the place of its destination."""

    places: list[tuple[int, int, Own]]


def merged(rankings: Sequence[Sequence[Own]]) -> list[Row]:
    """Return the rows of all rankings as one, each with its destination and the ids of the same content elsewhere."""
    order = sorted(_front(rankings), key=_standing)
    behind = sorted((rank, place) for place, own in enumerate(rankings) for rank in range(RANKS, len(own)))
    for rank, place in behind:
        own = rankings[place][rank]
        holder = next((each for each in order if each.places[0][2].digest == own.digest), None)
        if holder is not None and holder.places[0][2].destination != own.destination:
            holder.places.append((rank, place, own))
        else:
            order.append(_Result([(rank, place, own)]))
    return [_row([own for _, _, own in each.places]) for each in order]


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
        result.places.sort(key=lambda each: each[:2])
        yield result


def _standing(result: _Result) -> tuple[Fraction, int, int]:
    """Higher sums first, then the better rank, then who was asked first."""
    rank, place, _ = result.places[0]
    return -sum((Fraction(1, 60 + each) for each, _, _ in result.places), Fraction(0)), rank, place


def _row(rows: Sequence[Own]) -> Row:
    equal = {"equal": [named(each) for each in rows[1:]]} if rows[1:] else {}
    return {**rows[0].row, "id": named(rows[0]), "destination": rows[0].destination, **equal}


def named(own: Own) -> str:
    """Return the id of a row as a caller of several destinations sees it."""
    return own.row["id"] if own.destination == "main" else f"{own.destination}:{own.row['id']}"
