"""From a draft to a capsule: defaults, identity, and what the journal says of it (W1, W5, W12)."""

from collections.abc import Iterator
from dataclasses import dataclass

from recordance.domain.capsule import Capsule, CapsuleText, LabelField, Labels, Standing
from recordance.domain.change import AppendReview, Capture, ChangeSet
from recordance.domain.draft import CapsuleDraft, Staging
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry, Op, Value
from recordance.domain.review import ReviewEvent, ReviewState, Ruling
from recordance.domain.validity import Validity
from recordance.domain.vocabulary import AuthorityClass

HEADLINE_CHARACTERS = 140
"""How much of a content's first line becomes its headline when the caller gives none (W1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A draft with everything that it alone decides.

    `labels` are the draft's with their defaults and the project it is stamped with; `word_count` the folded words of the content
    with repetitions, `words` the distinct ones; `taint` the shapes that the scan found, `quarantined` whether they quarantine.
    """

    draft: CapsuleDraft
    labels: Labels
    digest: str
    word_count: int
    words: frozenset[str]
    taint: tuple[str, ...]
    quarantined: bool

    @property
    def project(self) -> str | None:
        """The project that the capsule will lie in."""
        return self.labels.get(LabelField.PROJECT)

    @property
    def staged(self) -> bool:
        """Whether it becomes a proposal."""
        return self.draft.staging is Staging.STAGED

    def holds(self, at: Instant) -> bool:
        """Whether it will hold at once when it is captured at `at` (W7)."""
        return validity_of(self.draft, at).holds_at(at)


def labels_of(draft: CapsuleDraft, project: str | None) -> Labels:
    """Return the labels of a draft, stamped with `project`, with the defaults of those that have one (W1)."""
    labels = {LabelField.AUTHORITY: AuthorityClass.AGENT_INFERRED.value, **draft.labels}
    return labels if project is None else {**labels, LabelField.PROJECT: project}


def validity_of(draft: CapsuleDraft, at: Instant) -> Validity:
    """Return when a draft that is captured at `at` holds: from then on, where it does not say (W1)."""
    return Validity(at if draft.valid_from is None else draft.valid_from, draft.valid_to)


def captured(planned: Planned, number: int, writer: str, at: Instant) -> ChangeSet:
    """Return the write that makes a capsule of a planned draft, its first text, and what is decided about it at once."""
    capture = _capture(planned, number, writer, at)
    changes = ChangeSet((capture,), (captured_entry(capture.capsule),))
    if planned.quarantined:
        changes = changes.then(ChangeSet((), (Entry(Op.QUARANTINED, number, 1, {"quarantined_at": at}),)))
    if planned.staged:
        event = ReviewEvent(number, Ruling.PROPOSED, None, writer, at)
        entry = Entry(Op.REVIEWED, number, 1, {"verdict": Ruling.PROPOSED.value})
        changes = changes.then(ChangeSet((AppendReview(event),), (entry,)))
    return changes


def captured_entry(capsule: Capsule) -> Entry:
    """Return what the journal says of a capsule that is new to the store."""
    return Entry(Op.CAPTURED, capsule.number, capsule.revision, dict(_values(capsule)))


def _capture(planned: Planned, number: int, writer: str, at: Instant) -> Capture:
    draft = planned.draft
    capsule = Capsule(
        number=number,
        revision=1,
        content_digest=planned.digest,
        word_count=planned.word_count,
        labels=planned.labels,
        confidence=draft.confidence,
        importance=draft.importance,
        value=draft.value,
        validity=validity_of(draft, at),
        event=draft.event,
        captured_at=at,
        updated_at=at,
        writer=writer,
        taint=planned.taint,
        standing=_standing(planned, at),
    )
    text = CapsuleText(
        revision=1,
        content=draft.content,
        headline=headline_of(draft.content) if draft.headline is None else draft.headline,
        source=draft.source,
        proof_hint=draft.proof_hint,
        stale_if=draft.stale_if,
        signature=draft.signature,
        tags=draft.tags,
        topics=draft.topics,
        entities=draft.entities,
        metadata=draft.metadata,
        anchors=draft.anchors,
    )
    return Capture(capsule, text)


def _standing(planned: Planned, at: Instant) -> Standing:
    if not planned.quarantined and not planned.staged:
        return _PLAIN
    return Standing(
        quarantined_at=at if planned.quarantined else None,
        review=ReviewState.PROPOSED if planned.staged else None,
    )


_PLAIN = Standing()


def headline_of(content: str) -> str:
    """Return the headline of a content to which the caller gives none: the beginning of its first line (W1)."""
    return content.strip().split("\n", 1)[0].rstrip()[:HEADLINE_CHARACTERS]


def _values(capsule: Capsule) -> Iterator[tuple[str, Value]]:
    """Return the first values of everything that may change or be fenced on; never free text (W12)."""
    for field, label in capsule.labels.items():
        yield field.value, label
    yield "confidence", capsule.confidence
    yield "importance", capsule.importance
    yield "value", capsule.value
    yield "valid_from", capsule.validity.valid_from
    if capsule.validity.valid_to is not None:
        yield "valid_to", capsule.validity.valid_to
    if capsule.event is not None:
        yield "event_from", capsule.event.event_from
        yield "event_to", capsule.event.event_to
    if capsule.taint:
        yield "taint", ",".join(capsule.taint)
