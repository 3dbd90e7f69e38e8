"""Relevance weighed by what a capsule has been worth."""

import math

import pytest

from recordance.domain.capsule import Use
from recordance.domain.validity import Validity
from recordance.query.accrued import RerankBy
from recordance.ranking.accrual import Signals, accrued, by_score, relevances, rerank_key
from support.truths import NOON, days, make_capture


def test_worth_grows_with_the_value_and_with_those_whom_it_helped() -> None:
    """L12: accrued = (1 + ln(1 + value)) × (0.5 + feedback weight)."""
    for value, weight in ((0.0, 0.5), (1.0, 0.5), (1.0, 1.0), (1.0, 0.0), (1000.0, 0.25)):
        capsule = make_capture(1, value=value, use=Use(feedback_weight=weight)).capsule
        assert accrued(capsule) == pytest.approx((1 + math.log(1 + value)) * (0.5 + weight))


def test_age_takes_nothing_away() -> None:
    """L12: in [A] a capsule loses worth by what becomes of it, never by the calendar."""
    old = make_capture(1, validity=Validity(NOON - days(4_000))).capsule
    assert accrued(old) == accrued(make_capture(2).capsule)


def test_relevance_is_each_lane_by_its_own_best() -> None:
    """L12: BM25 and cosine are numbers of different worlds; their shares of the highest are not."""
    pool = {1: Signals(4.0, 0.8), 2: Signals(2.0, 0.0), 3: Signals(0.0, 0.4), 4: Signals(0.0, -0.9)}
    assert relevances(pool, lanes=2) == {1: 1.0, 2: 0.25, 3: 0.25, 4: 0.0}
    assert relevances({1: Signals(4.0, 0.0), 2: Signals(2.0, 0.0)}, lanes=1) == {1: 1.0, 2: 0.5}
    assert relevances({}, lanes=2) == {}


def test_equal_scores_stand_in_append_order() -> None:
    """L12, O11: what nothing decides is decided alike everywhere."""
    assert by_score([3, 1, 2], {1: 0.5, 2: 0.5, 3: 0.7}) == [3, 1, 2]


def test_each_order_has_its_key() -> None:
    """L18: relevance keeps what stands; the others ask the capsule."""
    capsule = make_capture(1, value=3.0, confidence=0.7).capsule
    assert rerank_key(RerankBy.RELEVANCE, capsule) == 0.0
    assert rerank_key(RerankBy.VALUE, capsule) == -accrued(capsule)
    assert rerank_key(RerankBy.RECENCY, capsule) == -float(NOON)
    assert rerank_key(RerankBy.CONFIDENCE, capsule) == -0.7
