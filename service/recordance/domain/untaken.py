"""What a caller gave with a content that is stored already, and the stored capsule does not bear (W1)."""

from collections.abc import Iterable, Iterator

from recordance.domain.capsule import Capsule, CapsuleText
from recordance.domain.draft import (
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    DEFAULT_SOURCE,
    DEFAULT_VALUE,
    CapsuleDraft,
    Staging,
)
from recordance.domain.embedding import Vector
from recordance.domain.validity import EventRange


def untaken(draft: CapsuleDraft, capsule: Capsule, text: CapsuleText, vector: Vector | None) -> tuple[str, ...]:
    """Return the names of the draft's fields whose given values are not those of the capsule with equal content.

    A value that is its field's default counts as not given. Of several (tags, anchors, metadata …) each must be there; what the
    capsule has beside them does not matter. `vector` is the capsule's; where it has none, the draft's is taken (W4).
    """
    fields = (*_labels(draft, capsule), *_texts(draft, text), *_weights(draft, capsule), *_times(draft, capsule))
    return fields if draft.embedding is None or vector in (None, draft.embedding) else (*fields, "embedding")


def _labels(draft: CapsuleDraft, capsule: Capsule) -> Iterator[str]:
    yield from sorted(field.value for field, label in draft.labels.items() if capsule.labels.get(field) != label)
    if draft.staging is Staging.STAGED and capsule.standing.review is None:
        yield "staged"


def _texts(draft: CapsuleDraft, text: CapsuleText) -> Iterator[str]:
    for name, given, kept in (
        ("headline", draft.headline, text.headline),
        ("source", None if draft.source == DEFAULT_SOURCE else draft.source, text.source),
        ("proof_hint", draft.proof_hint, text.proof_hint),
        ("stale_if", draft.stale_if, text.stale_if),
        ("signature", draft.signature, text.signature),
    ):
        if given not in (None, kept):
            yield name
    for name, several, had in _several(draft, text):
        if not set(several) <= set(had):
            yield name


def _several(draft: CapsuleDraft, text: CapsuleText) -> Iterator[tuple[str, Iterable[object], Iterable[object]]]:
    yield "tags", draft.tags, text.tags
    yield "topics", draft.topics, text.topics
    yield "entities", draft.entities, text.entities
    yield "metadata", draft.metadata, text.metadata
    yield "anchors", (anchor.text for anchor in draft.anchors), (anchor.text for anchor in text.anchors)


def _weights(draft: CapsuleDraft, capsule: Capsule) -> Iterator[str]:
    for name, given, default, kept in (
        ("confidence", draft.confidence, DEFAULT_CONFIDENCE, capsule.confidence),
        ("importance", draft.importance, DEFAULT_IMPORTANCE, capsule.importance),
        ("value", draft.value, DEFAULT_VALUE, capsule.value),
    ):
        if given not in (default, kept):
            yield name


def _times(draft: CapsuleDraft, capsule: Capsule) -> Iterator[str]:
    if draft.valid_from not in (None, capsule.validity.valid_from):
        yield "valid_from"
    if draft.valid_to not in (None, capsule.validity.valid_to):
        yield "valid_to"
    if draft.event is not None and draft.event != capsule.event:
        yield from _event(draft.event)


def _event(event: EventRange) -> Iterator[str]:
    """Return the fields in which an event is given: a moment in one, a range in two."""
    yield from ("event_at",) if event.event_from == event.event_to else ("event_from", "event_to")
