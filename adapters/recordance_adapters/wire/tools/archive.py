"""`memory_archive`: putting a capsule away, and taking it back (W7)."""

from collections.abc import Mapping
from enum import StrEnum

from recordance.errors import Json
from recordance.usecases.archive import archive, restore
from recordance_adapters.wire import limits
from recordance_adapters.wire.answers import TEXT, answer, words
from recordance_adapters.wire.declaration import Declaration, Parameter, Presence
from recordance_adapters.wire.kinds import label, text, word
from recordance_adapters.wire.places import DESTINATION, where
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet


class Action(StrEnum):
    """Which way a capsule goes."""

    ARCHIVE = "archive"
    RESTORE = "restore"


ARGUMENTS = Declaration((
    Parameter(name="id", kind=label(), presence=Presence.REQUIRED, example="cap-12"),
    Parameter(name="action", kind=word(Action), default=Action.ARCHIVE.value, mistaken_for=("restore", "archive")),
    Parameter(name="reason", kind=text(limits.NOTE), description="Kept in its history."),
    DESTINATION,
))  # fmt: skip


def _handle(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    given = ARGUMENTS.read(raw)
    place = where(call, given)
    match given.get("action", Action.ARCHIVE):
        case Action.RESTORE:
            return restore(*place, given["id"], given.get("reason"))
        case _:
            return archive(*place, given["id"], given.get("reason"))


ARCHIVE = Tool(
    name="memory_archive",
    title="Archive or restore",
    description="Put a capsule away: it no longer grounds and is counted as archived, but stays readable; or take it back.",
    effect=Effect.SETTLES,
    tool_set=ToolSet.LIFE,
    arguments=ARGUMENTS,
    output=answer({"id": TEXT, "status": words("archived", "already", "restored"), "state": TEXT}),
    handle=_handle,
)
