"""Capsules as they are shown outside a recall: whole by id, and as rows of a list (O4, F6, case K1)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recordance.answer.envelope import FRAMING, LABEL, corroboration_view
from recordance.answer.state import state_of
from recordance.domain.capsule import Capsule, CapsuleText, LabelField, Tombstone
from recordance.domain.destination import Naming
from recordance.domain.embedding import Vector
from recordance.domain.identity import source_digest
from recordance.domain.instant import Instant, format_instant
from recordance.domain.relation import Relation
from recordance.domain.review import Corroboration, ReviewEvent
from recordance.errors import Json
from recordance.query.exclusion import Eligibility

_ROW_LABELS = (LabelField.KIND, LabelField.PROJECT, LabelField.SESSION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """Everything about one capsule that its reader may see.

    `text` is None and `tombstone` set once it was forgotten; `superseded_by`, `outgoing` and `incoming` name no capsule outside
    the reader's fence (F13).
    """

    capsule: Capsule
    text: CapsuleText | None
    superseded_by: int | None
    outgoing: Sequence[Relation]
    incoming: Sequence[Relation]
    reviews: Sequence[ReviewEvent]
    corroboration: Corroboration | None
    tombstone: Tombstone | None
    vector: Vector | None = None


def whole_capsule(whole: Whole, naming: Naming, now: Eligibility) -> dict[str, Json]:
    """Return the capsule as a wire object; fields in a fixed order, absent where they do not apply."""
    return {name: value for name, value in _fields(whole, naming, now) if value is not None and value != []}


def listed_row(capsule: Capsule, text: CapsuleText, naming: Naming, now: Eligibility) -> dict[str, Json]:
    """Return a row of a list: enough to know which capsule it is, and whether it may ground."""
    fields: dict[str, Json] = {
        "id": naming.id(capsule.number),
        "headline": text.headline,
        "instruction_taint": bool(capsule.taint),
        **{field.value: capsule.labels.get(field) for field in _ROW_LABELS},
        "state": state_of(capsule, now),
        "captured_at": format_instant(capsule.captured_at),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _fields(whole: Whole, naming: Naming, now: Eligibility) -> Iterator[tuple[str, Json]]:
    capsule = whole.capsule
    yield "label", LABEL
    yield "framing", FRAMING
    yield "id", naming.id(capsule.number)
    yield "state", state_of(capsule, now)
    if whole.text is not None:
        yield from _said(capsule, whole.text)
    yield from ((field.value, capsule.labels.get(field)) for field in LabelField)
    if whole.text is not None:
        yield from _weighed(capsule)
    yield "captured_at", format_instant(capsule.captured_at)
    yield "updated_at", format_instant(capsule.updated_at)
    yield "writer", capsule.writer
    yield "revision", capsule.revision
    yield "embedding", None if whole.vector is None else {"dimension": whole.vector.dimension}
    yield from _decided(whole, naming)
    yield "relations", _relations(whole, naming)
    yield "corroboration", None if whole.corroboration is None else corroboration_view(whole.corroboration)
    yield "tombstone", None if whole.tombstone is None else _tombstone(whole.tombstone)


def _said(capsule: Capsule, text: CapsuleText) -> Iterator[tuple[str, Json]]:
    yield "headline", text.headline
    yield "content", text.content
    yield "instruction_taint", bool(capsule.taint)
    yield "taint_findings", list(capsule.taint)
    yield "source", text.source
    yield "source_hash", source_digest(text.content)
    yield "anchors", [_present({"anchor": anchor.text, "file_hash": anchor.file_hash}) for anchor in text.anchors]
    yield "proof_hint", text.proof_hint
    yield "stale_if", text.stale_if
    yield "tags", list(text.tags)
    yield "topics", list(text.topics)
    yield "entities", list(text.entities)
    yield "metadata", {name: json.loads(value) for name, value in text.metadata} or None
    yield "signature", text.signature


def _weighed(capsule: Capsule) -> Iterator[tuple[str, Json]]:
    yield "confidence", capsule.confidence
    yield "importance", capsule.importance
    yield "value", capsule.value
    yield "valid_from", format_instant(capsule.validity.valid_from)
    yield "valid_to", _time(capsule.validity.valid_to)
    yield "event_from", None if capsule.event is None else format_instant(capsule.event.event_from)
    yield "event_to", None if capsule.event is None else format_instant(capsule.event.event_to)
    yield "feedback_weight", round(capsule.use.feedback_weight, 2)
    yield "use_count", capsule.use.count
    yield "last_used_at", _time(capsule.use.last_at)


def _decided(whole: Whole, naming: Naming) -> Iterator[tuple[str, Json]]:
    standing = whole.capsule.standing
    yield "quarantined_at", _time(standing.quarantined_at)
    yield "falsified_at", _time(standing.falsified_at)
    yield "archived_at", _time(standing.archived_at)
    yield "superseded_at", _time(standing.superseded_at)
    yield "superseded_by", None if whole.superseded_by is None else naming.id(whole.superseded_by)
    if standing.review is not None:
        yield "review_state", standing.review.value
    yield "reviews", [_review(event) for event in whole.reviews]


def _review(event: ReviewEvent) -> dict[str, Json]:
    return _present(
        {"verdict": event.verdict.value, "reason": event.reason, "actor": event.actor, "at": format_instant(event.at)}
    )


def _relations(whole: Whole, naming: Naming) -> dict[str, Json] | None:
    outgoing = [{"kind": each.kind.value, "to": naming.id(each.target)} for each in whole.outgoing]
    incoming = [{"kind": each.kind.value, "from": naming.id(each.source)} for each in whole.incoming]
    return {name: relations for name, relations in (("out", outgoing), ("in", incoming)) if relations} or None


def _tombstone(tombstone: Tombstone) -> dict[str, Json]:
    return _present({"at": format_instant(tombstone.at), "reason": tombstone.reason or None, "actor": tombstone.actor})


def _time(instant: Instant | None) -> str | None:
    return None if instant is None else format_instant(instant)


def _present(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if value is not None}
