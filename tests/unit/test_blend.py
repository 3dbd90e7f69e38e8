"""Blends: a nudge to the ranking, bounded in how far it reaches."""

import itertools
import random

import pytest

from recordance.ranking.blend import Blend, blended, reach

BLENDS = [Blend(*both) for both in itertools.product((0.0, 0.05, 0.3, 1.0), repeat=2)]
AWAKE = [blend for blend in BLENDS if not blend.dormant]
WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)


def blend_id(blend: Blend) -> str:
    return f"{blend.feedback}-{blend.corroboration}"


def test_only_a_blend_of_twice_nothing_is_dormant() -> None:
    """L7: left out and 0 are the same, for each of the two."""
    assert [blend for blend in BLENDS if blend.dormant] == [Blend(0.0, 0.0)]


def test_both_weights_multiply_in_one_factor() -> None:
    """L7: (1 + w × (feedback − ½)) × (1 + c × (corroboration − ½))."""
    assert Blend(0.4, 0.0).factor(1.0, 0.0) == pytest.approx(1.2)
    assert Blend(0.0, 0.4).factor(0.0, 1.0) == pytest.approx(1.2)
    assert Blend(0.4, 0.2).factor(1.0, 0.0) == pytest.approx(1.2 * 0.9)


@pytest.mark.parametrize("blend", BLENDS, ids=blend_id)
def test_unjudged_capsules_keep_their_order_whatever_the_blend(blend: Blend) -> None:
    """L7: a weight of ½ changes nothing."""
    base = list(range(200))
    assert blended(base, [blend.factor(0.5, 0.5)] * 200, base) == tuple(base)


def test_ranks_are_scored_once_from_sixty_on() -> None:
    """L7: rank 2 with factor 1.5 passes rank 1; rank 40 with it passes 1/67 and not 1/66."""
    assert blended("ab", [1.0, 1.5], [1, 2]) == ("b", "a")
    base = list(range(1, 41))
    assert blended(base, [1.0] * 39 + [1.5], base)[:8] == (1, 2, 3, 4, 5, 6, 40, 7)


def test_equal_scores_fall_to_append_order() -> None:
    """L7, L5: 1/62 and 1.5/93 are one score, and the older capsule comes first."""
    ranks = list(range(1, 34))
    factors = [1.0] * 32 + [1.5]
    factors[0] = 0.1
    for second, last in ((5, 4), (4, 5)):
        numbers = [100 + rank for rank in ranks]
        numbers[1], numbers[32] = second, last
        assert blended(numbers, factors, numbers)[:2] == (4, 5)


def test_nothing_is_lost_and_nothing_is_added() -> None:
    """L7: a blend orders; it decides nothing."""
    base = list(range(1, 100))
    assert sorted(blended(base, [rank % 7 / 7 + 0.5 for rank in base], base)) == base
    assert blended([], [], []) == ()


def test_a_dormant_blend_reaches_no_further_than_the_page() -> None:
    """L7: without a blend, nothing beyond the page need be read."""
    assert [reach(page, Blend(0.0, 0.0)) for page in (1, 12, 500)] == [1, 12, 500]


@pytest.mark.parametrize("blend", AWAKE, ids=blend_id)
@pytest.mark.parametrize("page", [1, 2, 7, 12, 48])
def test_no_rank_beyond_the_reach_can_come_onto_the_page(blend: Blend, page: int) -> None:
    """L7: proven by brute force over adversarial and random weights, ties decided against the page."""
    bound, seed = reach(page, blend), 20260301 + page
    base = list(range(1, bound + 150))
    numbers = [-rank for rank in base]
    chance = random.Random(seed)
    drawn = [[blend.factor(chance.choice(WEIGHTS), chance.choice(WEIGHTS)) for _ in base] for _ in range(20)]
    worst, best = blend.factor(0.0, 0.0), blend.factor(1.0, 1.0)
    turns = [[worst] * turn + [best] * (len(base) - turn) for turn in (0, page - 1, page, bound - 1, bound, bound + 1)]
    for factors in drawn + turns:
        whole = blended(base, factors, numbers)[:page]
        assert blended(base[:bound], factors[:bound], numbers[:bound])[:page] == whole, f"seed {seed}"


@pytest.mark.parametrize("blend", AWAKE, ids=blend_id)
@pytest.mark.parametrize("page", [1, 2, 7, 12, 48])
def test_the_reach_is_not_much_further_than_it_must_be(blend: Blend, page: int) -> None:
    """L7: no more is read than can still reach the page; the last rank that can is at most two before the bound."""
    bound = reach(page, blend)
    base = list(range(1, bound + 10))

    def comes(rank: int) -> bool:
        factors = [blend.factor(1.0, 1.0) if each == rank else blend.factor(0.0, 0.0) for each in base]
        return rank in blended(base, factors, [-each for each in base])[:page]

    last = max(rank for rank in base if comes(rank))
    assert bound - 2 <= last <= bound
