"""The blended score of a hit: how well it fits, and what is known of the capsule itself, every factor shown (L12)."""

from dataclasses import dataclass

from recordance.domain.capsule import Capsule
from recordance.domain.instant import MICROSECONDS_PER_DAY, Instant
from recordance.query.pipeline import BlendWeights
from recordance.ranking.keys import HALF_LIFE_DAYS

FRESH_DAYS, STALE_DAYS = 7.0, 180.0
"""Until when a capsule is as fresh as can be, and from when on it is as stale as can be."""
LEAST_FRESHNESS = 0.3
ENOUGH_HELP = 5
"""How often a capsule must have helped for more to make no difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """What a blended score is made of, each in 0..1; `decay` is what two to the power of −age ÷ 90 days has left."""

    similarity: float
    freshness: float
    reinforcement: float
    importance: float
    decay: float

    def blended(self, weights: BlendWeights) -> float:
        """Return (Σ weight × factor) × (steady + decay × what is left).

        It never falls as the similarity grows, so that capsules that differ in nothing else stay in the order of that.
        """
        value = (
            weights.similarity * self.similarity
            + weights.freshness * self.freshness
            + weights.reinforcement * self.reinforcement
            + weights.importance * self.importance
        )
        return value * (weights.steady + weights.decay * self.decay)


def factors_of(capsule: Capsule, similarity: float, helped: int, at: Instant) -> Factors:
    """Return the factors of a capsule that fits by `similarity` and has helped so many times, as of `at`.

    Its age counts from `valid_from`, like its weight (L6): no later touch makes a capsule young again (case D11).
    """
    days = age_in_days(capsule, at)
    return Factors(
        similarity=similarity,
        freshness=freshness(days),
        reinforcement=min(helped / ENOUGH_HELP, 1.0),
        importance=capsule.importance,
        decay=2.0 ** (-days / HALF_LIFE_DAYS),
    )


def age_in_days(capsule: Capsule, at: Instant) -> float:
    """Return for how long a capsule has held; one from the future has not aged."""
    return max(0, at - capsule.validity.valid_from) / MICROSECONDS_PER_DAY


def freshness(days: float) -> float:
    """Return 1 up to 7 days, 0.3 from 180 days on, and what lies on the line between them otherwise."""
    if days <= FRESH_DAYS:
        return 1.0
    if days >= STALE_DAYS:
        return LEAST_FRESHNESS
    return 1.0 - (1.0 - LEAST_FRESHNESS) * (days - FRESH_DAYS) / (STALE_DAYS - FRESH_DAYS)
