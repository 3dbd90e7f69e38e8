"""`memory_get` and `memory_list`: whole capsules by id, and short rows in append order (F6)."""

from collections.abc import Mapping

from recordance.domain.vocabulary import Kind as CapsuleKind
from recordance.errors import InvalidArgument, Json
from recordance.ports.truth import ListedState
from recordance.usecases.read import DEFAULT_LIST_LIMIT, MAX_LIST_LIMIT, ListQuery, get_capsules, list_capsules
from recordance_adapters.wire import limits
from recordance_adapters.wire.answers import ARRAY, COUNT, TEXT, answer
from recordance_adapters.wire.declaration import Declaration, Parameter, Presence
from recordance_adapters.wire.fences import prefix
from recordance_adapters.wire.kinds import as_text, label, list_of, whole, word
from recordance_adapters.wire.places import DESTINATION, where
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet

GET_ARGUMENTS = Declaration((
    Parameter(name="id", kind=label(), example="cap-12"),
    Parameter(name="ids", kind=list_of(label(), limits.IDS, 1), example=["cap-12", "cap-13"]),
    DESTINATION,
))  # fmt: skip

LIST_ARGUMENTS = Declaration((
    Parameter(name="project_id", kind=label(), presence=Presence.FENCE),
    Parameter(name="project_prefix", kind=prefix(), description="A project and all below it.", presence=Presence.FENCE),
    Parameter(name="kind", kind=as_text(word(CapsuleKind)), description="As in memory_store.", presence=Presence.FENCE),
    Parameter(
        name="state",
        kind=word(ListedState),
        description="live, or the reason why it may not ground.",
        presence=Presence.FENCE,
    ),
    Parameter(name="limit", kind=whole(0, MAX_LIST_LIMIT), default=DEFAULT_LIST_LIMIT),
    Parameter(name="offset", kind=whole(0, limits.COUNT), default=0),
    DESTINATION,
))  # fmt: skip


def _get(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    given = GET_ARGUMENTS.read(raw)
    place = where(call, given)
    if len(given) != 1:
        why = "both are given" if given else "no capsule is named"
        raise InvalidArgument("id", raw.get("id"), 'either id, such as "cap-12", or ids', why)
    ids = (given["id"],) if "id" in given else given["ids"]
    return get_capsules(*place, ids)


def _list(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    given = LIST_ARGUMENTS.read(raw)
    return list_capsules(*where(call, given), ListQuery(**given))


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
    output=answer({"capsules": ARRAY}, {"missing": ARRAY, "failed": ARRAY}),
    handle=_get,
)

LIST = Tool(
    name="memory_list",
    title="List capsules",
    description=("List capsules in the order in which they were stored, dead ones too, forgotten ones never."),
    effect=Effect.READS,
    tool_set=ToolSet.CORE,
    arguments=LIST_ARGUMENTS,
    output=answer({"framing": TEXT, "capsules": ARRAY, "total": COUNT, "limit": COUNT, "offset": COUNT}),
    handle=_list,
)
