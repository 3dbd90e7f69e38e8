"""`memory_explain_search`: every stage of a recall in natural language, and why a capsule is not among its hits (L10)."""

from collections.abc import Mapping

from recordance.errors import Json
from recordance.usecases.explain import Explanation, explain
from recordance_adapters.wire.answers import ARRAY, COUNT, OBJECT, TEXT, answer
from recordance_adapters.wire.declaration import Declaration, Parameter
from recordance_adapters.wire.filters import FILTERS
from recordance_adapters.wire.kinds import label
from recordance_adapters.wire.pipeline import (
    DIVERSE,
    FUSION,
    LIMIT,
    QUERY,
    QUERY_EMBEDDING,
    RERANK,
    STAGES,
    named_fences,
    pipeline_query,
)
from recordance_adapters.wire.scopes import SEARCH_SCOPE, SEARCHED_DESTINATION
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet

ARGUMENTS = Declaration(
    (
        QUERY,
        Parameter(
            name="id",
            kind=label(),
            description="A capsule that you miss among the hits.",
            mistaken_for=("capsule_id", "memory_id", "expected_id"),
        ),
        LIMIT,
        STAGES,
        FUSION,
        RERANK,
        DIVERSE,
        QUERY_EMBEDDING,
        *FILTERS,
        SEARCH_SCOPE,
        SEARCHED_DESTINATION,
    )
)


def explanation(call: Call, raw: Mapping[str, Json]) -> Explanation:
    """Return what raw arguments ask to be explained; raises InvalidArgument."""
    given = ARGUMENTS.read(raw)
    query = pipeline_query(raw, given, call.destinations.pipeline)
    return Explanation(query=query, fences=named_fences(raw, given), id=given.get("id"))


def _handle(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    return explain(call.destinations, call.caller, explanation(call, raw))


EXPLAIN = Tool(
    name="memory_explain_search",
    title="Explain a recall",
    description=(
        "How memory_recall comes to its hits: for each stage whether it ran or why not, what it found with ranks and scores, and "
        "its time; then the table of the fusion with every factor of each score. With id also why that capsule is not found: "
        "unknown, forgotten, which fence or exclusion drops it, no match, or which rank it has."
    ),
    effect=Effect.READS,
    tool_set=ToolSet.PIPELINE,
    arguments=ARGUMENTS,
    output=answer(
        {"query": TEXT, "limit": COUNT, "fusion": TEXT, "hits": ARRAY},
        {"stages": ARRAY, "searched": ARRAY, "about": OBJECT, "scope": OBJECT},
    ),
    handle=_handle,
)
