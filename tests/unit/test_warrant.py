"""Which independent channel backs a capsule."""

from typing import Any

import pytest

from recordance.domain.capsule import Standing
from recordance.domain.review import AnchorVerdict, Corroboration, Feedback, FeedbackOutcome
from recordance.domain.warrant import Backing, Bar, Tier, warrant
from support.truths import NOON, make_capture

HELPED, HURT, IGNORED = FeedbackOutcome.HELPED, FeedbackOutcome.HURT, FeedbackOutcome.IGNORED


def judged(*outcomes: FeedbackOutcome, warrants: bool = True) -> tuple[Feedback, ...]:
    return tuple(Feedback(1, "", f"reader {place}", outcome, warrants, None, NOON) for place, outcome in enumerate(outcomes))


def verdict(of: AnchorVerdict) -> Corroboration:
    return Corroboration(1, "main", "src/lib.rs", None, of, 1, NOON)


def tier(bar: Bar = Bar.SOURCES, standing: Standing | None = None, **backing: Any) -> Tier:
    return warrant(make_capture(1, standing=standing or Standing()).capsule, Backing(**backing), bar).tier


@pytest.mark.parametrize(
    ("backing", "expected"),
    [
        ({}, Tier.UNWARRANTED),
        ({"feedback": judged(HELPED)}, Tier.EARNED),
        ({"feedback": judged(HELPED, HURT)}, Tier.EARNED),
        ({"feedback": judged(HELPED, HURT, HURT)}, Tier.UNWARRANTED),
        ({"feedback": judged(IGNORED)}, Tier.UNWARRANTED),
        ({"feedback": judged(HELPED, HELPED, warrants=False)}, Tier.UNWARRANTED),
        ({"feedback": judged(HELPED), "revisers": frozenset({"reader 0"})}, Tier.UNWARRANTED),
        ({"feedback": judged(HURT, HELPED), "revisers": frozenset({"reader 0"})}, Tier.EARNED),
        ({"corroboration": verdict(AnchorVerdict.CORROBORATED)}, Tier.EARNED),
        ({"corroboration": verdict(AnchorVerdict.DRIFTED)}, Tier.UNWARRANTED),
        ({"sources": frozenset({"ci"})}, Tier.UNWARRANTED),
        ({"sources": frozenset({"ci", "wiki"})}, Tier.CORROBORATED),
        ({"sources": frozenset({"ci", "wiki"}), "feedback": judged(HELPED)}, Tier.EARNED),
    ],
)
def test_a_tier_is_earned_by_others_or_corroborated_by_two_or_it_is_none(backing: dict[str, Any], expected: Tier) -> None:
    """O8, W8: self-graded credit earns nothing; a commit that bears the anchor out graduates a capsule."""
    assert tier(**backing) is expected


def test_under_the_strict_bar_keys_count_and_sources_do_not() -> None:
    """O8: anybody can write down a second source; nobody can sign with another's key."""
    assert tier(Bar.KEYS, sources=frozenset({"ci", "wiki"})) is Tier.UNWARRANTED
    assert tier(Bar.KEYS, keys=frozenset({"one", "two"})) is Tier.CORROBORATED


@pytest.mark.parametrize("mark", ["falsified_at", "superseded_at", "quarantined_at"])
def test_what_was_taken_back_has_no_warrant_left(mark: str) -> None:
    """O8: credit that was earned before does not speak for what is known to be wrong."""
    assert tier(standing=Standing(**{mark: NOON}), feedback=judged(HELPED), sources=frozenset({"a", "b"})) is Tier.UNWARRANTED


def test_a_warrant_says_on_what_it_rests() -> None:
    """O8: whoever branches on a tier can look at it."""
    rests_on = warrant(make_capture(1).capsule, Backing(feedback=judged(HELPED, HELPED, HURT)), Bar.SOURCES).rests_on
    assert rests_on == ("helped 2, hurt 1 by others than those who wrote it",)
