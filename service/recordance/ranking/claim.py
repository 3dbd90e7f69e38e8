"""What the lanes that ran say for one capsule, and how much of what was asked that covers (O4, O12)."""

from dataclasses import dataclass

from recordance.domain.capsule import Capsule
from recordance.ranking.scoring import TermHit


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A capsule that may ground, with what each lane has for it; None where a lane did not run or has nothing.

    `decayed` is its weight at the instant of the recall (L6); `cosine` lies above 0 (L3); `support` in 0..1 (O12); `rank` is its
    place in a fused ranking, counted from 1, before any blend (L5).
    """

    capsule: Capsule
    decayed: float
    term: TermHit | None
    cosine: float | None
    support: float
    rank: int | None


def support_of(share: float, cosine: float | None) -> float:
    """Return 1 − (1 − share of the terms' words found) × (1 − cosine), in 0..1; the share alone where there is no cosine (O12).

    Each covers a part of what the other leaves open. Measured, it tells what has an answer from what has none better than the
    larger of the two, or their mean.
    """
    return share if cosine is None else 1.0 - (1.0 - share) * (1.0 - min(cosine, 1.0))
