"""`memory_store`: one capsule or a batch of them, where a faulty item never blocks its siblings (W1)."""

import hashlib
import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from recordance.domain.draft import CapsuleDraft
from recordance.errors import InvalidArgument, Json
from recordance.usecases.follow import Progress
from recordance.usecases.remember import Idempotency, remember, remember_one
from recordance_adapters.wire import limits
from recordance_adapters.wire.answers import ARRAY, COUNT, TEXT, answer
from recordance_adapters.wire.capsule_fields import CAPSULE_PARAMETERS, read_draft
from recordance_adapters.wire.declaration import Declaration, Parameter, Presence, Values
from recordance_adapters.wire.failure import legible
from recordance_adapters.wire.kinds import echo, raw_array, text
from recordance_adapters.wire.places import DESTINATION, where
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet, unheard

_CONTENT, *_OTHERS = CAPSULE_PARAMETERS
_BATCH = (
    Parameter(name="items", kind=raw_array(limits.ITEMS), description="Or many: objects with these fields."),
    Parameter(
        name="idempotency_key",
        kind=text(limits.IDEMPOTENCY_KEY),
        description="Same key and items: the first answer again, for 7 days.",
    ),
)
ARGUMENTS = Declaration((replace(_CONTENT, presence=Presence.OPTIONAL), *_OTHERS, *_BATCH))
_BESIDE_ITEMS = Declaration((*_BATCH, DESTINATION))
_BESIDE_NAMES = tuple(parameter.name for parameter in _BATCH)

OUTPUT = answer({"results": ARRAY, "captured": COUNT, "deduplicated": COUNT, "rejected": COUNT}, {"similar_skipped": TEXT})


def single(raw: Mapping[str, Json], project: str | None) -> CapsuleDraft:
    """Return the draft of the one capsule that raw arguments give; raises InvalidArgument for its fault, and for the call's."""
    beside(raw)
    return read_draft(_fields(raw), project)


def batch(raw: Mapping[str, Json], project: str | None, progress: Progress = unheard) -> Sequence[CapsuleDraft | InvalidArgument]:
    """Return the drafts that the items of raw arguments make; a faulty item is its refusal, at its place.

    Reading them is the first half of the work that `progress` hears of. Raises InvalidArgument for what concerns the call as a
    whole.
    """
    items = beside(raw)["items"]
    stray = next((name for name in _fields(raw) if name != DESTINATION.name), None)
    if stray is not None:
        why = "beside items only destination and idempotency_key are read"
        raise InvalidArgument(stray, echo(raw[stray]), "it inside each item", why)
    return list(_each(items, project, progress))


def beside(raw: Mapping[str, Json]) -> Values:
    """Return what raw arguments give that may stand beside items; raises InvalidArgument for unknown names too."""
    ARGUMENTS.check_names(raw)
    return _BESIDE_ITEMS.read({name: raw[name] for name in (*_BESIDE_NAMES, DESTINATION.name) if name in raw})


def idempotency(raw: Mapping[str, Json]) -> Idempotency | None:
    """Return the key of a write with what it was given for; equal items have equal digests, whatever their order of names."""
    key = raw.get("idempotency_key")
    if key is None:
        return None
    beside_all = {name: raw[name] for name in (DESTINATION.name,) if raw.get("items") and raw.get(name)}
    items = [*raw["items"], *([beside_all] if beside_all else [])] if raw.get("items") else [_fields(raw)]
    written = json.dumps(list(map(_with_packed_embedding, items)), sort_keys=True, separators=(",", ":"))
    return Idempotency(key, hashlib.sha256(written.encode()).hexdigest())


def _with_packed_embedding(item: Json) -> Json:
    """Return an item with its numbers as bytes: to write hundreds of them as text takes longer than to store them."""
    numbers = item.get("embedding") if isinstance(item, dict) else None
    if not isinstance(numbers, list) or not set(map(type, numbers)) <= {int, float}:
        return item
    try:
        return {**item, "embedding": array("d", numbers).tobytes().hex()}
    except OverflowError:  # a whole number beyond double precision: its item is refused
        return item


def _fields(raw: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in raw.items() if name not in _BESIDE_NAMES}


def _each(items: Sequence[Json], project: str | None, progress: Progress) -> Iterator[CapsuleDraft | InvalidArgument]:
    for place, item in enumerate(items):
        yield _item(item, project, f"items[{place}]")
        progress(place + 1, 2 * len(items))


def _item(item: Json, project: str | None, field: str) -> CapsuleDraft | InvalidArgument:
    try:
        _check_place(item, field)
        return read_draft(item, project, field)
    except InvalidArgument as refusal:
        return legible(refusal)


def _check_place(item: Json, field: str) -> None:
    """Refuse inside an item what is read beside items alone; the nearest field of a capsule would be no help."""
    for name in _BESIDE_NAMES:
        if isinstance(item, dict) and name in item:
            why = "it holds for the whole call, and no item has one of its own"
            raise InvalidArgument(f"{field}.{name}", echo(item[name]), "it beside items", why)


def _handle(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    if raw.get("items") is None:
        return remember_one(*where(call, {}), single(raw, call.project), idempotency(raw))
    items = batch(raw, call.project, call.progress)
    answer = remember(*where(call, beside(raw)), items, idempotency(raw))
    call.progress(2 * len(items), 2 * len(items))
    return answer


STORE = Tool(
    name="memory_store",
    title="Store capsules",
    description=(
        "Remember one statement, or many as items. Equal content is deduplicated; a new value under a key, or supersedes,"
        " retires the old one at once. Each result is captured, deduplicated or rejected, and may"
        " list similar capsules and taint_findings: text shaped like an instruction is flagged or quarantined."
    ),
    effect=Effect.SETTLES,
    tool_set=ToolSet.CORE,
    arguments=ARGUMENTS,
    output=OUTPUT,
    handle=_handle,
)
