"""Two rankings become one: reciprocal ranks, normalised scores, ties."""

import itertools
from fractions import Fraction

from recordance.ranking.fusion import by_ranks, by_scores


def ranks(*numbers: int) -> dict[int, int]:
    """The ranks of numbers in this order."""
    return {number: rank for rank, number in enumerate(numbers, start=1)}


def test_ranks_of_both_lanes_add_up() -> None:
    """L5: 1/62 + 1/61 beats 1/61, which beats 1/62 alone."""
    assert by_ranks([ranks(1, 2), ranks(2, 3)]) == (2, 1, 3)


def test_one_lane_alone_keeps_its_order() -> None:
    """L5: a forced lane is the same over one ranking."""
    assert by_ranks([ranks(7, 3, 9), {}]) == by_ranks([{}, ranks(7, 3, 9)]) == (7, 3, 9)
    assert by_scores([{7: 3.0, 3: 2.0, 9: 1.0}, {}]) == (7, 3, 9)
    assert by_ranks([{}, {}]) == by_scores([{}, {}]) == ()


def test_equal_sums_fall_to_append_order() -> None:
    """L5: the same ranks the other way round are a tie."""
    assert by_ranks([ranks(5, 2), ranks(2, 5)]) == (2, 5)
    assert by_ranks([ranks(9), ranks(4)]) == (4, 9)


def test_sums_that_are_equal_but_for_rounding_are_ties() -> None:
    """L5: 1/72 + 1/120 and 2/90 are the same number, though not in floating point."""
    assert 1 / 72 + 1 / 120 < 1 / 90 + 1 / 90
    assert by_ranks([{1: 12, 2: 30}, {1: 60, 2: 30}]) == (1, 2)


def test_the_order_is_that_of_exact_sums() -> None:
    """L5: for every pair of ranks that two lanes of 200 and 50 can give, rounding never turns two unequal sums round."""
    sums = sorted({Fraction(1, 60 + a) + Fraction(1, 60 + b) for a, b in itertools.product(range(1, 201), range(1, 51))})
    rounded = [round(float(total), 15) for total in sums]
    assert all(lower < higher for lower, higher in itertools.pairwise(rounded))


def test_scores_are_halves_of_each_lanes_best() -> None:
    """L16: BM25 8 of 8 and cosine .2 of .8 make .625; BM25 2 of 8 and cosine .8 of .8 make .625 too: append order."""
    terms = {3: 8.0, 1: 2.0, 4: 1.0}
    assert by_scores([terms, {1: 0.8, 3: 0.2}]) == (1, 3, 4)
    assert by_scores([terms, {1: 0.8, 3: 0.21}]) == (3, 1, 4)


def test_scores_count_and_not_places() -> None:
    """L16: the maximum is the lane's largest score, wherever coverage put it."""
    assert by_scores([{1: 1.0, 2: 10.0}, {3: 0.5}]) == (2, 3, 1)
