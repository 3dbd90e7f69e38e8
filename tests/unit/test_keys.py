"""The order of the term lane, key by key."""

import itertools
from dataclasses import replace
from typing import Any

import pytest

from recordance.domain.capsule import Use
from recordance.domain.instant import EARLIEST, LATEST, Instant
from recordance.domain.validity import Validity
from recordance.ranking.keys import Ranked, decayed_weight, rank_key
from recordance.ranking.scoring import TermHit
from support.truths import NOON, days, make_capture

A_DAY_AGO, YESTERYEAR = Instant(NOON - days(1)), Instant(NOON - days(365))


def ranked(number: int, *, coverage: int = 1, bm25: float = 2.0, decayed: float = 0.5, **given: Any) -> Ranked:
    hit = TermHit(number, coverage, bm25, ("a",), 1.0)
    return Ranked(hit, make_capture(number, **given).capsule, decayed)


KEYS = {
    "higher coverage": (ranked(2, coverage=2), ranked(1, coverage=1, bm25=9.0)),
    "better bm25": (ranked(2, bm25=2.0000000000000004), ranked(1, bm25=2.0, decayed=0.9)),
    "higher decayed weight": (ranked(2, decayed=0.5000001), ranked(1, decayed=0.5, validity=Validity(LATEST))),
    "later valid_from": (ranked(2, validity=Validity(NOON)), ranked(1, validity=Validity(A_DAY_AGO), use=Use(last_at=NOON))),
    "later last use": (ranked(2, use=Use(last_at=NOON)), ranked(1, use=Use(last_at=A_DAY_AGO, count=9))),
    "any use before none": (ranked(2, use=Use(last_at=YESTERYEAR)), ranked(1, use=Use(count=9))),
    "higher use count": (ranked(2, use=Use(count=2)), ranked(1, use=Use(count=1))),
    "lower id": (ranked(1, use=Use(feedback_weight=0.0)), ranked(2, use=Use(feedback_weight=1.0))),
}


@pytest.mark.parametrize(("better", "worse"), KEYS.values(), ids=KEYS.keys())
def test_each_key_decides_where_all_before_it_are_equal(better: Ranked, worse: Ranked) -> None:
    """L6: coverage, BM25, decayed weight, valid_from, last use, use count, id; a later key never overrules an earlier one."""
    assert rank_key(better) < rank_key(worse)


def test_no_two_capsules_are_ever_equal() -> None:
    """L6, O11: the id decides last, so that an order is the same in every process."""
    assert len({rank_key(ranked(number)) for number in range(1, 50)}) == 49


def test_what_anybody_felt_about_a_capsule_is_no_key() -> None:
    """L7: feedback enters through a blend or not at all."""
    assert rank_key(ranked(1, use=Use(feedback_weight=0.0))) == rank_key(ranked(1, use=Use(feedback_weight=1.0)))


def test_weight_halves_every_ninety_days_from_valid_from() -> None:
    """L6: confidence × 2^(−age/90), and not counted from when the capsule was captured."""
    capsule = make_capture(1, confidence=0.8, validity=Validity(Instant(NOON - days(90))), captured_at=NOON).capsule
    assert decayed_weight(capsule, NOON) == 0.4
    assert decayed_weight(capsule, Instant(NOON + days(180))) == 0.1


def test_the_weight_that_orders_is_not_rounded() -> None:
    """L6: 0.548992 is shown as 0.55 and ordered as it is."""
    older, newer = (make_capture(1, validity=Validity(Instant(NOON - days(age)))).capsule for age in (11.54, 11.53))
    weights = [decayed_weight(capsule, NOON) for capsule in (older, newer)]
    assert [round(weight, 2) for weight in weights] == [0.55, 0.55]
    assert weights[0] < weights[1] == pytest.approx(0.549, abs=1e-3)


def test_a_capsule_from_the_future_weighs_its_confidence_and_no_more() -> None:
    """L6: the weight never exceeds what was claimed."""
    capsule = make_capture(1, confidence=0.7, validity=Validity(LATEST)).capsule
    assert decayed_weight(capsule, NOON) == 0.7


def test_the_oldest_and_the_latest_instant_have_a_weight() -> None:
    """L6: eight thousand half-lives are nothing to add up, and no error."""
    ancient = make_capture(1, validity=Validity(EARLIEST)).capsule
    assert decayed_weight(ancient, LATEST) == 0.0


def test_sorting_by_key_is_sorting_by_each_key_in_turn() -> None:
    """L6: against an order made by stable sorts from the last key to the first."""
    uses = [Use(), Use(last_at=A_DAY_AGO), Use(last_at=NOON, count=3), Use(count=3)]
    lane = [
        ranked(number, coverage=coverage, bm25=bm25, decayed=decayed, use=use, validity=Validity(start))
        for number, (coverage, bm25, decayed, start, use) in enumerate(
            itertools.product((1, 2), (0.5, 1.5), (0.1, 0.2), (A_DAY_AGO, NOON), uses), start=1
        )
    ]
    expected = sorted(lane, key=lambda one: one.capsule.number)
    expected.sort(key=lambda one: one.capsule.use.count, reverse=True)
    expected.sort(key=lambda one: one.capsule.use.last_at or EARLIEST, reverse=True)
    expected.sort(key=lambda one: one.capsule.validity.valid_from, reverse=True)
    expected.sort(key=lambda one: one.decayed, reverse=True)
    expected.sort(key=lambda one: one.hit.bm25, reverse=True)
    expected.sort(key=lambda one: one.hit.coverage, reverse=True)
    lane.reverse()
    assert sorted(lane, key=rank_key) == expected


def test_the_key_of_an_unused_capsule_is_below_every_use() -> None:
    """L6: even a use at the first instant there is counts as one when the counts are looked at next."""
    used = ranked(2, use=Use(last_at=EARLIEST, count=1))
    assert rank_key(used) < rank_key(replace(ranked(1), decayed=used.decayed))
