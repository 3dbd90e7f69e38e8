"""Lanes: which run, what each finds and counts, and how two rankings become one answer."""

from typing import Any

import pytest

from recordance.domain.capsule import LabelField, Standing, Tombstone, Use
from recordance.domain.change import Entomb, SetStanding, SetUse
from recordance.domain.embedding import Vector, vector_of
from recordance.domain.instant import Instant
from recordance.domain.journal import Op
from recordance.domain.validity import EventRange, TimeWindow
from recordance.errors import InvalidArgument
from recordance.query.lane import Fusion, LaneChoice
from support.recalls import Recalls, below, only, shown
from support.truths import NOON, days, told


def toward(*components: float) -> Vector:
    return vector_of(components)


EAST = toward(1, 0)


def store(*vectors: tuple[float, float] | None, **given: Any) -> Recalls:
    """A store with one capsule a vector, "token one", "token two" …; None leaves a capsule without."""
    recalls = Recalls()
    words = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    for word, vector in zip(words, vectors, strict=False):
        (number,) = recalls.remember(f"token {word}", **given)
        if vector is not None:
            recalls.embed(number, *vector)
    return recalls


def retire(recalls: Recalls, *numbers: int) -> None:
    """Archive capsules, so that they may not ground."""
    for number in numbers:
        recalls.write(told(Op.ARCHIVED, number, SetStanding(number, Standing(archived_at=NOON), NOON)))


def test_auto_is_the_term_lane_without_an_embedding_and_both_with_one() -> None:
    """L1: the choice follows from what is sent."""
    recalls = store((1, 0), None)
    assert [one.get("vector_similarity") for one in recalls.ask("two")["results"]] == [None]
    both = recalls.ask("two", embedding=EAST)["results"]
    assert [(one["id"], one.get("vector_similarity"), one["fusion_rank"]) for one in both] == [
        ("cap-1", 1.0, 1),
        ("cap-2", None, 2),
    ]


def test_the_term_lane_looks_at_no_embedding() -> None:
    """L1: one of any dimension may come along, and the answer is the same to the byte."""
    recalls = store((1, 0), (0, 1))
    asked = recalls.ask("token", lane=LaneChoice.TERM)
    assert recalls.ask("token", lane=LaneChoice.TERM, embedding=toward(1, 2, 3)) == asked == recalls.ask("token")


def test_the_vector_lane_searches_no_term() -> None:
    """L1, O4: nothing matched a word, so nothing is said of words; the rank is that of one-lane fusion."""
    recalls = store((1, 0), (1, 1))
    answer = recalls.ask("token", lane=LaneChoice.VECTOR, embedding=EAST)
    assert shown(answer) == [1, 2]
    assert [(one["matched_terms"], one["vector_similarity"], one["fusion_rank"]) for one in answer["results"]] == [
        ([], 1.0, 1),
        ([], 0.7071, 2),
    ]
    assert not {"relevance", "bm25"} & answer["results"][0].keys()
    assert answer["support"] == 1.0


@pytest.mark.parametrize("lane", [LaneChoice.VECTOR, LaneChoice.FUSED, LaneChoice.AUTO])
def test_an_embedding_of_another_dimension_is_refused_with_both(lane: LaneChoice) -> None:
    """L2, case E1: neither a silent miss nor a bad request from some engine."""
    with pytest.raises(InvalidArgument) as refused:
        store((1, 0)).ask("token", lane=lane, embedding=toward(1, 2, 3))
    assert refused.value.field == "query_embedding"
    assert "dimension 2" in str(refused.value)
    assert "dimension 3" in str(refused.value)


def test_a_store_without_vectors_takes_an_embedding_of_any_dimension() -> None:
    """L2, O1: there is nothing that it could differ from, and nothing near it."""
    answer = store(None, None).ask("nowhere", embedding=EAST)
    assert answer["outcome"] == "abstain"
    assert "No capsule has an embedding yet" in answer["reason"]


@pytest.mark.parametrize(("vector", "found"), [((1, 0), [1]), ((1e-6, 1), [1]), ((0, 1), []), ((-1, 0), []), ((-1e-6, 1), [])])
def test_only_a_positive_cosine_grounds(vector: tuple[float, float], found: list[int]) -> None:
    """L3, case E3: at zero the metric itself stops asserting a relation."""
    assert store(vector).found("nowhere", lane=LaneChoice.VECTOR, embedding=EAST) == found


def test_dead_capsules_use_up_no_place_of_the_nearest() -> None:
    """L4: the ranking is the nearest vector_k that may ground."""
    recalls = store((1, 0), (9, 1), (8, 1), (7, 1))
    retire(recalls, 1, 2)
    answer = recalls.ask("token", lane=LaneChoice.VECTOR, embedding=EAST, vector_k=2)
    assert shown(answer) == [3, 4]
    assert answer["excluded"] == {"archived": 2}
    assert answer["matched"] == 2


def test_counts_are_of_the_nearest_in_the_scope_alone() -> None:
    """L4: a dead capsule that is not among the nearest vector_k of all is not counted."""
    recalls = store((1, 0), (9, 1), (8, 1), (7, 1))
    retire(recalls, 1, 4)
    answer = recalls.ask("token", lane=LaneChoice.VECTOR, embedding=EAST, vector_k=2)
    assert shown(answer) == [2, 3]
    assert answer["excluded"] == {"archived": 1}


def test_scope_fences_apply_before_the_cap() -> None:
    """F4, L4: what lies outside is neither ranked nor counted, however near."""
    recalls = Recalls()
    for project, x in (("other", 9), ("other", 8), ("nott", 3), ("nott/x", 2), ("nottx", 7)):
        (number,) = recalls.remember("token", labels={LabelField.PROJECT: project})
        recalls.embed(number, x, 1)
    asked: dict[str, Any] = {"lane": LaneChoice.VECTOR, "embedding": EAST, "vector_k": 2}
    assert recalls.found("token", fences=[below("nott")], **asked) == [3, 4]
    assert recalls.found("token", fences=[only(LabelField.PROJECT, "nott")], **asked) == [3]
    assert recalls.found("token", fences=[only(LabelField.USER, "ann")], **asked) == []
    assert recalls.found("token", fences=[only(LabelField.USER, None)], **asked) == [1, 2]


def test_a_time_window_ranks_inside_and_counts_outside() -> None:
    """L4, F3, case H1: the window runs before the cap for the ranking, the counts are of the nearest without it."""
    recalls = Recalls()
    dates = (None, days(9), days(0), days(0))
    for x, day in zip((9, 8, 7, 6), dates, strict=True):
        event = None if day is None else EventRange(Instant(NOON + day), Instant(NOON + day))
        (number,) = recalls.remember("token", event=event)
        recalls.embed(number, x, 1)
    window = TimeWindow(NOON, Instant(NOON + days(1)))
    answer = recalls.ask("token", lane=LaneChoice.VECTOR, embedding=EAST, vector_k=2, window=window)
    assert shown(answer) == [3, 4]
    assert answer["excluded"] == {"outside_time_window": 1, "undated": 1}


def test_a_capsule_that_both_lanes_match_counts_once() -> None:
    """L4, O2: in what is matched, and in what is excluded."""
    recalls = store((1, 0), (9, 1), (8, 1), None)
    retire(recalls, 2)
    answer = recalls.ask("token", embedding=EAST)
    assert answer["matched"] == 3
    assert answer["excluded"] == {"archived": 1}
    answer = recalls.ask("one", embedding=EAST)
    assert answer["matched"] == 2
    assert answer["excluded"] == {"archived": 1}


def test_equal_cosines_fall_to_append_order() -> None:
    """L5, L17: the same direction is the same cosine, whatever the length."""
    recalls = store((2, 2), (1, 1), (4, 4))
    assert recalls.found("token", lane=LaneChoice.VECTOR, embedding=EAST) == [1, 2, 3]
    assert recalls.found("token", lane=LaneChoice.VECTOR, embedding=EAST, vector_k=2) == [1, 2]


def test_both_rankings_count_in_a_fused_one() -> None:
    """L5: second of both lanes beats first of one, and fusion_rank is the place before any blend."""
    recalls = Recalls()
    for content, vector in (
        ("token here and there again", (1, 4)),
        ("token token", None),
        ("nowhere", (1, 0)),
        ("token", (1, 1)),
    ):
        (number,) = recalls.remember(content)
        if vector is not None:
            recalls.embed(number, *vector)
    answer = recalls.ask("token", embedding=EAST)
    assert shown(answer) == [4, 1, 2, 3]
    assert [one["fusion_rank"] for one in answer["results"]] == [1, 2, 3, 4]


def test_convex_fusion_looks_at_the_scores() -> None:
    """L16: a cosine far below the best weighs less than its rank."""
    recalls = store((1, 0), (1, 99), None)
    assert recalls.found("two", embedding=EAST, fusion=Fusion.RRF)[0] == 2
    assert recalls.found("two", embedding=EAST, fusion=Fusion.CONVEX)[0] == 2
    assert recalls.ask("three", embedding=EAST, fusion=Fusion.CONVEX)["results"][1]["id"] == "cap-3"


def test_words_and_cosine_each_support_a_part_of_what_the_other_leaves_open() -> None:
    """O12: where the vector lane ran; a content that has only some of a term's words covers that share of them."""
    recalls = store((1, 1), (1, 0))
    first, second = recalls.ask("token one", "absent", embedding=EAST)["results"]
    assert (first["id"], second["id"]) == ("cap-1", "cap-2")
    words = recalls.ask("token one", "absent")["results"][0]["support"]
    assert first["support"] == pytest.approx(1.0 - (1.0 - words) * (1.0 - 0.5**0.5), abs=0.005)
    assert 0.0 < words < first["support"] == 0.8
    assert second["support"] == 1.0


def test_min_support_cuts_a_fused_ranking_too() -> None:
    """O12: what lies below is excluded and counted."""
    answer = store((1, 1), (1, 0)).ask("absent", embedding=EAST, min_support=0.8)
    assert shown(answer) == [2]
    assert answer["excluded"] == {"below_support": 1}


def test_a_fused_recall_that_only_vectors_ground_still_teaches_its_miss() -> None:
    """T8: the ledger is about words."""
    recalls = store((1, 0))
    assert recalls.ask("absent", embedding=EAST)["outcome"] == "grounded"
    assert [note.outcome for note in recalls.misses.notes] == ["abstain"]


def test_a_forced_vector_lane_teaches_nothing() -> None:
    """T8, O1: no word was looked for, and none is said to have failed."""
    recalls = store((0, 1))
    answer = recalls.ask("absent", lane=LaneChoice.VECTOR, embedding=EAST)
    assert answer["outcome"] == "abstain"
    assert recalls.misses.notes == []
    assert "vector lane" in answer["reason"]
    assert "words" not in answer["reason"].lower()


def test_the_id_of_a_forgotten_capsule_is_told_in_every_lane() -> None:
    """F8: the probe stands beside the lanes, whichever run."""
    recalls = store((1, 0), (0, 1))
    recalls.write(told(Op.TOMBSTONED, 1, Entomb(Tombstone(1, NOON, "asked for", "ann", "mac"))))
    for lane in LaneChoice:
        answer = recalls.ask("cap-1", lane=lane, embedding=EAST)
        assert answer["excluded"] == {"tombstoned": 1}, lane
        assert shown(answer) == [], lane


def test_a_blend_goes_over_the_fused_ranking_and_leaves_its_ranks() -> None:
    """L7, L5: one re-sort after the fusion; fusion_rank keeps the place before it."""
    recalls = store((1, 0), (9, 1))
    recalls.write(told(Op.FED_BACK, 2, SetUse(2, Use(feedback_weight=1.0))))
    answer = recalls.ask("token", lane=LaneChoice.VECTOR, embedding=EAST, weight_blend=1.0)
    assert [(one["id"], one["fusion_rank"]) for one in answer["results"]] == [("cap-2", 2), ("cap-1", 1)]
