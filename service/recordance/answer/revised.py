"""What is said of a revision, and the history of a capsule as it is shown (W12, W13)."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from recordance.answer.envelope import FRAMING, LABEL
from recordance.answer.state import state_of
from recordance.domain.capsule import Capsule, CapsuleText
from recordance.domain.capture import Planned
from recordance.domain.destination import Naming
from recordance.domain.instant import Instant, format_instant
from recordance.domain.journal import JournalRow, Op, Value
from recordance.errors import Json
from recordance.query.exclusion import Eligibility

_DROPPED = "its embeddings were made for other words and are gone; attach new ones with memory_vector"
_TIMES = frozenset({"valid_from", "valid_to", "event_from", "event_to"})
_CAPSULES = frozenset({"superseded_by", "target"})
_WORDED = frozenset({Op.CAPTURED, Op.REVISED})
_RELATING = frozenset({Op.RELATED, Op.UNRELATED})


@dataclass(frozen=True, slots=True)
class Updated:
    """A capsule as it is after an update; `planned` is None where nothing changed, `dropped` are the spaces that it left."""

    capsule: Capsule
    planned: Planned | None = None
    dropped: Sequence[str] = ()


def updated_view(updated: Updated, naming: Naming, now: Eligibility) -> dict[str, Json]:
    """Return how an update ended; what does not apply is absent."""
    capsule = updated.capsule
    view: dict[str, Json] = {
        "id": naming.id(capsule.number),
        "status": "unchanged" if updated.planned is None else "updated",
        "revision": capsule.revision,
        "state": state_of(capsule, now),
    }
    if updated.planned is None:
        return view
    findings = {"taint_findings": list(capsule.taint)} if capsule.taint else {}
    dropped = {"embeddings_dropped": list(updated.dropped), "lesson": _DROPPED} if updated.dropped else {}
    return {**view, **findings, **dropped}


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """A page of a capsule's journal, with the texts of its revisions and the capsules that its reader may see (F13)."""

    capsule: Capsule
    rows: Sequence[JournalRow]
    total: int
    texts: Mapping[int, CapsuleText]
    seen: Collection[int]


def history_view(history: History, naming: Naming, now: Eligibility, limit: int, offset: int) -> dict[str, Json]:
    """Return the page as a wire object, oldest row first."""
    capsule = history.capsule
    return {
        "label": LABEL,
        "framing": FRAMING,
        "id": naming.id(capsule.number),
        "state": state_of(capsule, now),
        "revision": capsule.revision,
        "rows": [dict(_row(row, history, naming)) for row in history.rows],
        "total": history.total,
        "limit": limit,
        "offset": offset,
    }


def _row(row: JournalRow, history: History, naming: Naming) -> Iterator[tuple[str, Json]]:
    yield "seq", row.seq
    yield "at", format_instant(row.at)
    yield "actor", row.actor
    yield "op", row.op.value
    if row.revision is not None:
        yield "revision", row.revision
    values = dict(_values(row.values, history.seen, naming))
    if values:
        yield "values", values
    text = history.texts.get(row.revision) if row.op in _WORDED and row.revision is not None else None
    if text is not None:
        yield "text", {name: value for name, value in _said(text) if value}


def _values(values: Mapping[str, Value], seen: Collection[int], naming: Naming) -> Iterator[tuple[str, Json]]:
    # By name: a database keeps the values of a row in an order of its own (O11).
    for name, value in sorted(values.items()):
        if name in _CAPSULES and isinstance(value, int):
            if value in seen:
                yield name, naming.id(value)
        elif isinstance(value, int) and (name.endswith("_at") or name in _TIMES):
            yield name, format_instant(Instant(value))
        else:
            yield name, value


def referred(rows: Sequence[JournalRow]) -> set[int]:
    """Return the numbers of the capsules that these rows name beside their own."""
    return {value for row in rows for name, value in row.values.items() if name in _CAPSULES and isinstance(value, int)}


def related_to(row: JournalRow) -> int | None:
    """Return the number of the capsule to which a row relates its own, or no longer; None for any other row."""
    target = row.values.get("target") if row.op in _RELATING else None
    return target if isinstance(target, int) else None


def _said(text: CapsuleText) -> Iterator[tuple[str, Json]]:
    yield "headline", text.headline
    yield "content", text.content
    yield "source", text.source
    yield "anchors", [anchor.text for anchor in text.anchors]
    yield "proof_hint", text.proof_hint
    yield "stale_if", text.stale_if
    yield "tags", list(text.tags)
    yield "topics", list(text.topics)
    yield "entities", list(text.entities)
    yield "metadata", {name: json.loads(value) for name, value in text.metadata}
    yield "signature", text.signature
