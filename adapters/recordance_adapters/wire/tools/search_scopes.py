"""`memory_search_scopes`: what search_scope and destination can name (D1, D2)."""

from collections.abc import Mapping

from recordance.errors import Json
from recordance.usecases.scopes import list_scopes
from recordance_adapters.wire.answers import ARRAY, OBJECT, answer
from recordance_adapters.wire.declaration import Declaration
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet

ARGUMENTS = Declaration(())


def _handle(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    ARGUMENTS.read(raw)
    return list_scopes(call.destinations, call.caller)


SEARCH_SCOPES = Tool(
    name="memory_search_scopes",
    title="List search scopes",
    description="List what search_scope and destination can name: destinations with their routing rules, and scopes.",
    effect=Effect.READS,
    tool_set=ToolSet.CORE,
    arguments=ARGUMENTS,
    output=answer({"destinations": ARRAY, "scopes": ARRAY, "default_search_scope": ARRAY, "means": OBJECT}),
    handle=_handle,
)
