"""The blended score by numbers worked out by hand, every factor for itself (L12)."""

from typing import Any

import pytest

from recordance.domain.capsule import Capsule, Use
from recordance.domain.instant import Instant
from recordance.domain.validity import Validity
from recordance.query.pipeline import BlendWeights
from recordance.ranking.blended import Factors, factors_of, freshness
from support.truths import NOON, days, make_capture

WEIGHTS = BlendWeights()


def aged(age: float, **given: Any) -> Capsule:
    """A capsule that has held for so many days."""
    return make_capture(1, validity=Validity(Instant(NOON - days(age))), **given).capsule


def test_all_factors_enter_with_their_weights() -> None:
    """L12: (.55 similarity + .15 freshness + .10 reinforcement + .10 importance) × (.7 + .3 decay)."""
    factors = Factors(similarity=0.8, freshness=0.5, reinforcement=0.4, importance=0.6, decay=0.25)
    assert factors.blended(WEIGHTS) == pytest.approx((0.44 + 0.075 + 0.04 + 0.06) * (0.7 + 0.075))


def test_the_weights_are_the_configured_ones() -> None:
    """L12: whoever configures the weights gets those and no others."""
    factors = Factors(similarity=0.8, freshness=0.5, reinforcement=0.4, importance=0.6, decay=0.25)
    only_similar = BlendWeights(similarity=1.0, freshness=0.0, reinforcement=0.0, importance=0.0, steady=1.0, decay=0.0)
    assert factors.blended(only_similar) == 0.8


@pytest.mark.parametrize(("age", "fresh"), [(0, 1.0), (7, 1.0), (93.5, 0.65), (180, 0.3), (1_000, 0.3)])
def test_freshness_falls_from_the_seventh_day_to_the_hundred_and_eightieth(age: float, fresh: float) -> None:
    """L12: one up to 7 days, three tenths from 180 days on, and a line between them."""
    assert freshness(age) == pytest.approx(fresh)


def test_age_counts_from_the_beginning_of_validity_and_not_from_the_last_touch() -> None:
    """L12, case D11: a later touch makes nothing young again; 90 days halve what has not decayed."""
    touched = aged(90, captured_at=Instant(NOON - days(1)), updated_at=NOON, importance=0.7)
    factors = factors_of(touched, 0.5, 2, NOON)
    assert (factors.decay, factors.reinforcement, factors.importance, factors.similarity) == (0.5, 0.4, 0.7, 0.5)
    assert factors.freshness == pytest.approx(1 - 0.7 * 83 / 173)


def test_what_holds_only_later_has_not_aged() -> None:
    """L12: a capsule from the future is as young as one of this moment."""
    assert factors_of(aged(-30), 1.0, 0, NOON).decay == 1.0


def test_more_help_than_enough_makes_no_difference() -> None:
    """L12: five times helped is all; uses that did not help count for nothing (O11)."""
    used = aged(0, use=Use(count=9))
    assert [factors_of(used, 1.0, helped, NOON).reinforcement for helped in (0, 1, 5, 50)] == [0.0, 0.2, 1.0, 1.0]


def test_the_score_never_falls_as_the_similarity_grows() -> None:
    """L12: capsules that differ in nothing else stay in the order of how well they fit, to the last bit."""
    steps = [place / 997 for place in range(998)]
    for age, helped in ((0, 0), (50, 3), (400, 9)):
        scores = [factors_of(aged(age), similarity, helped, NOON).blended(WEIGHTS) for similarity in steps]
        assert scores == sorted(scores)
