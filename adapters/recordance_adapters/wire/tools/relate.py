"""`memory_relate`: typed, directed relations between capsules, and taking one back (W3)."""

from collections.abc import Mapping
from dataclasses import replace

from recordance.domain.relation import RelationKind
from recordance.errors import InvalidArgument, Json
from recordance.usecases.relate import relate, unrelate
from recordance_adapters.wire.answers import TEXT, answer
from recordance_adapters.wire.declaration import Declaration, Parameter, Presence, named_object_of
from recordance_adapters.wire.kinds import echo, label, word
from recordance_adapters.wire.places import DESTINATION, where
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet

_NAMED = (
    Parameter(name="kind", kind=word(RelationKind), example="supersedes", mistaken_for=("relation", "relation_type", "type")),
    Parameter(name="from", kind=label(), example="cap-12", mistaken_for=("source", "from_id")),
    Parameter(name="to", kind=label(), example="cap-3", mistaken_for=("target", "to_id")),
)
RELATION = Declaration(tuple(replace(parameter, presence=Presence.REQUIRED) for parameter in _NAMED))
_REMOVE = Parameter(name="remove", kind=named_object_of(RELATION), description="Instead: {kind, from, to} to take back.")
_PLACE = Declaration((DESTINATION,))
_BESIDE = (DESTINATION.name,)
# Published loosely and read strictly: kind, from and to are required unless something is removed.
ARGUMENTS = Declaration((*_NAMED, _REMOVE, DESTINATION))


def _handle(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    ARGUMENTS.check_names(raw)
    place = where(call, _PLACE.read({name: raw[name] for name in raw if name in _BESIDE}))
    relation = {name: value for name, value in raw.items() if name not in _BESIDE}
    if raw.get("remove") is None:
        given, change = RELATION.read({name: value for name, value in relation.items() if name != "remove"}), relate
    else:
        given, change = _alone(relation), unrelate
    return change(*place, given["kind"], given["from"], given["to"])


def _alone(raw: Mapping[str, Json]) -> dict[str, Json]:
    stray = next((name for name in raw if name != "remove"), None)
    if stray is not None:
        raise InvalidArgument(stray, echo(raw[stray]), "either a relation or remove", "both are given")
    return RELATION.read(raw["remove"], "remove")


RELATE = Tool(
    name="memory_relate",
    title="Relate capsules",
    description=(
        "Say what one capsule is to another, read from → to: supersedes and falsifies retire the target at once, part_of "
        "makes it a member of an epic."
    ),
    effect=Effect.REMOVES,
    tool_set=ToolSet.CORE,
    arguments=ARGUMENTS,
    output=answer({"status": TEXT, "kind": TEXT, "from": TEXT, "to": TEXT}, {"to_state": TEXT}),
    handle=_handle,
)
