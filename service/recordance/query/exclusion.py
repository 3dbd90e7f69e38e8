"""Exclusion reasons: why a match may not ground. Each is one pure predicate; the first that holds is counted (F6)."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from recordance.domain.capsule import Capsule
from recordance.domain.instant import Instant
from recordance.domain.review import ReviewState
from recordance.domain.validity import TimeWindow


class ExclusionReason(StrEnum):
    """Why a match may not ground, in the order in which the reasons claim it (F6)."""

    QUARANTINED = "quarantined"
    FALSIFIED = "falsified"
    ARCHIVED = "archived"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    NOT_YET_VALID = "not_yet_valid"
    OUTSIDE_TIME_WINDOW = "outside_time_window"
    UNDATED = "undated"
    PROPOSED = "proposed"
    BELOW_SUPPORT = "below_support"
    TOMBSTONED = "tombstoned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Eligibility:
    """By what a match is judged.

    `at` is the instant at which validity and supersession are judged: the clock's reading, or the caller's `as_of` (F9).
    `window` is the caller's fact-time (F3). `admit` are the reasons that the caller waives: `include_staged` waives PROPOSED
    (F7), `include_quarantined` and `include_archive` waive theirs (F11).
    """

    at: Instant
    window: TimeWindow | None = None
    admit: frozenset[ExclusionReason] = frozenset()


def quarantined(capsule: Capsule, _: Eligibility) -> bool:
    """Its text is shaped like an instruction and nobody has released it (W2)."""
    return capsule.standing.quarantined_at is not None


def falsified(capsule: Capsule, _: Eligibility) -> bool:
    """Another capsule shows it to be false; it never hides behind a softer reason (F6)."""
    return capsule.standing.falsified_at is not None


def archived(capsule: Capsule, _: Eligibility) -> bool:
    """It was put away (W7)."""
    return capsule.standing.archived_at is not None


def superseded(capsule: Capsule, eligibility: Eligibility) -> bool:
    """Another capsule had taken its place by the instant asked about, by its own superseded time (F9, case D11)."""
    since = capsule.standing.superseded_at
    return since is not None and since <= eligibility.at


def expired(capsule: Capsule, eligibility: Eligibility) -> bool:
    """It no longer held at the instant asked about; `valid_to` itself is outside (W1)."""
    return capsule.validity.expired_at(eligibility.at)


def not_yet_valid(capsule: Capsule, eligibility: Eligibility) -> bool:
    """It did not hold yet at the instant asked about."""
    return not capsule.validity.begun_at(eligibility.at)


def outside_time_window(capsule: Capsule, eligibility: Eligibility) -> bool:
    """What it tells of happened outside the caller's window (F3)."""
    window, event = eligibility.window, capsule.event
    return window is not None and event is not None and not window.meets(event)


def undated(capsule: Capsule, eligibility: Eligibility) -> bool:
    """It declares no fact-time, and the caller asked about one (F3)."""
    return eligibility.window is not None and capsule.event is None


def proposed(capsule: Capsule, _: Eligibility) -> bool:
    """Its latest verdict is not `ratified`; a capsule without any verdict is no proposal (F7)."""
    return capsule.standing.review in (ReviewState.PROPOSED, ReviewState.REJECTED)


JUDGED: tuple[tuple[ExclusionReason, Callable[[Capsule, Eligibility], bool]], ...] = (
    (ExclusionReason.QUARANTINED, quarantined),
    (ExclusionReason.FALSIFIED, falsified),
    (ExclusionReason.ARCHIVED, archived),
    (ExclusionReason.SUPERSEDED, superseded),
    (ExclusionReason.EXPIRED, expired),
    (ExclusionReason.NOT_YET_VALID, not_yet_valid),
    (ExclusionReason.OUTSIDE_TIME_WINDOW, outside_time_window),
    (ExclusionReason.UNDATED, undated),
    (ExclusionReason.PROPOSED, proposed),
)
"""The reasons that a capsule alone decides, in F6's order. BELOW_SUPPORT needs a ranked hit, TOMBSTONED the id probe (F8)."""


def first_exclusion(capsule: Capsule, eligibility: Eligibility) -> ExclusionReason | None:
    """Return the first reason, in F6's order, that holds and is not waived; None if the capsule may ground."""
    for reason, holds in JUDGED:
        if reason not in eligibility.admit and holds(capsule, eligibility):
            return reason
    return None
