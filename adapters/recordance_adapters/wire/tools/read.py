"""`memory_get` and `memory_list`: whole capsules by id, and short rows in append order (F6)."""

from collections.abc import Mapping

from recordance.domain.vocabulary import Kind as CapsuleKind
from recordance.errors import InvalidArgument, Json
from recordance.ports.truth import ListedState
from recordance.usecases.read import DEFAULT_LIST_LIMIT, MAX_LIST_LIMIT, ListQuery, get_capsules, list_capsules
from recordance_adapters.wire import limits
from recordance_adapters.wire.answers import COUNT, OBJECTS, TEXT, TEXTS, answer
from recordance_adapters.wire.declaration import Declaration, Parameter, Presence
from recordance_adapters.wire.fences import prefix
from recordance_adapters.wire.kinds import label, list_of, whole, word
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet

GET_ARGUMENTS = Declaration((
    Parameter(name="id", kind=label(), example="cap-12"),
    Parameter(name="ids", kind=list_of(label(), limits.IDS, 1), example=["cap-12", "cap-13"]),
))  # fmt: skip

LIST_ARGUMENTS = Declaration((
    Parameter(name="project_id", kind=label(), presence=Presence.FENCE),
    Parameter(name="project_prefix", kind=prefix(), description="A project and all below it.", presence=Presence.FENCE),
    Parameter(name="kind", kind=word(CapsuleKind), presence=Presence.FENCE),
    Parameter(
        name="state",
        kind=word(ListedState),
        description="live: may ground now; else the reason why it may not.",
        presence=Presence.FENCE,
    ),
    Parameter(name="limit", kind=whole(0, MAX_LIST_LIMIT), default=DEFAULT_LIST_LIMIT),
    Parameter(name="offset", kind=whole(0, limits.COUNT), default=0),
))  # fmt: skip


def _get(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    given = GET_ARGUMENTS.read(raw)
    if len(given) != 1:
        why = "both are given" if given else "no capsule is named"
        raise InvalidArgument("id", raw.get("id"), 'either id, such as "cap-12", or ids', why)
    ids = (given["id"],) if "id" in given else given["ids"]
    return get_capsules(call.destinations, call.caller, call.destination, ids)


def _list(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    return list_capsules(call.destinations, call.caller, call.destination, ListQuery(**LIST_ARGUMENTS.read(raw)))


GET = Tool(
    name="memory_get",
    title="Read whole capsules",
    description=(
        "Read capsules whole by id (cap-<n>): content, state, relations, reviews. A forgotten one shows its tombstone. Of"
        " several ids the unknown are listed under missing."
    ),
    effect=Effect.READS,
    tool_set=ToolSet.CORE,
    arguments=GET_ARGUMENTS,
    output=answer({"capsules": OBJECTS}, {"missing": TEXTS}),
    handle=_get,
)

LIST = Tool(
    name="memory_list",
    title="List capsules",
    description=("List capsules in the order in which they were stored, dead ones too, forgotten ones never."),
    effect=Effect.READS,
    tool_set=ToolSet.CORE,
    arguments=LIST_ARGUMENTS,
    output=answer({"framing": TEXT, "capsules": OBJECTS, "total": COUNT, "limit": COUNT, "offset": COUNT}),
    handle=_list,
)
