"""Fusion of several lanes by numbers worked out by hand, and what a reranker makes of it (L16, L10)."""

import math

import pytest

from recordance.query.pipeline import LaneShare, PipelineFusion, Stage
from recordance.ranking.pipeline import LaneFound, LaneHit, brought_in, fitted, fuse, rejudged

TERM = LaneFound(Stage.TERM, LaneShare(10, 1.0), (LaneHit(7, 8.0, 0.9), LaneHit(3, 4.0, 0.5), LaneHit(5, 2.0, 0.25)))
NEAR = LaneFound(Stage.SEMANTIC, LaneShare(10, 0.5), (LaneHit(3, 0.8, 0.8), LaneHit(9, 0.4, 0.4)))


def fused(fusion: PipelineFusion, *lanes: LaneFound) -> dict[int, float]:
    """Return number → score, best first."""
    return {each.number: each.score for each in fuse(lanes, fusion)}


def test_reciprocal_ranks_are_weighed_and_added() -> None:
    """L16: rrf is the sum of weight ÷ (60 + rank); 3 is second among the words and nearest, so it comes first."""
    scores = fused(PipelineFusion.RRF, TERM, NEAR)
    assert list(scores) == [3, 7, 5, 9]
    assert scores == pytest.approx({3: 1 / 62 + 0.5 / 61, 7: 1 / 61, 5: 1 / 63, 9: 0.5 / 62})


def test_the_legacy_sum_adds_absolute_scores() -> None:
    """L16: legacy is the weighted sum of the share of the words and the cosine, whatever the best of a lane is."""
    scores = fused(PipelineFusion.LEGACY, TERM, NEAR)
    assert list(scores) == [3, 7, 5, 9]
    assert scores == pytest.approx({3: 0.5 + 0.5 * 0.8, 7: 0.9, 5: 0.25, 9: 0.5 * 0.4})
    assert scores[3] == scores[7]


def test_the_convex_sum_brings_scores_between_nothing_and_one() -> None:
    """L16: words by the highest of their lane, a cosine as it is; what a lane has not is 0."""
    scores = fused(PipelineFusion.CONVEX, TERM, NEAR)
    assert list(scores) == [7, 3, 5, 9]
    assert scores == pytest.approx({7: 1.0, 3: 0.5 + 0.5 * 0.8, 5: 0.25, 9: 0.5 * 0.4})


def test_a_cosine_says_less_where_nothing_is_near() -> None:
    """L16: divided by its highest, the least of meanings would weigh as much as the best of words."""
    far = LaneFound(Stage.SEMANTIC, LaneShare(10, 1.0), (LaneHit(5, 0.02, 0.02),))
    assert list(fused(PipelineFusion.CONVEX, TERM, far)) == [7, 3, 5]


@pytest.mark.parametrize("fusion", [PipelineFusion.LEGACY, PipelineFusion.CONVEX])
def test_a_lane_that_was_asked_about_everything_adds_what_it_said(fusion: PipelineFusion) -> None:
    """L16: scores add up for what only the other lane ranked; ranks do not, and are not made up."""
    asked = LaneFound(Stage.TERM, TERM.enters, TERM.hits, judged=(*TERM.hits, LaneHit(9, 6.0, 0.75)))
    found = {each.number: each for each in fuse((asked, NEAR), fusion)}
    assert found[9].score == pytest.approx(0.75 + 0.5 * 0.4)
    assert found[9].parts == pytest.approx({Stage.TERM: 0.75, Stage.SEMANTIC: 0.5 * 0.4})
    assert found[9].ranks == {Stage.SEMANTIC: 2}
    assert {each.number: each.score for each in fuse((asked, NEAR), PipelineFusion.RRF)} == fused(PipelineFusion.RRF, TERM, NEAR)


def test_what_is_fused_is_what_stands_among_the_first_of_any_lane() -> None:
    """L16: each once, the lanes in their order."""
    assert brought_in((TERM, NEAR)) == (7, 3, 5, 9)
    assert brought_in((LaneFound(Stage.TERM, LaneShare(1, 1.0), TERM.hits), NEAR)) == (7, 3, 9)


def test_equal_sums_stand_in_append_order() -> None:
    """L16: ties fall to append order, though the sums differ in their last bits."""
    first = LaneFound(Stage.TERM, LaneShare(9, 1.0), (LaneHit(8, 3.0, 0.3), LaneHit(2, 3.0, 0.3)))
    second = LaneFound(Stage.SEMANTIC, LaneShare(9, 1.0), (LaneHit(2, 0.1, 0.1), LaneHit(8, 0.1, 0.1)))
    for fusion in PipelineFusion:
        assert list(fused(fusion, first, second)) == [2, 8], fusion


@pytest.mark.parametrize("fusion", list(PipelineFusion))
def test_a_lane_enters_with_its_first_ranks_and_the_rest_follows(fusion: PipelineFusion) -> None:
    """L16: what lies behind the depth of every lane stands below all that is fused, however much it scores elsewhere."""
    cut = LaneFound(Stage.TERM, LaneShare(1, 1.0), TERM.hits)
    scores = fused(fusion, cut, LaneFound(Stage.SEMANTIC, LaneShare(1, 0.5), NEAR.hits))
    assert list(scores) == [7, 3, 9, 5]
    assert scores[9] == pytest.approx(scores[3] * 60 / 61)
    assert scores[5] == pytest.approx(scores[3] * 60 / 62)


def test_a_lane_without_hits_changes_nothing() -> None:
    """L10: a stage that finds nothing, as one that is off, leaves the others' ranking as it is."""
    empty = LaneFound(Stage.GRAPH, LaneShare(5, 9.0), ())
    for fusion in PipelineFusion:
        assert fused(fusion, TERM, empty, NEAR) == fused(fusion, TERM, NEAR)
    assert fuse((empty,), PipelineFusion.CONVEX) == ()


def test_every_rank_in_every_lane_is_told() -> None:
    """L10: the fused table says at which rank each lane has a hit, behind its depth too."""
    ranks = {each.number: each.ranks for each in fuse((TERM, NEAR), PipelineFusion.RRF)}
    assert ranks == {7: {Stage.TERM: 1}, 3: {Stage.TERM: 2, Stage.SEMANTIC: 1}, 5: {Stage.TERM: 3}, 9: {Stage.SEMANTIC: 2}}


def test_how_well_a_hit_fits_is_its_share_of_the_best() -> None:
    """L12: the similarity that is blended is the fused score by the best one's."""
    ranking = fuse((TERM,), PipelineFusion.CONVEX)
    assert [each.similarity for each in fitted(ranking)] == [1.0, 0.5, 0.25]
    assert fitted(()) == ()


def test_a_reranker_orders_what_it_read_and_the_rest_stays_behind() -> None:
    """L10: shares are taken as they are; what was not read stands below what was, in its own order."""
    judged = rejudged(fuse((TERM,), PipelineFusion.CONVEX), [0.2, 0.4])
    assert [(each.fused.number, each.similarity) for each in judged] == [(3, 1.0), (7, 0.5), (5, 0.125)]


def test_log_odds_become_shares_whatever_their_size() -> None:
    """L10: a cross-encoder's scores have no bounds; equal ones leave the order as it was."""
    judged = rejudged(fuse((TERM,), PipelineFusion.CONVEX), [-1000.0, 0.0, 1000.0])
    assert [each.fused.number for each in judged] == [5, 3, 7]
    assert [each.similarity for each in judged] == pytest.approx([1.0, 0.5, math.exp(-1000)])
    even = rejudged(fuse((TERM,), PipelineFusion.CONVEX), [0.0, 0.0, 0.0])
    assert [each.fused.number for each in even] == [7, 3, 5]
