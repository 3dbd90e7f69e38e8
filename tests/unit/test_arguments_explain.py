"""What `memory_explain_search` takes, and that it answers over the wire's own shapes (L10, L11, L16, F9)."""

from typing import Any

import pytest

from recordance.errors import InvalidArgument
from recordance.query.pipeline import DEFAULT_STAGES, FAST_STAGES, PipelineDefaults, PipelineFusion, RecallMode, Stage
from recordance.usecases.store import Destinations
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.explain import EXPLAIN, explanation
from support.stores import ANN, bench

BENCH = bench()
CALL = Call(destinations=BENCH.destinations, caller=ANN)


def read(**raw: Any) -> Any:
    """Return the query that raw arguments ask."""
    return explanation(CALL, {"query": "which tokio", **raw}).query


def test_what_is_left_out_is_the_configured_default() -> None:
    """L10, L16: all finding stages, no reranker, no diversity, ten hits, and scores between 0 and 1."""
    query = read()
    assert query.stages == DEFAULT_STAGES
    assert query.wanted == 10
    assert query.tuning.fusion is PipelineFusion.CONVEX
    assert [term.key for term in query.terms] == ["which", "tokio"]


def test_stages_can_be_named_and_added_to() -> None:
    """L10, L11: the named ones run and no others; rerank and diverse add theirs."""
    assert read(stages=["term", "graph"]).stages == {Stage.TERM, Stage.GRAPH}
    assert read(rerank=True, diverse=True).stages == DEFAULT_STAGES | {Stage.RERANK, Stage.MMR}
    assert read(rerank=False).stages == DEFAULT_STAGES


def test_a_fast_configuration_runs_words_and_vectors_alone() -> None:
    """L10: recall_mode = fast makes every recall a fast one that does not name its stages."""
    fast = Destinations({"main": BENCH.store}, pipeline=PipelineDefaults(mode=RecallMode.FAST))
    call = Call(destinations=fast, caller=ANN)
    assert explanation(call, {"query": "tokio"}).query.stages == FAST_STAGES
    assert explanation(call, {"query": "tokio", "stages": ["fuzzy"]}).query.stages == {Stage.FUZZY}


@pytest.mark.parametrize(
    ("field", "raw"),
    [
        ("query", {"query": "…"}),
        ("stages[0]", {"query": "tokio", "stages": ["words"]}),
        ("stages", {"query": "tokio", "stages": []}),
        ("fusion", {"query": "tokio", "fusion": "sum"}),
        ("limit", {"query": "tokio", "limit": 0}),
        ("destination", {"query": "tokio", "destination": "main", "search_scope": "all"}),
    ],
)
def test_what_cannot_be_served_is_refused_by_name(field: str, raw: dict[str, Any]) -> None:
    """L10: an unknown stage, none at all, an unknown fusion, or a scope that is named twice."""
    with pytest.raises(InvalidArgument) as refused:
        explanation(CALL, raw)
    assert refused.value.field == field


def test_a_limit_above_the_most_is_served_as_the_most() -> None:
    """L10: fifty hits are the most."""
    assert read(limit=5_000).wanted == 50


def test_each_filter_of_the_caller_is_named_by_itself() -> None:
    """L10, F9: so that the one that drops a capsule can be told as it was written; a type of all fences nothing."""
    asked = explanation(CALL, {"query": "tokio", "project": "a", "since": "2026-01-01", "type": "all"})
    assert [(fence.name, fence.value, len(fence.fences)) for fence in asked.fences] == [
        ("project", "a", 1),
        ("since", "2026-01-01", 1),
    ]


def test_the_tool_answers_with_its_stages_and_what_became_of_a_capsule() -> None:
    """L10: the tool is one that reads, and its answer has what its schema says."""
    BENCH.learn("pin tokio at 1.38", project_id="a")
    BENCH.learn("pin tokio in b", project_id="b")
    answer: Any = EXPLAIN.handle(CALL, {"query": "which tokio", "project": "a", "id": "cap-2"})
    assert [hit["id"] for hit in answer["hits"]] == ["cap-1"]
    assert answer["about"] == {"id": "cap-2", "fate": "fenced_out", "why": 'project "a" does not admit it'}
    assert answer["scope"] == {"project": "a"}
    assert [each["state"] for each in answer["stages"]] == ["ran", "skipped", "ran", "ran", "off", "off"]
    assert EXPLAIN.annotations["readOnlyHint"] is True
