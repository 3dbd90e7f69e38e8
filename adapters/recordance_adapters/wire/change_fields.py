"""The fields of a capsule that may change, as a caller writes them, and the changes that they make (W13, W14)."""

from collections.abc import Mapping
from dataclasses import replace

from recordance.domain.draft import DEFAULT_SOURCE
from recordance.domain.revision import REVISED_LABELS, CapsuleChanges
from recordance.errors import InvalidArgument, Json
from recordance_adapters.wire.capsule_fields import CAPSULE_PARAMETERS, anchors_of, event_of
from recordance_adapters.wire.declaration import Declaration, Presence, Values

_SAID = ("content", "headline", "source", "proof_hint", "stale_if", "signature", "tags", "topics", "entities", "metadata")
_WEIGHED = ("confidence", "importance")
_ANCHORED = ("anchor", "anchors")
_EVENT = ("event_at", "event_from", "event_to")
_EMPTIED = {
    "headline": None, "source": DEFAULT_SOURCE, "proof_hint": None, "stale_if": None, "signature": None,
    "tags": (), "topics": (), "entities": (), "metadata": (),
}  # fmt: skip
"""What a null makes of a field that may be empty."""
_LABELS = {field.value: field for field in REVISED_LABELS}
_NAMES = {*_SAID, *_WEIGHED, *_ANCHORED, *_EVENT, *_LABELS}

CHANGES = Declaration(
    tuple(
        replace(parameter, presence=Presence.OPTIONAL, default=None, description="")
        for parameter in CAPSULE_PARAMETERS
        if parameter.name in _NAMES
    )
)
"""Everything of a capsule that `memory_update` can change; the rest says where it lies, who wrote it and when it holds."""


def read_changes(raw: Json, field: str) -> CapsuleChanges:
    """Return the changes that raw fields make; a null empties its field. Raises InvalidArgument below `field`."""
    given = CHANGES.read(raw, field)
    if not raw:
        raise InvalidArgument(field, raw, 'at least one field, such as {"content": "…"}', "nothing would change")
    cleared = [name for name in CHANGES.schema["properties"] if name in raw and raw[name] is None]
    try:
        return _changes(raw, given, cleared)
    except InvalidArgument as refusal:
        raise refusal.under(field) from None


def _changes(raw: Mapping[str, Json], given: Values, cleared: list[str]) -> CapsuleChanges:
    for name in ("content", *_WEIGHED):
        if name in cleared:
            raise InvalidArgument(name, None, "its new value, or leave it out", "no capsule is without it")
    said = {name: given[name] for name in _SAID if name in given}
    said |= {name: _EMPTIED[name] for name in cleared if name in _EMPTIED}
    weighed = {name: given[name] for name in _WEIGHED if name in given}
    if any(name in given or name in cleared for name in _ANCHORED):
        said["anchors"] = anchors_of(raw, given)
    if any(name in given or name in cleared for name in _EVENT):
        weighed["event"] = event_of(raw, given)
    labels = {field: str(given[name]) for name, field in _LABELS.items() if name in given}
    emptied = {field: None for name, field in _LABELS.items() if name in cleared}
    return CapsuleChanges(said=said, labels={**labels, **emptied}, weighed=weighed)
