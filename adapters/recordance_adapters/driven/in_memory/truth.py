"""The truth in plain memory: every answer is a loop with the pure predicates. It defines what an engine must answer."""

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import TypeVar

from recordance.domain.alias import Alias, Miss, MissOutcome
from recordance.domain.caller import under
from recordance.domain.capsule import Capsule, CapsuleText, LabelField, Tombstone
from recordance.domain.change import (
    AddRelation,
    AppendCorroboration,
    AppendReview,
    Capture,
    Change,
    ChangeSet,
    Entomb,
    KeepAnswer,
    KeptAnswer,
    PutFeedback,
    RemoveAlias,
    RemoveRelation,
    SetStanding,
    SetUse,
    TeachAlias,
)
from recordance.domain.identity import StoreIdentity
from recordance.domain.instant import Instant
from recordance.domain.journal import INDEXED_OPS, JournalRow
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.review import Corroboration, Feedback, ReviewEvent
from recordance.domain.tombstone import skeleton_of
from recordance.errors import Fault, MissingState, StateKind
from recordance.ports.truth import (
    IndexedChange,
    KeyedCapsule,
    KnownContent,
    ListedState,
    ListPage,
    ListRequest,
    TruthReader,
    TruthWriter,
)
from recordance.query.document import TermDocument, term_document
from recordance.query.exclusion import Eligibility, first_exclusion
from recordance.ranking.bm25 import CorpusStatistics

K = TypeVar("K")
V = TypeVar("V")
Told = TypeVar("Told", ReviewEvent, Corroboration)

PATIENCE_SECONDS = 30.0
"""How long a writer waits for its turn before it says that the store is busy."""


_Note = TeachAlias | RemoveAlias | AppendReview | PutFeedback | AppendCorroboration | KeepAnswer


@dataclass(slots=True)
class _Contents:
    """All that a store holds. A published one is never changed again: a writer works on a copy."""

    capsules: dict[int, Capsule] = field(default_factory=dict)
    texts: dict[int, CapsuleText] = field(default_factory=dict)
    tombstones: dict[int, Tombstone] = field(default_factory=dict)
    relations: dict[tuple[RelationKind, int, int], Relation] = field(default_factory=dict)
    aliases: dict[tuple[str, str], Alias] = field(default_factory=dict)
    reviews: list[ReviewEvent] = field(default_factory=list)
    feedback: dict[tuple[int, str, str], Feedback] = field(default_factory=dict)
    corroborations: list[Corroboration] = field(default_factory=list)
    answers: dict[str, KeptAnswer] = field(default_factory=dict)
    misses: dict[tuple[str, MissOutcome, str], Miss] = field(default_factory=dict)
    journal: list[JournalRow] = field(default_factory=list)

    def copy(self) -> "_Contents":
        return _Contents(**{each.name: getattr(self, each.name).copy() for each in fields(self)})


class MemoryReader:
    """One snapshot (see TruthReader)."""

    def __init__(self, identity: StoreIdentity, contents: _Contents) -> None:
        self._identity = identity
        self._contents = contents

    def head(self) -> int:
        """See TruthReader."""
        return len(self._contents.journal)

    def identity(self) -> StoreIdentity:
        """See TruthReader."""
        return self._identity

    def last_number(self) -> int:
        """See TruthReader."""
        return len(self._contents.capsules)

    def corpus(self) -> CorpusStatistics:
        """See TruthReader."""
        return _statistics(self._unforgotten())

    def corpus_within(self, subtrees: frozenset[str]) -> CorpusStatistics:
        """See TruthReader."""
        return _statistics([capsule for capsule in self._unforgotten() if _lies_in(capsule, subtrees)])

    def capsules(self, numbers: Collection[int]) -> Mapping[int, Capsule]:
        """See TruthReader."""
        return _chosen(self._contents.capsules, numbers)

    def texts(self, numbers: Collection[int]) -> Mapping[int, CapsuleText]:
        """See TruthReader."""
        return _chosen(self._contents.texts, numbers)

    def contents(self, numbers: Collection[int]) -> Mapping[int, str]:
        """See TruthReader."""
        return {number: text.content for number, text in self.texts(numbers).items()}

    def documents(self, numbers: Collection[int]) -> Mapping[int, TermDocument]:
        """See TruthReader."""
        return {number: self._document(number) for number in self.texts(numbers)}

    def documents_after(self, number: int, count: int) -> Sequence[TermDocument]:
        """See TruthReader."""
        following = sorted(each for each in self._contents.texts if each > number)
        return [self._document(each) for each in following[:count]]

    def changes_after(self, seq: int, count: int) -> Sequence[IndexedChange]:
        """See TruthReader."""
        last = {row.capsule: row.seq for row in self.journal(seq, count) if row.op in INDEXED_OPS}
        changes = [IndexedChange(capsule, at) for capsule, at in last.items() if capsule is not None]
        return sorted(changes, key=lambda change: change.seq)

    def journal(self, after: int, count: int) -> Sequence[JournalRow]:
        """See TruthReader."""
        return self._contents.journal[after : after + count]

    def history(self, number: int) -> Sequence[JournalRow]:
        """See TruthReader."""
        return [row for row in self._contents.journal if row.capsule == number]

    def aliases(self, term_keys: Collection[str]) -> Mapping[str, Sequence[Alias]]:
        """See TruthReader."""
        wanted = set(term_keys)
        return _grouped((alias.term_key, alias) for alias in self._contents.aliases.values() if alias.term_key in wanted)

    def all_aliases(self) -> Sequence[Alias]:
        """See TruthReader."""
        return sorted(self._contents.aliases.values(), key=lambda alias: alias.term_key)

    def relations_from(self, numbers: Collection[int], kinds: Collection[RelationKind]) -> Sequence[Relation]:
        """See TruthReader."""
        found = [each for each in self._contents.relations.values() if each.source in numbers and each.kind in kinds]
        return sorted(found, key=lambda relation: (relation.source, relation.kind, relation.target))

    def relations_to(self, numbers: Collection[int], kinds: Collection[RelationKind]) -> Sequence[Relation]:
        """See TruthReader."""
        found = [each for each in self._contents.relations.values() if each.target in numbers and each.kind in kinds]
        return sorted(found, key=lambda relation: (relation.target, relation.kind, relation.source))

    def known_contents(self, digests: Collection[str]) -> Sequence[KnownContent]:
        """See TruthReader."""
        return [
            KnownContent(capsule.content_digest, capsule.labels.get(LabelField.PROJECT), capsule.number)
            for capsule in self._unforgotten()
            if capsule.content_digest in digests
        ]

    def keyed(self, keys: Collection[str]) -> Sequence[KeyedCapsule]:
        """See TruthReader."""
        return [
            KeyedCapsule(capsule.labels.get(LabelField.PROJECT), capsule.labels[LabelField.KEY], capsule.number)
            for capsule in self._unforgotten()
            if capsule.standing.superseded_at is None and capsule.labels.get(LabelField.KEY) in keys
        ]

    def tombstones(self, numbers: Collection[int]) -> Mapping[int, Tombstone]:
        """See TruthReader."""
        return _chosen(self._contents.tombstones, numbers)

    def forgotten(self, content_macs: Collection[str]) -> Mapping[str, int]:
        """See TruthReader."""
        bearers = sorted(self._contents.tombstones.values(), key=lambda tombstone: tombstone.capsule, reverse=True)
        return {each.content_mac: each.capsule for each in bearers if each.content_mac in content_macs}

    def reviews(self, number: int) -> Sequence[ReviewEvent]:
        """See TruthReader."""
        return [event for event in self._contents.reviews if event.capsule == number]

    def review_history(self, numbers: Collection[int]) -> Mapping[int, Sequence[ReviewEvent]]:
        """See TruthReader."""
        return _grouped((event.capsule, event) for event in self._contents.reviews if event.capsule in numbers)

    def feedback(self, numbers: Collection[int]) -> Mapping[int, Sequence[Feedback]]:
        """See TruthReader."""
        return _grouped((each.capsule, each) for each in self._contents.feedback.values() if each.capsule in numbers)

    def corroborations(self, numbers: Collection[int]) -> Mapping[int, Corroboration]:
        """See TruthReader."""
        return {each.capsule: each for each in self._contents.corroborations if each.capsule in numbers}

    def corroboration_history(self, numbers: Collection[int]) -> Mapping[int, Sequence[Corroboration]]:
        """See TruthReader."""
        return _grouped((each.capsule, each) for each in self._contents.corroborations if each.capsule in numbers)

    def misses(self, fence: str | None, count: int) -> Sequence[Miss]:
        """See TruthReader."""
        found = [miss for miss in self._contents.misses.values() if fence is None or miss.fence == fence]
        found.sort(key=lambda miss: (-miss.count, -miss.last_at, miss.term_key, miss.outcome, miss.fence))
        return found[:count]

    def kept_answer(self, key: str) -> KeptAnswer | None:
        """See TruthReader."""
        return self._contents.answers.get(key)

    def listed(self, request: ListRequest) -> ListPage:
        """See TruthReader."""
        numbers = tuple(capsule.number for capsule in self._unforgotten() if _is_listed(capsule, request))
        return ListPage(numbers[request.offset : request.offset + request.limit], len(numbers))

    def _unforgotten(self) -> list[Capsule]:
        return [capsule for capsule in self._contents.capsules.values() if capsule.standing.tombstoned_at is None]

    def _document(self, number: int) -> TermDocument:
        return term_document(self._contents.capsules[number], self._contents.texts[number])


class MemoryWriter(MemoryReader):
    """One writing transaction on a copy that nobody else sees yet (see TruthWriter)."""

    def apply(self, changes: ChangeSet, actor: str, at: Instant) -> int:
        """See TruthWriter. Raises Fault when a change does not fit what the store holds."""
        for change in sorted(changes.changes, key=_place):
            self._make(change)
        for entry in changes.entries:
            row = JournalRow(self.head() + 1, at, actor, entry.op, entry.capsule, entry.revision, dict(entry.values))
            self._contents.journal.append(row)
        return self.head()

    def count_misses(self, term_keys: Sequence[str], outcome: MissOutcome, fence: str, at: Instant) -> None:
        """See TruthWriter."""
        for term_key in term_keys:
            before = self._contents.misses.get((term_key, outcome, fence))
            count = 1 if before is None else before.count + 1
            self._contents.misses[term_key, outcome, fence] = Miss(term_key, outcome, fence, count, at)

    def keep_misses(self, misses: Sequence[Miss]) -> None:
        """See TruthWriter."""
        for miss in misses:
            key = (miss.term_key, miss.outcome, miss.fence)
            before = self._contents.misses.get(key, miss)
            count, last_at = max(before.count, miss.count), max(before.last_at, miss.last_at)
            self._contents.misses[key] = replace(miss, count=count, last_at=last_at)

    def clear_misses(self, fence: str | None) -> int:
        """See TruthWriter."""
        cleared = [key for key, miss in self._contents.misses.items() if fence is None or miss.fence == fence]
        for key in cleared:
            del self._contents.misses[key]
        return len(cleared)

    def _make(self, change: Change) -> None:
        match change:
            case Capture():
                self._capture(change)
            case SetStanding(number, standing, at):
                capsule = self._capsule(number)
                self._contents.capsules[number] = replace(capsule, standing=standing, updated_at=at)
            case SetUse(number, use):
                self._contents.capsules[number] = replace(self._capsule(number), use=use)
            case AddRelation(relation):
                self._relate(relation)
            case RemoveRelation(kind, source, target):
                self._contents.relations.pop((kind, source, target), None)
            case Entomb(tombstone):
                self._entomb(tombstone)
            case _:
                self._note(change)

    def _note(self, change: _Note) -> None:
        match change:
            case TeachAlias(alias):
                if (alias.term_key, alias.alias_key) in self._contents.aliases:
                    raise Fault("an alias with these keys is taught already")
                self._contents.aliases[alias.term_key, alias.alias_key] = alias
            case RemoveAlias(term_key, alias_key):
                self._contents.aliases.pop((term_key, alias_key), None)
            case AppendReview(event):
                self._contents.reviews.append(self._of_known(event))
            case PutFeedback(feedback):
                self._put_feedback(feedback)
            case AppendCorroboration(corroboration):
                self._contents.corroborations.append(self._of_known(corroboration))
            case KeepAnswer(kept):
                self._contents.answers[kept.key] = kept

    def _capture(self, capture: Capture) -> None:
        number = capture.capsule.number
        if number != self.last_number() + 1:
            raise Fault(f"the next capsule is number {self.last_number() + 1}, not {number}")
        self._contents.capsules[number] = capture.capsule
        self._contents.texts[number] = capture.text

    def _relate(self, relation: Relation) -> None:
        key = (relation.kind, self._capsule(relation.source).number, self._capsule(relation.target).number)
        if key in self._contents.relations:
            raise Fault(f"the relation {key} exists already")
        self._contents.relations[key] = relation

    def _put_feedback(self, feedback: Feedback) -> None:
        key = (self._capsule(feedback.capsule).number, feedback.receipt, feedback.actor)
        self._contents.feedback.pop(key, None)  # the latest goes to the end
        self._contents.feedback[key] = feedback

    def _entomb(self, tombstone: Tombstone) -> None:
        number = tombstone.capsule
        if number in self._contents.tombstones:
            raise Fault(f"capsule {number} is forgotten already")
        self._contents.capsules[number] = skeleton_of(self._capsule(number), tombstone.at)
        self._contents.tombstones[number] = tombstone
        del self._contents.texts[number]
        self._silence(number)

    def _silence(self, number: int) -> None:
        """Take what others wrote about a capsule out of its reviews, judgements and commit verdicts."""
        contents = self._contents
        contents.reviews = [replace(each, reason=None) if each.capsule == number else each for each in contents.reviews]
        contents.corroborations = [
            replace(each, anchor_path="", anchor_sha=None) if each.capsule == number else each for each in contents.corroborations
        ]
        for key, feedback in contents.feedback.items():
            if feedback.capsule == number:
                contents.feedback[key] = replace(feedback, note=None)

    def _capsule(self, number: int) -> Capsule:
        capsule = self._contents.capsules.get(number)
        if capsule is None:
            raise Fault(f"there is no capsule {number}")
        return capsule

    def _of_known(self, told: Told) -> Told:
        self._capsule(told.capsule)
        return told


class MemoryTruth:
    """A whole store in memory (see Truth). Safe for threads: one writer at a time, any number of readers."""

    def __init__(self, identity: StoreIdentity, patience: float = PATIENCE_SECONDS) -> None:
        self._identity = identity
        self._patience = patience
        self._published = _Contents()
        self._turn = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[TruthReader]:
        """See Truth."""
        yield MemoryReader(self._identity, self._published)

    @contextmanager
    def writing(self) -> Iterator[TruthWriter]:
        """See Truth."""
        if not self._turn.acquire(timeout=self._patience):
            raise MissingState(StateKind.STORE_BUSY, self._identity.store, "another writer holds the store; try again")
        try:
            contents = self._published.copy()
            yield MemoryWriter(self._identity, contents)
            self._published = contents
        finally:
            self._turn.release()

    def close(self) -> None:
        """See Truth: there is nothing to release."""


def _place(change: Change) -> int:
    """New capsules come first and forgetting comes last; between them changes keep their order."""
    return 0 if isinstance(change, Capture) else 2 if isinstance(change, Entomb) else 1


def _statistics(capsules: Sequence[Capsule]) -> CorpusStatistics:
    return CorpusStatistics(len(capsules), sum(capsule.word_count for capsule in capsules))


def _lies_in(capsule: Capsule, subtrees: frozenset[str]) -> bool:
    project = capsule.labels.get(LabelField.PROJECT)
    return project is not None and any(under(project, subtree) for subtree in subtrees)


def _is_listed(capsule: Capsule, request: ListRequest) -> bool:
    if request.project_id is not None and capsule.labels.get(LabelField.PROJECT) != request.project_id:
        return False
    if request.kind is not None and capsule.labels.get(LabelField.KIND) != request.kind:
        return False
    if not all(_lies_in(capsule, subtrees) for subtrees in request.subtrees):
        return False
    return request.state is None or _state_of(capsule, request.at) is request.state


def _state_of(capsule: Capsule, at: Instant) -> ListedState:
    reason = first_exclusion(capsule, Eligibility(at=at))
    return ListedState.LIVE if reason is None else ListedState(reason.value)


def _chosen(held: Mapping[int, V], numbers: Collection[int]) -> dict[int, V]:
    return {number: held[number] for number in numbers if number in held}


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
