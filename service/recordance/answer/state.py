"""In which state a capsule is, in one word, on every surface that shows it."""

from recordance.domain.capsule import Capsule
from recordance.query.exclusion import Eligibility, ExclusionReason, first_exclusion

LIVE = "live"


def state_of(capsule: Capsule, now: Eligibility) -> str:
    """Return `live` if the capsule may ground, `tombstoned` if it was forgotten, else the first reason why it may not (F6)."""
    if capsule.standing.tombstoned_at is not None:
        return ExclusionReason.TOMBSTONED.value
    reason = first_exclusion(capsule, now)
    return LIVE if reason is None else reason.value
