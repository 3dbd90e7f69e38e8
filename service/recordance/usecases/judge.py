"""Judging capsules: what they did for their readers (W8, O13), and what reviewers decide (W5, W2)."""

from dataclasses import dataclass
from enum import StrEnum

from recordance.domain.caller import Caller
from recordance.domain.review import FeedbackOutcome
from recordance.errors import Json
from recordance.usecases.store import Destinations


@dataclass(frozen=True, slots=True)
class ReceiptTarget:
    """Everything that the recall of this receipt showed."""

    receipt: str


@dataclass(frozen=True, slots=True)
class CapsuleTarget:
    """One capsule, by id."""

    id: str


FeedbackTarget = ReceiptTarget | CapsuleTarget


class Verdict(StrEnum):
    """What a reviewer decides (W5); `release` lifts a quarantine and nothing else (W2)."""

    PROPOSE = "propose"
    RATIFY = "ratify"
    REJECT = "reject"
    RELEASE = "release"


def give_feedback(
    destinations: Destinations,
    caller: Caller,
    destination: str | None,
    target: FeedbackTarget,
    outcome: FeedbackOutcome,
    note: str | None,
) -> dict[str, Json]:
    """Judge what was recalled and answer `{outcome, judged: [{id, feedback_weight, use_count, …}], skipped?}`.

    Of a receipt, what was forgotten since or lies outside the caller's fence is skipped and said; a single capsule raises
    MissingState then. Raises InvalidArgument for a receipt whose signature does not hold.
    """
    raise AssertionError


def review(
    destinations: Destinations, caller: Caller, destination: str | None, id: str, verdict: Verdict, reason: str | None
) -> dict[str, Json]:
    """Add a verdict to a capsule's history and answer `{id, verdict, review_state?, state}`.

    Raises MissingState when the capsule is unknown or forgotten, or is to be released and stands in no quarantine.
    """
    raise AssertionError
