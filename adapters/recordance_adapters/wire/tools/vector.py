"""`memory_vector`: embeddings for capsules that are stored (W4)."""

from collections.abc import Mapping
from dataclasses import replace

from recordance.errors import InvalidArgument, Json
from recordance.usecases.embed import Attachment, attach, attach_one
from recordance_adapters.wire import limits
from recordance_adapters.wire.answers import ARRAY, COUNT, OBJECT, answer
from recordance_adapters.wire.declaration import Declaration, Parameter, Presence
from recordance_adapters.wire.failure import legible
from recordance_adapters.wire.kinds import echo, label, raw_array, text
from recordance_adapters.wire.places import DESTINATION, where
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet
from recordance_adapters.wire.vectors import vector

_ID = Parameter(name="capsule_id", kind=label(), presence=Presence.REQUIRED, example="cap-12", mistaken_for=("id",))
_VECTOR = Parameter(
    name="embedding",
    kind=vector(),
    presence=Presence.REQUIRED,
    example=[0.12, -0.5],
    mistaken_for=("vector", "values", "query_embedding"),
)
_MODEL = Parameter(name="model", kind=text(limits.MODEL), mistaken_for=("model_tag", "embedding_model"))
ITEM = Declaration((_ID, _VECTOR, _MODEL))
_BESIDE = ("items", DESTINATION.name)
# Published loosely and read strictly: capsule_id and embedding are required unless items are given.
ARGUMENTS = Declaration((
    *(replace(parameter, presence=Presence.OPTIONAL) for parameter in (_ID, _VECTOR)),
    replace(_MODEL, description="Its maker; once named, the only one."),
    Parameter(name="items", kind=raw_array(limits.VECTORS), description="Or many: {capsule_id, embedding, model}."),
    DESTINATION,
))  # fmt: skip


def _attachment(raw: Json, field: str) -> Attachment | InvalidArgument:
    try:
        return _read(raw, field)
    except InvalidArgument as refusal:
        return legible(refusal)


def _read(raw: Json, field: str = "") -> Attachment:
    given = ITEM.read(raw, field)
    return Attachment(given["capsule_id"], given["embedding"], given.get("model"))


def _handle(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    ARGUMENTS.check_names(raw)
    if raw.get("items") is None:
        one = _read({name: value for name, value in raw.items() if name not in _BESIDE})
        return attach_one(*where(call, ARGUMENTS.read(raw)), one)
    stray = next((name for name in raw if name not in _BESIDE and raw[name] is not None), None)
    if stray is not None:
        raise InvalidArgument(stray, echo(raw[stray]), "it inside each item", "beside items only destination is read")
    given = ARGUMENTS.read(raw)
    items = given["items"]
    return attach(*where(call, given), [_attachment(item, f"items[{place}]") for place, item in enumerate(items)])


VECTOR = Tool(
    name="memory_vector",
    title="Attach embeddings",
    description=(
        "Attach your own embedding to a capsule, in place of the one it has. All must have one dimension. "
        "A query_embedding finds it."
    ),
    effect=Effect.SETTLES,
    tool_set=ToolSet.CORE,
    arguments=ARGUMENTS,
    output=answer(
        {"results": ARRAY, "attached": COUNT, "unchanged": COUNT, "rejected": COUNT}, {"space": OBJECT, "spaces": ARRAY}
    ),
    handle=_handle,
)
