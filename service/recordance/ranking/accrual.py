"""Relevance weighed by what a capsule has been worth so far (L12).

    score     = relevance × accrued
    relevance = BM25 ÷ the pool's highest, and where the question has a vector, the mean of that and cosine ÷ the pool's highest
    accrued   = (1 + ln(1 + value)) × (0.5 + feedback weight)

The value is the writer's, 0 or more, 1 if nobody said; the feedback weight lies in 0..1 and starts at 0.5, so that a capsule
which nobody has judged keeps its value as it is, one that always helps comes to one and a half of it, and one that always hurts
to a half.
Nothing in it ages: a capsule loses worth by what becomes of it, never by the calendar.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recordance.domain.capsule import Capsule
from recordance.domain.review import FEEDBACK_START
from recordance.query.accrued import RerankBy

_DIGITS = 12
"""Relevances that differ by less than what rounding does to them are equal."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the lanes say for one candidate: BM25 (0 where no word matches), and the cosine (0 or below: not near)."""

    bm25: float
    cosine: float


def relevances(pool: Mapping[int, Signals], lanes: int) -> Mapping[int, float]:
    """Return the relevance, 0 to 1, of each candidate of a pool: the mean over the lanes that were asked, 1 or 2 of them."""
    most_bm25 = max((each.bm25 for each in pool.values()), default=0.0)
    most_cosine = max((each.cosine for each in pool.values()), default=0.0)
    return {
        number: round((_share(each.bm25, most_bm25) + _share(each.cosine, most_cosine)) / lanes, _DIGITS)
        for number, each in pool.items()
    }


def accrued(capsule: Capsule) -> float:
    """Return what a capsule has been worth: above 0, and 1 + ln 2 for one that nobody has valued or judged."""
    return (1.0 + math.log1p(capsule.value)) * (1.0 - FEEDBACK_START + capsule.use.feedback_weight)


def rerank_key(by: RerankBy, capsule: Capsule) -> float:
    """Return what orders hits that were found, smaller first; equal ones keep the order that they had (L18)."""
    match by:
        case RerankBy.RELEVANCE:
            return 0.0
        case RerankBy.VALUE:
            return -accrued(capsule)
        case RerankBy.RECENCY:
            return -float(capsule.validity.valid_from)
        case RerankBy.CONFIDENCE:
            return -capsule.confidence


def by_score(numbers: Sequence[int], scores: Mapping[int, float]) -> list[int]:
    """Return the numbers, the highest score first; ties fall to append order."""
    return sorted(numbers, key=lambda number: (-scores[number], number))


def _share(value: float, most: float) -> float:
    return value / most if value > 0.0 and most > 0.0 else 0.0
