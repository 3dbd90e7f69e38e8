"""Blends: feedback and commits may nudge a ranking, never eligibility or outcome (L7)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

RANK_OFFSET = 60
"""The constant of reciprocal rank fusion: Cormack, Clarke and Büttcher, SIGIR 2009 (L5, L7)."""


@dataclass(frozen=True, slots=True)
class Blend:
    """How strongly the feedback weight and the corroboration weight enter, each 0..1; both 0 is no blend at all."""

    feedback: float
    corroboration: float

    @property
    def dormant(self) -> bool:
        """Whether no weight may be read and nothing moves."""
        return self.feedback == 0.0 and self.corroboration == 0.0

    def factor(self, feedback_weight: float, corroboration_weight: float) -> float:
        """Return what a capsule's rank score is multiplied by; both weights lie in 0..1 and ½ changes nothing."""
        by_feedback = 1.0 + self.feedback * (feedback_weight - 0.5)
        return by_feedback * (1.0 + self.corroboration * (corroboration_weight - 0.5))


def reach(page: int, blend: Blend) -> int:
    """Return how many base ranks can still come among the first `page` (≥ 1): no more than that need be read (L7).

    Base rank r scores at most best ÷ (60 + r), base rank `page` at least worst ÷ (60 + page); whatever lies behind the rank
    where the first falls below the second cannot overtake the page's last.
    """
    if blend.dormant:
        return page
    ratio = blend.factor(1.0, 1.0) / blend.factor(0.0, 0.0)
    return int((RANK_OFFSET + page) * ratio) - RANK_OFFSET + 1


def blended(base: Sequence[T], factors: Sequence[float], numbers: Sequence[int]) -> tuple[T, ...]:
    """Return `base` (best first) re-sorted once by factor ÷ (60 + rank), ranks from 1; ties fall to append order, `numbers`."""
    scores = [-factor / (RANK_OFFSET + rank) for rank, factor in enumerate(factors, start=1)]
    keys = list(zip(scores, numbers, strict=True))
    return tuple(base[place] for place in sorted(range(len(base)), key=keys.__getitem__))
