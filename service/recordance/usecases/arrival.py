"""What an import makes of one line, whether it restores or merges (W10, W2)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

from recordance.answer.export_lines import CapsuleLine
from recordance.domain.alias import Alias
from recordance.domain.attaching import attached
from recordance.domain.capsule import Capsule, CapsuleText, Standing
from recordance.domain.capture import captured_entry
from recordance.domain.change import (
    AddRelation,
    AppendCorroboration,
    AppendReview,
    Capture,
    Change,
    ChangeSet,
    Entomb,
    PutFeedback,
    Revise,
    TeachAlias,
)
from recordance.domain.embedding import Embedding, Space
from recordance.domain.identity import content_digest
from recordance.domain.instant import Instant
from recordance.domain.journal import ARRIVED, Entry, Op, Value
from recordance.domain.relation import Relation
from recordance.domain.review import Ruling
from recordance.domain.taint import TaintPolicy, beside_content, find_shapes
from recordance.ports.truth import TruthReader
from recordance.query.folding import fold_words
from recordance.usecases.teach import MAX_ALIASES


@dataclass(frozen=True, slots=True)
class Arrival:
    """A capsule on its way in: the changes that bring it with all that hangs on it.

    `captured` is what the journal says of it where it is new; `quarantined` what it says if the scan lays a quarantine on it that
    it did not have.
    """

    capsule: Capsule
    changes: tuple[Change, ...]
    captured: tuple[Entry, ...]
    quarantined: Entry | None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All that the journal says of an arrival that has no history here."""
        return self.captured if self.quarantined is None else (*self.captured, self.quarantined)


def arrival_of(line: CapsuleLine, number: int, policy: TaintPolicy, at: Instant) -> Arrival:
    """Return the arrival of a capsule under `number`; what was computed from its text is computed again."""
    there = replace(line.capsule, number=number)
    if line.text is None:
        text = CapsuleText(revision=there.revision, content="", headline="", source="")
        forgotten = Entry(Op.TOMBSTONED, number, there.revision, {"tombstoned_at": at})
        alive = replace(there, standing=replace(there.standing, tombstoned_at=None))
        return Arrival(there, (Capture(alive, text), *_hanging(line, number)), (captured_entry(there), forgotten), None)
    capsule = _scanned(_measured(there, line.text), line.text, policy)
    first = line.former[0] if line.former else line.text
    captured, quarantined = replace(_entry(capsule), revision=first.revision), None
    released = any(each.verdict is Ruling.RELEASED for each in line.reviews)
    if not released and capsule.standing.quarantined_at is None and policy.quarantines(capsule.taint):
        capsule = replace(capsule, standing=replace(capsule.standing, quarantined_at=at), updated_at=at)
        quarantined = Entry(Op.QUARANTINED, number, capsule.revision, {"quarantined_at": at})
    embedded = ChangeSet()
    for embedding in line.embeddings:
        embedded = embedded.then(reattached(capsule, embedding))
    changes = (*_revisions(capsule, (*line.former, line.text)), *_hanging(line, number), *embedded.changes)
    revised = (Entry(Op.REVISED, number, text.revision, {ARRIVED: 1}) for text in (*line.former, line.text)[1:])
    return Arrival(capsule, changes, (captured, *revised, *embedded.entries), quarantined)


def _revisions(capsule: Capsule, texts: Sequence[CapsuleText]) -> Iterator[Change]:
    """Yield what brings a capsule with its texts: the first is captured, the others revise it."""
    first, *others = texts
    yield Capture(replace(capsule, revision=first.revision), first)
    for text in others:
        yield Revise(replace(capsule, revision=text.revision), text)


def reattached(capsule: Capsule, embedding: Embedding) -> ChangeSet:
    """Return the write that gives a capsule an embedding which it had elsewhere, made for the same content; its space exists."""
    space = Space(embedding.space, embedding.vector.dimension)
    return attached(capsule, embedding.vector, space, space, embedding.at)


def _measured(capsule: Capsule, text: CapsuleText) -> Capsule:
    return replace(capsule, content_digest=content_digest(text.content), word_count=len(fold_words(text.content)))


def _scanned(capsule: Capsule, text: CapsuleText, policy: TaintPolicy) -> Capsule:
    """Return the capsule with the shapes that the scan finds now beside those that it had: no flag is lost on the way (W2)."""
    shown = beside_content(text)
    shapes = find_shapes(text.content, fold_words(text.content), policy)
    beside = find_shapes(shown, fold_words(shown), policy) if shown else ()
    return replace(capsule, taint=tuple(dict.fromkeys((*capsule.taint, *shapes, *beside))))


def _entry(capsule: Capsule) -> Entry:
    """Return the capture's entry, with what has been decided about the capsule before it came."""
    entry = captured_entry(capsule)
    decided: dict[str, Value] = {each.name: getattr(capsule.standing, each.name) for each in fields(Standing)}
    values = {**entry.values, **{name: value for name, value in decided.items() if value is not None}}
    return Entry(entry.op, entry.capsule, entry.revision, values)


def _hanging(line: CapsuleLine, number: int) -> Iterator[Change]:
    for review in line.reviews:
        yield AppendReview(replace(review, capsule=number))
    for feedback in line.feedback:
        yield PutFeedback(replace(feedback, capsule=number))
    for corroboration in line.corroborations:
        yield AppendCorroboration(replace(corroboration, capsule=number))
    if line.tombstone is not None:
        yield Entomb(replace(line.tombstone, capsule=number))


def new_relations(reader: TruthReader, relations: Sequence[Relation]) -> list[AddRelation]:
    """Return the additions of those relations that are not there yet, each once."""
    wanted = {(each.kind, each.source, each.target): each for each in relations}
    sources, kinds = {each.source for each in relations}, {each.kind for each in relations}
    known = {(each.kind, each.source, each.target) for each in reader.relations_from(sources, kinds)}
    return [AddRelation(each) for key, each in wanted.items() if key not in known]


def new_aliases(reader: TruthReader, aliases: Iterable[Alias]) -> list[TeachAlias]:
    """Return the lessons of those aliases that are not taught yet, each once, as far as their terms have room for them (T7)."""
    wanted = {(each.term_key, each.alias_key): each for each in aliases}
    taught = reader.aliases({term_key for term_key, _ in wanted})
    known = {term_key: {each.alias_key for each in lessons} for term_key, lessons in taught.items()}
    new = list[TeachAlias]()
    for (term_key, alias_key), alias in wanted.items():
        kept = known.setdefault(term_key, set())
        if alias_key not in kept and len(kept) < MAX_ALIASES:
            kept.add(alias_key)
            new.append(TeachAlias(alias))
    return new
