"""Reviews of proposals, feedback on recalls, and what commits say of anchors."""

from dataclasses import dataclass
from enum import StrEnum

from recordance.domain.instant import Instant


class ReviewState(StrEnum):
    """The latest verdict on a capsule (W5). A capsule without any verdict is no proposal (F7)."""

    PROPOSED = "proposed"
    RATIFIED = "ratified"
    REJECTED = "rejected"


class Ruling(StrEnum):
    """What somebody decided about a capsule, as its history keeps it with the reason.

    Verdicts on proposals (W5), the release of a quarantine (W2), and what was put away or taken back (W7).
    """

    PROPOSED = "proposed"
    RATIFIED = "ratified"
    REJECTED = "rejected"
    RELEASED = "released"
    ARCHIVED = "archived"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class ReviewEvent:
    """One ruling in a capsule's history."""

    capsule: int
    verdict: Ruling
    reason: str | None
    actor: str
    at: Instant


class FeedbackOutcome(StrEnum):
    """What a recalled capsule did for its reader (W8)."""

    HELPED = "helped"
    HURT = "hurt"
    IGNORED = "ignored"


OUTCOME_VALUE = {FeedbackOutcome.HELPED: 1.0, FeedbackOutcome.IGNORED: 0.5, FeedbackOutcome.HURT: 0.0}
"""What each outcome pulls the feedback weight towards (W8)."""
FEEDBACK_START = 0.5
"""The weight of a capsule that nobody has judged (W8)."""
FEEDBACK_STEP = 0.1
"""How far one outcome moves the weight: a moving average (W8)."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """One actor's judgement of one capsule, under one recall receipt (`receipt` is empty when none was given).

    Per receipt, capsule and actor the latest counts (O13). `warrants` is False when the actor wrote the capsule or had revised
    what it says (self-graded credit earns no warrant, W8).
    """

    capsule: int
    receipt: str
    actor: str
    outcome: FeedbackOutcome
    warrants: bool
    note: str | None
    at: Instant


def feedback_weight(outcomes: tuple[FeedbackOutcome, ...]) -> float:
    """Return the weight in 0..1 that `outcomes`, oldest first, lead to: a moving average from the start value (W8)."""
    weight = FEEDBACK_START
    for outcome in outcomes:
        weight += FEEDBACK_STEP * (OUTCOME_VALUE[outcome] - weight)
    return weight


class AnchorVerdict(StrEnum):
    """What a commit says of an anchored file."""

    CORROBORATED = "corroborated"
    DRIFTED = "drifted"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Corroboration:
    """One verdict of the git witness on one capsule (W8)."""

    capsule: int
    git_ref: str
    anchor_path: str
    anchor_sha: str | None
    verdict: AnchorVerdict
    mentions: int
    at: Instant


CORROBORATION_WEIGHT = {AnchorVerdict.CORROBORATED: 1.0, AnchorVerdict.DRIFTED: 0.0, AnchorVerdict.MISSING: 0.0}
"""The weight that the latest verdict lends (L7); a capsule without any has `NO_CORROBORATION`."""
NO_CORROBORATION = 0.5
