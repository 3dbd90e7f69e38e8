"""A capsule's next revision: what of it may change, and what follows for all that was decided about the words before (W13).

What a capsule says and how much it weighs may change. Where it lies, who wrote it, under which key, and when it holds may not:
another value of those is another capsule, stored with `supersedes`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from recordance.domain.capsule import Capsule, CapsuleText, LabelField, Labels
from recordance.domain.capture import Planned, headline_of
from recordance.domain.change import AppendReview, Change, ChangeSet, Revise
from recordance.domain.draft import CapsuleDraft
from recordance.domain.identity import content_digest
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry, Op, Value
from recordance.domain.provenance import Anchor
from recordance.domain.review import ReviewEvent, ReviewState, Ruling

REVISED_LABELS = (
    LabelField.TYPE,
    LabelField.CATEGORY,
    LabelField.DOMAIN,
    LabelField.SUBTYPE,
    LabelField.INTENT,
    LabelField.EVIDENCE,
)
"""The labels that say something of the statement itself, and so may change with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapsuleChanges:
    """What a caller would have otherwise; what is in none of these stays.

    `said` are fields of CapsuleText (a headline None is the first line again), `labels` some of REVISED_LABELS (None takes one
    away), `weighed` confidence, importance and event of Capsule.
    """

    said: Mapping[str, Any]
    labels: Mapping[LabelField, str | None]
    weighed: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Amended:
    """A capsule and its text as the changes would have them, not yet a revision."""

    capsule: Capsule
    text: CapsuleText

    @property
    def draft(self) -> CapsuleDraft:
        """The same as a draft, to be judged as one that is stored."""
        capsule, text = self.capsule, self.text
        return CapsuleDraft(
            content=text.content,
            headline=text.headline,
            source=text.source,
            labels=capsule.labels,
            anchors=text.anchors,
            confidence=capsule.confidence,
            importance=capsule.importance,
            value=capsule.value,
            valid_from=capsule.validity.valid_from,
            valid_to=capsule.validity.valid_to,
            event=capsule.event,
            proof_hint=text.proof_hint,
            stale_if=text.stale_if,
            signature=text.signature,
            tags=text.tags,
            topics=text.topics,
            entities=text.entities,
            metadata=text.metadata,
        )


def amended(capsule: Capsule, text: CapsuleText, changes: CapsuleChanges) -> Amended:
    """Return what the changes make of a capsule.

    A headline that was the content's first line follows the content, and a signature of other words goes, unless the changes say
    otherwise. An anchor that stays keeps the hash that was taken of its file.
    """
    said = dict(changes.said)
    content = said.get("content", text.content)
    if "headline" not in said and text.headline == headline_of(text.content):
        said["headline"] = None
    if said.get("headline", text.headline) is None:
        said["headline"] = headline_of(content)
    if "signature" not in said and content_digest(content) != capsule.content_digest:
        said["signature"] = None
    if "anchors" in said:
        said["anchors"] = _with_hashes(said["anchors"], text.anchors)
    return Amended(
        replace(capsule, labels=_labels(capsule.labels, changes.labels), **changes.weighed),
        replace(text, **said),
    )


def revised(before: Capsule, text: CapsuleText, after: Amended, planned: Planned, actor: str, at: Instant) -> ChangeSet:
    """Return the write that makes `after` the next revision of what was `before` with `text`.

    Words that the scan quarantines are quarantined again, released or not: a release was of other words. A verdict was about
    other words as well, so a proposal of which the content changes awaits another. Nothing lifts what stands.
    """
    number, revision = before.number, before.revision + 1
    standing, changes, entries = before.standing, list[Change](), list[Entry]()
    if planned.quarantined and after.text != text and standing.quarantined_at is None:
        standing = replace(standing, quarantined_at=at)
        entries.append(Entry(Op.QUARANTINED, number, revision, {"quarantined_at": at}))
    if planned.digest != before.content_digest and standing.review in (ReviewState.RATIFIED, ReviewState.REJECTED):
        standing = replace(standing, review=ReviewState.PROPOSED)
        changes.append(AppendReview(ReviewEvent(number, Ruling.PROPOSED, None, actor, at)))
        entries.append(Entry(Op.REVIEWED, number, revision, {"verdict": Ruling.PROPOSED.value}))
    capsule = replace(
        after.capsule,
        revision=revision,
        content_digest=planned.digest,
        word_count=planned.word_count,
        taint=planned.taint,
        updated_at=at,
        standing=standing,
    )
    entry = Entry(Op.REVISED, number, revision, dict(_values(before, capsule)))
    return ChangeSet((Revise(capsule, replace(after.text, revision=revision)), *changes), (entry, *entries))


def _labels(before: Labels, changes: Mapping[LabelField, str | None]) -> Labels:
    merged = {**before, **changes}
    return {field: label for field in LabelField if (label := merged.get(field)) is not None}


def _with_hashes(anchors: Sequence[Anchor], before: Sequence[Anchor]) -> tuple[Anchor, ...]:
    known = {anchor.text: anchor for anchor in before}
    return tuple(known.get(anchor.text, anchor) for anchor in anchors)


def _values(before: Capsule, after: Capsule) -> Iterator[tuple[str, Value]]:
    """Return what became of enums, numbers and instants; never free text (W12)."""
    for field in REVISED_LABELS:
        if before.labels.get(field) != after.labels.get(field):
            yield field.value, after.labels.get(field)
    for name in ("confidence", "importance"):
        if getattr(before, name) != getattr(after, name):
            yield name, getattr(after, name)
    if before.event != after.event:
        yield "event_from", None if after.event is None else after.event.event_from
        yield "event_to", None if after.event is None else after.event.event_to
    if before.taint != after.taint:
        yield "taint", ",".join(after.taint)
