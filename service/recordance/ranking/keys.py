"""The order of the term lane: coverage, BM25, then what is known of the capsule itself (L6)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from recordance.domain.capsule import Capsule
from recordance.domain.instant import EARLIEST, MICROSECONDS_PER_DAY, Instant
from recordance.query.document import Order
from recordance.ranking.scoring import TermHit

HALF_LIFE_DAYS = 90.0
"""In how many days a capsule's weight halves, counted from `valid_from` (L6)."""


def decayed_weight(capsule: Capsule, at: Instant) -> float:
    """Return confidence × 2^(−age in days / 90), unrounded; a capsule from the future has not aged (L6)."""
    age = max(0, at - capsule.validity.valid_from) / MICROSECONDS_PER_DAY
    return float(capsule.confidence * 2.0 ** (-age / HALF_LIFE_DAYS))


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hit with the capsule that it is about, and its weight at the instant of the recall."""

    hit: TermHit
    capsule: Capsule
    decayed: float


class TextRank(Protocol):
    """What a text says for its capsule: a hit of it, or a bound on hits."""

    @property
    def coverage(self) -> int:
        """How many of the caller's terms match."""
        ...

    @property
    def inexact(self) -> int:
        """How many of them by a text service alone, fewer being better."""
        ...

    @property
    def bm25(self) -> float:
        """The BM25 of their words, more being better."""
        ...


TextKey = Callable[[TextRank], tuple[float, ...]]
CapsuleKey = Callable[[Capsule, float], tuple[float, ...]]
"""What orders hits that their text leaves equal, from a capsule and its decayed weight."""


def text_key(of: TextRank) -> tuple[float, ...]:
    """Return what orders hits by their text alone; smaller is better. Equal keys are ties that the capsule decides (L6, T9)."""
    return (-of.coverage, of.inexact, -of.bm25)


def _weight_key(of: TextRank) -> tuple[float, ...]:
    return (-of.bm25,)


def text_key_of(order: Order) -> TextKey:
    """Return the key of an order: coverage first (L6), or the words' weight alone."""
    return text_key if order is Order.COVERAGE else _weight_key


def capsule_key(capsule: Capsule, decayed: float) -> tuple[float, ...]:
    """Return what orders hits that their text leaves equal; smaller is better, and no two capsules are equal."""
    used = EARLIEST if capsule.use.last_at is None else capsule.use.last_at
    return (-decayed, -capsule.validity.valid_from, -used, -capsule.use.count, capsule.number)


def importance_key(capsule: Capsule, _: float) -> tuple[float, ...]:
    """Return the order in which capsules are browsed, for hits that their text leaves equal; smaller is better (L8)."""
    return (-capsule.importance, -capsule.confidence, -capsule.updated_at, capsule.number)


def rank_key(ranked: Ranked) -> tuple[float, ...]:
    """Return the whole order of the term lane; smaller is better, and no two capsules are equal (L6)."""
    return (*text_key(ranked.hit), *capsule_key(ranked.capsule, ranked.decayed))
