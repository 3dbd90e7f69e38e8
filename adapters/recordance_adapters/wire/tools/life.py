"""`memory_update` and `memory_history`: a capsule's next revision, and all that ever was of it (W12, W13)."""

from collections.abc import Mapping

from recordance.errors import Json
from recordance.usecases.capsule_history import DEFAULT_ROWS, MOST_ROWS, HistoryQuery, capsule_history
from recordance.usecases.update import FIELD, Update, update
from recordance_adapters.wire import limits
from recordance_adapters.wire.answers import ARRAY, COUNT, TEXT, answer, words
from recordance_adapters.wire.change_fields import CHANGES, read_changes
from recordance_adapters.wire.declaration import Declaration, Parameter, Presence
from recordance_adapters.wire.kinds import Kind, label, whole
from recordance_adapters.wire.places import DESTINATION, where
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet

_ID = Parameter(
    name="id",
    kind=label(),
    presence=Presence.REQUIRED,
    example="cap-12",
    mistaken_for=("memory_id", "capsule_id", "record_id", "uuid"),
)
UPDATE_ARGUMENTS = Declaration((
    _ID,
    Parameter(
        name=FIELD,
        kind=Kind(CHANGES.schema, read_changes),
        description="As in memory_store; lists and metadata are replaced whole, null empties a field.",
        presence=Presence.REQUIRED,
        mistaken_for=("content", "fields", "memory"),
    ),
    Parameter(
        name="expected_revision",
        kind=whole(1, limits.COUNT),
        description="The revision that you saw; another is refused.",
        mistaken_for=("revision", "version"),
    ),
    DESTINATION,
))  # fmt: skip

HISTORY_ARGUMENTS = Declaration((
    _ID,
    Parameter(name="limit", kind=whole(0, MOST_ROWS), default=DEFAULT_ROWS),
    Parameter(name="offset", kind=whole(0, limits.COUNT), default=0),
    DESTINATION,
))  # fmt: skip


def _update(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    given = UPDATE_ARGUMENTS.read(raw)
    return update(*where(call, given), Update(**given))


def _history(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    given = HISTORY_ARGUMENTS.read(raw)
    return capsule_history(*where(call, given), HistoryQuery(**given))


UPDATE = Tool(
    name="memory_update",
    title="Update a capsule",
    description=(
        "Make a capsule's next revision; the ones before stay in its history. For a value that took another's place, store the"
        " new one with supersedes instead. Embeddings of other words are dropped."
    ),
    effect=Effect.SETTLES,
    tool_set=ToolSet.LIFE,
    arguments=UPDATE_ARGUMENTS,
    output=answer(
        {"id": TEXT, "status": words("updated", "unchanged"), "revision": COUNT, "state": TEXT},
        {"taint_findings": ARRAY, "embeddings_dropped": ARRAY, "lesson": TEXT},
    ),
    handle=_update,
)

HISTORY = Tool(
    name="memory_history",
    title="Read a capsule's history",
    description="Who did what to a capsule and when, oldest first, with the text of each revision; of a forgotten one no text.",
    effect=Effect.READS,
    tool_set=ToolSet.LIFE,
    arguments=HISTORY_ARGUMENTS,
    output=answer(
        {"id": TEXT, "label": TEXT, "framing": TEXT, "state": TEXT, "revision": COUNT, "rows": ARRAY, "total": COUNT},
        {"limit": COUNT, "offset": COUNT},
    ),
    handle=_history,
)
