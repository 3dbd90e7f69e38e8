"""Capsules and their texts as rows, and back. Column order is the tables'; a field that is absent is NULL."""

import functools
import json
from collections.abc import Sequence
from typing import Any

from recordance.domain.capsule import Capsule, CapsuleText, LabelField, Standing, Use
from recordance.domain.identity import label_digest
from recordance.domain.instant import Instant
from recordance.domain.provenance import Anchor
from recordance.domain.review import ReviewState
from recordance.domain.validity import EventRange, Validity
from recordance.query.document import TermDocument, term_document
from recordance.query.fence import marks_of
from recordance_adapters.driven.sql_truth import tables
from recordance_adapters.driven.sql_truth.rows import Row

CAPSULE_COLUMNS = tuple(tables.capsule.c)
TEXT_COLUMNS = tuple(tables.capsule_revision.c)
ANCHOR_COLUMNS = tuple(tables.anchor.c)
_LABELS = tuple(LabelField)
_FIRST_LABEL = CAPSULE_COLUMNS.index(tables.capsule.c[_LABELS[0].value])
_AFTER_LABELS = _FIRST_LABEL + len(_LABELS)
READ_COLUMNS = CAPSULE_COLUMNS[:_AFTER_LABELS]
"""What `capsule_of` reads: everything but the digests of labels."""
_KEY_DIGITS = 15
_UNDECIDED = [None] * 7
_PLAIN = Standing()
_UNUSED = Use()
_REVIEWS: dict[str | None, ReviewState | None] = {None: None, **{state.value: state for state in ReviewState}}

digest = functools.lru_cache(maxsize=10_000)(label_digest)
"""`label_digest`, remembered: projects, sessions and tags come again and again."""


json_text = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
"""Returns canonical JSON: names sorted, no spaces, characters as they are."""


def content_key(content_digest: str) -> int:
    """Return the number by which a content digest is looked up; a few digests may share it."""
    try:
        return int(content_digest[:_KEY_DIGITS], 16)
    except ValueError:
        return 0  # a forgotten capsule has no digest, and nothing is looked up by what is none


def capsule_row(capsule: Capsule) -> Row:
    """Return the values of CAPSULE_COLUMNS."""
    standing, use, validity, event = capsule.standing, capsule.use, capsule.validity, capsule.event
    labels = capsule.labels
    return (
        capsule.number, capsule.revision, capsule.content_digest, content_key(capsule.content_digest), capsule.word_count,
        capsule.confidence, capsule.importance, capsule.value,
        validity.valid_from, validity.valid_to,
        None if event is None else event.event_from, None if event is None else event.event_to,
        capsule.captured_at, capsule.updated_at, capsule.writer, _array(capsule.taint),
        standing.quarantined_at, standing.falsified_at, standing.archived_at, standing.superseded_at, standing.superseded_by,
        None if standing.review is None else standing.review.value, standing.tombstoned_at,
        use.count, use.last_at, use.feedback_weight,
        *(str(labels[field]) if field in labels else None for field in _LABELS),
        *(digest(labels[field]) if field in labels else None for field in tables.LOOKED_UP),
    )  # fmt: skip


def capsule_of(row: Row) -> Capsule:
    """Return the capsule that a row of READ_COLUMNS holds."""
    (
        number, revision, content_digest, _, word_count, confidence, importance, value,
        valid_from, valid_to, event_from, event_to, captured_at, updated_at, writer, taint,
        *decided, use_count, used_at, feedback_weight,
    ) = row[:_FIRST_LABEL]  # fmt: skip
    return Capsule(
        number=number,
        revision=revision,
        content_digest=content_digest,
        word_count=word_count,
        labels={field: label for field, label in zip(_LABELS, row[_FIRST_LABEL:_AFTER_LABELS], strict=True) if label is not None},
        confidence=confidence,
        importance=importance,
        value=value,
        validity=Validity(valid_from, valid_to),
        event=None if event_from is None else EventRange(event_from, event_to),
        captured_at=captured_at,
        updated_at=updated_at,
        writer=writer,
        taint=() if taint == "[]" else tuple(json.loads(taint)),
        standing=_standing(decided),
        use=_use(use_count, used_at, feedback_weight),
    )


def _standing(decided: Sequence[Any]) -> Standing:
    if decided == _UNDECIDED:
        return _PLAIN
    quarantined_at, falsified_at, archived_at, superseded_at, superseded_by, review, tombstoned_at = decided
    return Standing(
        quarantined_at=quarantined_at,
        falsified_at=falsified_at,
        archived_at=archived_at,
        superseded_at=superseded_at,
        superseded_by=superseded_by,
        review=_REVIEWS[review],
        tombstoned_at=tombstoned_at,
    )


def _use(count: int, last_at: Instant | None, weight: float) -> Use:
    if count == 0 and last_at is None and weight == _UNUSED.feedback_weight:
        return _UNUSED
    return Use(count=count, last_at=last_at, feedback_weight=weight)


def text_row(number: int, text: CapsuleText) -> Row:
    """Return the values of TEXT_COLUMNS; metadata keeps its order as an array of pairs."""
    return (
        number, text.revision, text.content, text.headline, text.source, text.proof_hint, text.stale_if, text.signature,
        _array(text.tags), _array(text.topics), _array(text.entities), _array(text.metadata),
    )  # fmt: skip


def text_of(row: Row, anchors: tuple[Anchor, ...]) -> CapsuleText:
    """Return the text that a row of TEXT_COLUMNS holds, with its anchors."""
    _, revision, content, headline, source, proof_hint, stale_if, signature, tags, topics, entities, metadata = row
    return CapsuleText(
        revision=revision,
        content=content,
        headline=headline,
        source=source,
        proof_hint=proof_hint,
        stale_if=stale_if,
        signature=signature,
        tags=_words(tags),
        topics=_words(topics),
        entities=_words(entities),
        metadata=() if metadata == "[]" else tuple((name, value) for name, value in json.loads(metadata)),
        anchors=anchors,
    )


def document_of(row: Row) -> TermDocument:
    """Return the term document of a row of READ_COLUMNS and then TEXT_COLUMNS; it needs no anchors."""
    return term_document(capsule_of(row), text_of(row[_AFTER_LABELS:], ()))


def anchor_rows(number: int, text: CapsuleText) -> list[Row]:
    """Return the values of ANCHOR_COLUMNS for each anchor."""
    return [
        (number, text.revision, position, each.text, each.path, each.line, each.sha, each.file_hash)
        for position, each in enumerate(text.anchors)
    ]


def mark_rows(number: int, text: CapsuleText) -> list[Row]:
    """Return (capsule, field, digest) for everything that the text is marked with; no text is kept."""
    return [(number, field.value, digest(mark)) for field, marks in marks_of(text).items() for mark in marks]


def _array(values: Sequence[object]) -> str:
    return json_text(values) if values else "[]"


def _words(array: str) -> tuple[str, ...]:
    return () if array == "[]" else tuple(json.loads(array))
