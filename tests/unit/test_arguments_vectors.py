"""Vectors in raw arguments: of capsules and of questions, alone and in batches."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordance.domain.embedding import vector_of
from recordance.errors import InvalidArgument, MissingState
from recordance.query.lane import Fusion, Lane, LaneChoice
from recordance.query.request import RecallRequest
from recordance_adapters.wire import limits
from recordance_adapters.wire.failure import failure_of
from recordance_adapters.wire.reading import read_json
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.retrieve import RETRIEVE, recall_request
from recordance_adapters.wire.tools.store import STORE
from recordance_adapters.wire.tools.vector import VECTOR
from support.stores import ANN, bench

VECTORS: list[tuple[Any, str]] = [
    ([], ""),
    ([0.0, 0.0], ""),
    ([0.1, math.nan], "[1]"),
    ([0.1, math.inf], "[1]"),
    ([0.1, 1e39], "[1]"),
    ([0.1, True], "[1]"),
    ([0.1, "0.5"], "[1]"),
    ([0.1, None], "[1]"),
    ([[0.1]], "[0]"),
    ([0.1] * 5_000, ""),
    ("0.1, 0.2", ""),
    ({"0": 0.1}, ""),
    (7, ""),
    (True, ""),
]
"""What is no vector, and where below its name the refusal points."""


@pytest.fixture
def call() -> Call:
    """A call on a store with three capsules and no vectors."""
    place = bench()
    place.learn("one", "two", "three")
    return Call(destinations=place.destinations, caller=ANN)


def asked(**more: Any) -> RecallRequest:
    return recall_request({"terms": ["tokio"], **more})


def refused(**more: Any) -> InvalidArgument:
    with pytest.raises(InvalidArgument) as raised:
        asked(**more)
    return raised.value


@pytest.mark.parametrize(("vector", "place"), VECTORS)
def test_what_is_no_vector_is_refused_wherever_it_comes(call: Call, vector: Any, place: str) -> None:
    """L2, case E3: one broken row would top every list, one broken question would find nothing or everything."""
    assert refused(query_embedding=vector).field == f"query_embedding{place}"
    for tool, raw in ((VECTOR, {"capsule_id": "cap-1"}), (STORE, {"content": "x"})):
        with pytest.raises(InvalidArgument) as raised:
            tool.handle(call, {**raw, "embedding": vector})
        assert raised.value.field == f"embedding{place}"
        assert len(json.dumps(failure_of(raised.value).data)) < 500
        answer = tool.handle(call, {"items": [{**raw, "embedding": vector}]})
        assert answer["rejected"] == 1
        assert answer["results"][0]["error"].startswith(f"items[0].embedding{place}: ")


def test_what_json_cannot_say_comes_through_as_numbers_and_is_refused_by_its_place() -> None:
    """L2, case E3: many writers put NaN into what they call JSON."""
    for written in ("NaN", "Infinity", "-Infinity", "1e999"):
        raw = read_json('{"terms": ["tokio"], "query_embedding": [0.5, ' + written + "]}")
        with pytest.raises(InvalidArgument) as raised:
            recall_request(raw)
        assert raised.value.field == "query_embedding[1]"


def test_lanes_run_as_the_caller_chose_or_by_whether_an_embedding_came() -> None:
    """L1: auto is term without an embedding and fused with it."""
    east = [1, 0.0]
    for given_lane, lanes in (
        ({}, (Lane.TERM,)),
        ({"lane": "auto"}, (Lane.TERM,)),
        ({"query_embedding": east}, (Lane.TERM, Lane.VECTOR)),
        ({"query_embedding": east, "lane": "auto"}, (Lane.TERM, Lane.VECTOR)),
        ({"query_embedding": east, "lane": "fused"}, (Lane.TERM, Lane.VECTOR)),
        ({"query_embedding": east, "lane": "vector"}, (Lane.VECTOR,)),
        ({"query_embedding": east, "lane": "term"}, (Lane.TERM,)),
    ):
        assert asked(**given_lane).lanes == lanes
    assert asked(query_embedding=east).embedding == vector_of([1.0, 0.0])


@pytest.mark.parametrize("lane", ["vector", "fused"])
@pytest.mark.parametrize("given_embedding", [{}, {"query_embedding": None}], ids=["left out", "null"])
def test_a_lane_that_needs_an_embedding_is_refused_without(lane: str, given_embedding: dict[str, Any]) -> None:
    """L1: to run the term lane in its place would answer a question that nobody asked."""
    refusal = refused(lane=lane, **given_embedding)
    assert refusal.field == "query_embedding"
    assert lane in refusal.why
    assert "term" in refusal.expected


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    )
)
def test_the_term_lane_neither_reads_nor_judges_an_embedding(value: Any) -> None:
    """L1: whatever comes beside it, the term lane answers as it would without."""
    assert asked(lane="term", query_embedding=value) == asked(lane="term")


@pytest.mark.parametrize("name", ["query_embeding", "embedding", "vector"])
def test_a_misspelt_embedding_is_refused_in_every_lane(name: str) -> None:
    """L1: what is not read is refused by name, so that nobody believes it was."""
    assert refused(lane="term", **{name: [1.0]}).expected == "query_embedding instead"


def test_a_lane_that_is_none_is_refused_before_its_embedding() -> None:
    """L1: the closed set is told in the order of the contract."""
    refusal = refused(lane="hybrid", query_embedding=[0.5])
    assert refusal.field == "lane"
    assert all(lane in refusal.expected for lane in LaneChoice)


def test_a_recall_takes_ten_of_the_nearest_and_fuses_by_rank_unless_told_otherwise() -> None:
    """L4, L5, L16: the contract's own way is the default."""
    assert (asked().vector_k, asked().fusion) == (10, Fusion.RRF)
    assert asked(vector_k=1_000.0, fusion="convex", query_embedding=[1]).vector_k == limits.VECTOR_K
    assert asked(fusion="convex").fusion is Fusion.CONVEX
    schema = RETRIEVE.arguments.schema["properties"]
    assert (schema["vector_k"]["default"], schema["fusion"]["default"]) == (10, "rrf")


@pytest.mark.parametrize("lane", ["term", "auto"])
@pytest.mark.parametrize("value", [0, -1, 1_001, 1.5, "10", True, math.nan, [10]])
def test_a_vector_k_that_is_none_is_refused_in_every_lane(value: Any, lane: str) -> None:
    """L4: it is ignored where the vector lane does not run, and a mistake in it is a mistake all the same."""
    assert refused(lane=lane, vector_k=value).field == "vector_k"


@pytest.mark.parametrize("value", ["legacy", "RRF", "", 7, True])
def test_a_fusion_that_is_not_built_is_refused_with_those_that_are(value: Any) -> None:
    """L16: another way of fusing would be another ranking than was asked for."""
    refusal = refused(fusion=value)
    assert refusal.field == "fusion"
    assert all(fusion in refusal.expected for fusion in Fusion)


def test_no_vector_parameter_is_a_fence_that_the_answer_repeats() -> None:
    """O1: what is stated as the scope says what could be seen, not how it was looked for."""
    assert asked(query_embedding=[1], vector_k=3, fusion="convex", lane="fused").stated == ()


def test_a_bad_item_blocks_no_sibling_whatever_is_wrong_with_it(call: Call) -> None:
    """W1, W4: faults of shape and of meaning end alike, each at its place."""
    items: list[Any] = [
        {"capsule_id": "cap-1", "embedding": [1, 0]},
        {"capsule_id": "cap-2"},
        {"embedding": [1, 0]},
        {"capsule_id": "cap-2", "embedding": [1, 0], "modle": "x"},
        {"capsule_id": 2, "embedding": [1, 0]},
        {"capsule_id": "cap-2", "embedding": [1, 0], "model": "\ud83d"},
        "cap-2",
        None,
        {"capsule_id": "cap-9", "embedding": [1, 0]},
        {"capsule_id": "cap-2", "embedding": [1, 0, 0]},
        {"capsule_id": "cap-3", "embedding": [0, 1]},
    ]
    answer = VECTOR.handle(call, {"items": items})
    ends = [result["status"] for result in answer["results"]]
    assert ends == ["attached", *["rejected"] * (len(items) - 2), "attached"]
    assert (answer["attached"], answer["rejected"]) == (2, len(items) - 2)
    assert all(result["error"].encode() for result in answer["results"][1:-1])


def test_one_vector_is_refused_by_an_error_as_one_capsule_is(call: Call) -> None:
    """W4, W1: a client that looks for errors alone must not take a refusal for a success."""
    assert VECTOR.handle(call, {"capsule_id": "cap-1", "embedding": [1, 0], "model": "m"})["attached"] == 1
    with pytest.raises(InvalidArgument):
        VECTOR.handle(call, {"capsule_id": "cap-1", "embedding": [1, 0, 0]})
    with pytest.raises(MissingState):
        VECTOR.handle(call, {"capsule_id": "cap-9", "embedding": [1, 0]})


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ({}, "capsule_id"),
        ({"capsule_id": "cap-1"}, "embedding"),
        ({"capsule_id": "cap-1", "embedding": None}, "embedding"),
        ({"embedding": [1.0]}, "capsule_id"),
        ({"capsule_id": "cap-1", "embedding": [1.0], "model": ""}, "model"),
        ({"capsule_id": "cap-1", "embedding": [1.0], "model": "m" * (limits.MODEL + 1)}, "model"),
        ({"capsule_id": "cap-1", "embedding": [1.0], "space": "x"}, "space"),
        ({"capsule_id": "cap-1", "items": [{}]}, "capsule_id"),
        ({"model": "m", "items": [{}]}, "model"),
        ({"items": [{}] * (limits.VECTORS + 1)}, "items"),
    ],
)
def test_a_fault_of_the_whole_call_refuses_the_call(call: Call, raw: dict[str, Any], field: str) -> None:
    """W4: what concerns all items cannot be rejected for one of them, and what is missing is asked for by name."""
    with pytest.raises(InvalidArgument) as raised:
        VECTOR.handle(call, raw)
    assert raised.value.field == field


def test_nulls_beside_items_are_taken_as_left_out(call: Call) -> None:
    """W4: many hosts send null for what their model left out."""
    items = [{"capsule_id": "cap-1", "embedding": [1, 0], "model": None}]
    raw = {"capsule_id": None, "embedding": None, "model": None, "items": items}
    assert VECTOR.handle(call, raw)["attached"] == 1
