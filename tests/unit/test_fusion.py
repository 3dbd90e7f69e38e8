"""Two rankings become one: reciprocal ranks, normalised scores, ties."""

import itertools
from fractions import Fraction

from recordance.query.lane import Fusion
from recordance.ranking.fusion import fused


def lane(*numbers: int) -> list[tuple[int, float]]:
    """A ranking of these numbers with scores that fall."""
    return [(number, 1.0 / place) for place, number in enumerate(numbers, start=1)]


def test_ranks_of_both_lanes_add_up() -> None:
    """L5: 1/62 + 1/61 beats 1/61, which beats 1/62 alone."""
    assert fused([lane(1, 2), lane(2, 3)], Fusion.RRF) == (2, 1, 3)


def test_one_lane_alone_keeps_its_order() -> None:
    """L5: a forced lane is the same over one ranking."""
    for fusion in Fusion:
        assert fused([lane(7, 3, 9), []], fusion) == (7, 3, 9)
        assert fused([[], lane(7, 3, 9)], fusion) == (7, 3, 9)
    assert fused([[], []], Fusion.CONVEX) == ()


def test_equal_sums_fall_to_append_order() -> None:
    """L5: the same ranks the other way round are a tie."""
    assert fused([lane(5, 2), lane(2, 5)], Fusion.RRF) == (2, 5)
    assert fused([lane(9), lane(4)], Fusion.RRF) == (4, 9)


def test_sums_that_are_equal_but_for_rounding_are_ties() -> None:
    """L5: 1/72 + 1/120 and 2/90 are the same number, though not in floating point."""
    terms = list(range(100, 160))
    terms[11], terms[29] = 1, 2
    vectors = list(range(200, 260))
    vectors[59], vectors[29] = 1, 2
    assert 1 / 72 + 1 / 120 < 1 / 90 + 1 / 90
    order = fused([lane(*terms), lane(*vectors)], Fusion.RRF)
    assert order[:2] == (1, 2)


def test_the_order_is_that_of_exact_sums() -> None:
    """L5: for every pair of ranks that two lanes of 200 and 50 can give, rounding never turns two unequal sums round."""
    sums = sorted({Fraction(1, 60 + a) + Fraction(1, 60 + b) for a, b in itertools.product(range(1, 201), range(1, 51))})
    rounded = [round(float(total), 15) for total in sums]
    assert all(lower < higher for lower, higher in itertools.pairwise(rounded))


def test_convex_halves_each_lanes_score_by_its_maximum() -> None:
    """L16: BM25 8 of 8 and cosine .2 of .8 make .625; BM25 2 of 8 and cosine .8 of .8 make .625 too: append order."""
    terms = [(3, 8.0), (1, 2.0), (4, 1.0)]
    vectors = [(1, 0.8), (3, 0.2)]
    assert fused([terms, vectors], Fusion.CONVEX) == (1, 3, 4)
    assert fused([terms, [(1, 0.8), (3, 0.21)]], Fusion.CONVEX) == (3, 1, 4)


def test_convex_looks_at_scores_and_not_at_places() -> None:
    """L16: the maximum is the lane's largest score, wherever coverage put it."""
    assert fused([[(1, 1.0), (2, 10.0)], [(3, 0.5)]], Fusion.CONVEX) == (2, 3, 1)
