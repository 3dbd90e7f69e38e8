"""`memory_misses`: what was asked for and never found (T8)."""

from collections.abc import Mapping

from recordance.errors import InvalidArgument, Json
from recordance.usecases.misses import clear_misses, list_misses
from recordance_adapters.wire import limits
from recordance_adapters.wire.answers import ARRAY, COUNT, answer
from recordance_adapters.wire.declaration import Declaration, Parameter
from recordance_adapters.wire.kinds import flag, whole
from recordance_adapters.wire.places import DESTINATION, where
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet

ARGUMENTS = Declaration((
    Parameter(name="limit", kind=whole(1, limits.MISSES), default=limits.DEFAULT_MISSES),
    Parameter(name="clear", kind=flag(), description="Instead: empty the ledger."),
    DESTINATION,
))  # fmt: skip


def _handle(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    given = ARGUMENTS.read(raw)
    place = where(call, given)
    if not given.get("clear"):
        return list_misses(*place, given.get("limit", limits.DEFAULT_MISSES))
    if "limit" in given:
        raise InvalidArgument("limit", raw["limit"], "either limit or clear: true", "the ledger is cleared as a whole")
    return clear_misses(*place)


MISSES = Tool(
    name="memory_misses",
    title="Read the miss ledger",
    description=(
        "Terms that recalls asked for and never found, most asked first. Teach them with memory_alias, or store what is missing."
    ),
    effect=Effect.REMOVES,
    tool_set=ToolSet.CORE,
    arguments=ARGUMENTS,
    output=answer({}, {"misses": ARRAY, "cleared": COUNT}),
    handle=_handle,
)
