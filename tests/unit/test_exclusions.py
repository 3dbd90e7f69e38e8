"""Exclusion reasons: each by itself, and which of several claims a match first."""

import itertools
from dataclasses import dataclass, field
from typing import Any

import pytest

from recordance.domain.capsule import Capsule, Standing
from recordance.domain.instant import EARLIEST, LATEST, Instant
from recordance.domain.review import ReviewState
from recordance.domain.validity import EventRange, TimeWindow, Validity
from recordance.query.exclusion import JUDGED, Eligibility, ExclusionReason, first_exclusion
from support.truths import NOON, days, make_capture

BEFORE, AFTER = Instant(NOON - 1), Instant(NOON + 1)
WINDOW = TimeWindow(Instant(NOON - days(1)), NOON)
LIVE = Eligibility(at=NOON)
WINDOWED = Eligibility(at=NOON, window=WINDOW)
INSIDE = EventRange(NOON, NOON)
ORDER = tuple(ExclusionReason)


@dataclass(frozen=True)
class Cause:
    """What makes a reason hold: a standing, or other fields of the capsule."""

    standing: dict[str, Any] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)


CAUSES = {
    ExclusionReason.QUARANTINED: Cause({"quarantined_at": NOON}),
    ExclusionReason.FALSIFIED: Cause({"falsified_at": NOON}),
    ExclusionReason.ARCHIVED: Cause({"archived_at": NOON}),
    ExclusionReason.SUPERSEDED: Cause({"superseded_at": NOON, "superseded_by": 9}),
    ExclusionReason.EXPIRED: Cause(fields={"validity": Validity(EARLIEST, NOON)}),
    ExclusionReason.NOT_YET_VALID: Cause(fields={"validity": Validity(AFTER)}),
    ExclusionReason.OUTSIDE_TIME_WINDOW: Cause(fields={"event": EventRange(AFTER, AFTER)}),
    ExclusionReason.UNDATED: Cause(fields={"event": None}),
    ExclusionReason.PROPOSED: Cause({"review": ReviewState.PROPOSED}),
}
NEVER_BOTH = ({ExclusionReason.OUTSIDE_TIME_WINDOW, ExclusionReason.UNDATED},)


def capsule_with(*reasons: ExclusionReason) -> Capsule:
    """A dated capsule that all these reasons claim."""
    standing: dict[str, Any] = {}
    fields: dict[str, Any] = {"event": INSIDE}
    for reason in reasons:
        standing |= CAUSES[reason].standing
        fields |= CAUSES[reason].fields
    if {ExclusionReason.EXPIRED, ExclusionReason.NOT_YET_VALID} <= set(reasons):
        fields["validity"] = Validity(AFTER, NOON)
    return make_capture(1, standing=Standing(**standing), **fields).capsule


def test_a_capsule_that_nothing_speaks_against_may_ground() -> None:
    """F6: eligible is what no reason claims."""
    assert first_exclusion(capsule_with(), WINDOWED) is None
    assert first_exclusion(make_capture(1).capsule, LIVE) is None


@pytest.mark.parametrize("reason", CAUSES)
def test_each_reason_claims_what_it_is_for(reason: ExclusionReason) -> None:
    """F6: alone, each is the one that is counted."""
    assert first_exclusion(capsule_with(reason), WINDOWED) is reason


@pytest.mark.parametrize(("first", "second"), [pair for pair in itertools.combinations(CAUSES, 2) if set(pair) not in NEVER_BOTH])
def test_of_every_two_reasons_the_earlier_claims_the_match(first: ExclusionReason, second: ExclusionReason) -> None:
    """F6: a match counts once, under the first reason that holds."""
    assert ORDER.index(first) < ORDER.index(second)
    assert first_exclusion(capsule_with(first, second), WINDOWED) is first
    assert first_exclusion(capsule_with(second, first), WINDOWED) is first


def test_the_order_is_the_contracts() -> None:
    """F6: quarantine dominates, and a falsified claim never hides behind a softer reason."""
    assert [reason.value for reason in ORDER] == [
        "quarantined", "falsified", "archived", "superseded", "expired", "not_yet_valid", "outside_time_window", "undated",
        "proposed", "below_support", "tombstoned",
    ]  # fmt: skip
    assert [reason for reason, _ in JUDGED] == list(CAUSES) == list(ORDER[:9])


@pytest.mark.parametrize("reason", CAUSES)
def test_a_waived_reason_leaves_the_match_to_the_next(reason: ExclusionReason) -> None:
    """F7, F11: waiving is admitting this reason's matches, not hiding them from the others."""
    waived = Eligibility(at=NOON, window=WINDOW, admit=frozenset({reason}))
    assert first_exclusion(capsule_with(reason), waived) is None
    for other in CAUSES.keys() - {reason}:
        if {reason, other} not in NEVER_BOTH:
            assert first_exclusion(capsule_with(reason, other), waived) is other


@pytest.mark.parametrize(("review", "reason"), [
    (None, None), (ReviewState.RATIFIED, None),
    (ReviewState.PROPOSED, ExclusionReason.PROPOSED), (ReviewState.REJECTED, ExclusionReason.PROPOSED),
])  # fmt: skip
def test_whatever_was_proposed_and_not_ratified_is_fenced(review: ReviewState | None, reason: ExclusionReason | None) -> None:
    """F7: a rejected one too; a capsule without any verdict is no proposal."""
    assert first_exclusion(make_capture(1, standing=Standing(review=review)).capsule, LIVE) is reason


@pytest.mark.parametrize(("at", "reason"), [(BEFORE, None), (NOON, "superseded"), (AFTER, "superseded")])
def test_supersession_counts_from_its_own_time(at: Instant, reason: str | None) -> None:
    """F9, case D11: from that instant on, whatever touched the capsule later."""
    standing = Standing(superseded_at=NOON, superseded_by=9)
    touched = make_capture(1, standing=standing, validity=Validity(EARLIEST), updated_at=LATEST, captured_at=LATEST).capsule
    assert first_exclusion(touched, Eligibility(at=at)) == reason


@pytest.mark.parametrize(
    ("at", "reason"),
    [(Instant(NOON - 2), "not_yet_valid"), (BEFORE, None), (NOON, None), (AFTER, "expired"), (LATEST, "expired")],
)
def test_validity_is_judged_at_the_instant_asked_about(at: Instant, reason: str | None) -> None:
    """F9: from `valid_from` inclusive to `valid_to` exclusive."""
    assert first_exclusion(make_capture(1, validity=Validity(BEFORE, AFTER)).capsule, Eligibility(at=at)) == reason


@pytest.mark.parametrize("past", [EARLIEST, Instant(0), BEFORE])
def test_a_falsified_claim_is_false_at_every_instant(past: Instant) -> None:
    """F6: what is known to be false today was false then."""
    capsule = make_capture(1, standing=Standing(falsified_at=NOON), validity=Validity(EARLIEST)).capsule
    assert first_exclusion(capsule, Eligibility(at=past)) is ExclusionReason.FALSIFIED


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (EventRange(NOON, NOON), None),
        (EventRange(Instant(NOON - days(1)), Instant(NOON - days(1))), None),
        (EventRange(EARLIEST, LATEST), None),
        (EventRange(EARLIEST, Instant(NOON - days(1))), None),
        (EventRange(NOON, LATEST), None),
        (EventRange(AFTER, LATEST), "outside_time_window"),
        (EventRange(EARLIEST, Instant(NOON - days(1) - 1)), "outside_time_window"),
        (None, "undated"),
    ],
)
def test_a_window_admits_what_shares_an_instant_with_it(event: EventRange | None, reason: str | None) -> None:
    """F3: inclusive at both ends, by declared fact-time alone; undated capsules are told apart from others."""
    assert first_exclusion(make_capture(1, event=event).capsule, WINDOWED) == reason


def test_without_a_window_no_date_matters() -> None:
    """F3: neither a date nor its absence excludes."""
    for event in (None, EventRange(EARLIEST, EARLIEST), INSIDE):
        assert first_exclusion(make_capture(1, event=event).capsule, LIVE) is None


def test_validity_and_capture_are_no_fact_time() -> None:
    """F3: only what was declared to have happened is dated."""
    capsule = make_capture(1, validity=Validity(NOON), captured_at=NOON, updated_at=NOON).capsule
    assert first_exclusion(capsule, WINDOWED) is ExclusionReason.UNDATED
