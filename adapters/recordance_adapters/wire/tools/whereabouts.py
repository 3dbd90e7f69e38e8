"""`where_am_i` and `projects`: which store and scope this is, and which projects there are (W11, F10)."""

from collections.abc import Mapping

from recordance.errors import Json
from recordance.usecases.whereabouts import list_projects, where_am_i
from recordance_adapters.wire.answers import ARRAY, OBJECT, TEXT, answer
from recordance_adapters.wire.declaration import Declaration
from recordance_adapters.wire.scopes import SEARCH_SCOPE, searched
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet

NO_ARGUMENTS = Declaration(())
OF_A_SCOPE = Declaration((SEARCH_SCOPE,))


def _where(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    NO_ARGUMENTS.read(raw)
    return where_am_i(call.destinations, call.caller, call.started)


def _projects(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    return list_projects(call.destinations, call.caller, searched(OF_A_SCOPE.read(raw)))


WHERE_AM_I = Tool(
    name="where_am_i",
    title="Say where I am",
    description="Say which store, destinations, project scope and actor your calls have here, with counts.",
    effect=Effect.READS,
    tool_set=ToolSet.RECALL,
    arguments=NO_ARGUMENTS,
    output=answer(
        {
            "store": TEXT,
            "scope": TEXT,
            "actor": TEXT,
            "stores": ARRAY,
            "destinations": ARRAY,
            "search_scopes": ARRAY,
            "default_search_scope": ARRAY,
            "may": ARRAY,
        },
        {"project": TEXT, "trusted": OBJECT, "tool_sets": ARRAY},
    ),
    handle=_where,
)

PROJECTS = Tool(
    name="projects",
    title="List projects",
    description="List the projects that capsules bear, with how many and when the last was captured; the unstamped come first.",
    effect=Effect.READS,
    tool_set=ToolSet.RECALL,
    arguments=OF_A_SCOPE,
    output=answer({"projects": ARRAY}, {"failed": ARRAY}),
    handle=_projects,
)
