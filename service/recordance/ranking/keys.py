"""The order of the term lane: coverage, BM25, then what is known of the capsule itself (L6)."""

from dataclasses import dataclass

from recordance.domain.capsule import Capsule
from recordance.domain.instant import EARLIEST, MICROSECONDS_PER_DAY, Instant
from recordance.ranking.scoring import Strength, TermHit

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


def text_key(hit: TermHit | Strength) -> tuple[int, float]:
    """Return what orders hits by their text alone; smaller is better. Equal keys are ties that the capsule decides."""
    return (-hit.coverage, -hit.bm25)


def capsule_key(capsule: Capsule, decayed: float) -> tuple[float, ...]:
    """Return what orders hits that their text leaves equal; smaller is better, and no two capsules are equal."""
    used = EARLIEST if capsule.use.last_at is None else capsule.use.last_at
    return (-decayed, -capsule.validity.valid_from, -used, -capsule.use.count, capsule.number)


def rank_key(ranked: Ranked) -> tuple[float, ...]:
    """Return the whole order of the term lane; smaller is better, and no two capsules are equal (L6)."""
    return (*text_key(ranked.hit), *capsule_key(ranked.capsule, ranked.decayed))
