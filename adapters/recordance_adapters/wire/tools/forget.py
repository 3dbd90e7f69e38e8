"""`memory_forget`: a capsule's content goes for good, and a receipt says from where (W6)."""

from collections.abc import Mapping

from recordance.errors import Json
from recordance.usecases.forget import forget
from recordance_adapters.wire import limits
from recordance_adapters.wire.answers import ARRAY, FLAG, TEXT, answer
from recordance_adapters.wire.declaration import Declaration, Parameter, Presence
from recordance_adapters.wire.kinds import label, text
from recordance_adapters.wire.places import DESTINATION, where
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet

ARGUMENTS = Declaration((
    Parameter(name="id", kind=label(), presence=Presence.REQUIRED, example="cap-12", mistaken_for=("capsule_id", "ids")),
    Parameter(name="reason", kind=text(limits.NOTE), description="Kept; must not repeat the content."),
    DESTINATION,
))  # fmt: skip


def _handle(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    given = ARGUMENTS.read(raw)
    return forget(*where(call, given), given["id"], given.get("reason"))


FORGET = Tool(
    name="memory_forget",
    title="Forget",
    description=(
        "Erase a capsule's content everywhere in the store, for good; equal content is refused from then on. Pending "
        "places follow: ask again."
    ),
    effect=Effect.REMOVES,
    tool_set=ToolSet.CORE,
    arguments=ARGUMENTS,
    output=answer(
        {"id": TEXT, "forgotten_at": TEXT, "places": ARRAY, "receipt": TEXT}, {"already": FLAG, "equal": ARRAY, "unread": ARRAY}
    ),
    handle=_handle,
)
