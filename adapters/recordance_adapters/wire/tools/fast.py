"""`memory_search_fast`: a question's words and its meaning, nothing else (L10)."""

from collections.abc import Mapping
from dataclasses import replace

from recordance.errors import Json
from recordance.query.pipeline import FAST_STAGES
from recordance.usecases.quick_search import search_quickly
from recordance_adapters.wire.answers import ARRAY, COUNT, FLAG, OBJECT, TEXT, answer
from recordance_adapters.wire.declaration import Declaration
from recordance_adapters.wire.filters import FILTERS
from recordance_adapters.wire.pipeline import DEFAULT_LIMIT, FUSION, LIMIT, QUERY, QUERY_EMBEDDING, pipeline_query
from recordance_adapters.wire.scopes import SEARCH_SCOPE, SEARCHED_DESTINATION
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet

ARGUMENTS = Declaration((QUERY, LIMIT, FUSION, QUERY_EMBEDDING, *FILTERS, SEARCH_SCOPE, SEARCHED_DESTINATION))


def _handle(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    given = ARGUMENTS.read(raw)
    query = replace(pipeline_query(raw, given, call.destinations.pipeline), stages=FAST_STAGES)
    return search_quickly(call.destinations, call.caller, query, given.get("limit", DEFAULT_LIMIT))


FAST = Tool(
    name="memory_search_fast",
    title="Search the quick way",
    description=(
        "The first two stages of memory_recall alone: the words of your question, and what is near its embedding, fused by rank. "
        "No near spellings, no graph, no model that rereads."
    ),
    effect=Effect.READS,
    tool_set=ToolSet.PIPELINE,
    arguments=ARGUMENTS,
    output=answer(
        {
            "results": ARRAY,
            "query": TEXT,
            "requested_limit": COUNT,
            "effective_limit": COUNT,
            "limit_clamped": FLAG,
            "result_count": COUNT,
        },
        {"skipped": ARRAY, "excluded": OBJECT, "reason": TEXT, "searched": ARRAY, "scope": OBJECT},
    ),
    handle=_handle,
)
