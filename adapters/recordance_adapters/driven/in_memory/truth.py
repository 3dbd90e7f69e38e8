"""The truth in plain memory: one writer at a time on a copy, which is published when it is done."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from recordance.domain.alias import Miss, MissOutcome
from recordance.domain.capsule import Capsule, Tombstone
from recordance.domain.change import (
    AddRelation,
    AppendCorroboration,
    AppendReview,
    Capture,
    Change,
    ChangeSet,
    Entomb,
    KeepAnswer,
    KeepOut,
    PutEmbedding,
    PutFeedback,
    PutSpace,
    RemoveAlias,
    RemoveRelation,
    Revise,
    SetStanding,
    SetUse,
    TeachAlias,
)
from recordance.domain.embedding import Embedding, Space
from recordance.domain.identity import StoreIdentity
from recordance.domain.instant import Instant
from recordance.domain.journal import JournalRow
from recordance.domain.relation import Relation
from recordance.domain.review import Corroboration, Feedback, ReviewEvent
from recordance.domain.tombstone import skeleton_of
from recordance.errors import Fault, MissingState, StateKind
from recordance.ports.truth import TruthReader, TruthWriter
from recordance.query.residue import is_said, names_capsule, skeleton_values, words_said
from recordance_adapters.driven.in_memory.contents import Contents
from recordance_adapters.driven.in_memory.truth_reader import MemoryReader

Told = TypeVar("Told", ReviewEvent, Corroboration)

PATIENCE_SECONDS = 30.0
"""How long a writer waits for its turn before it says that the store is busy."""

_Note = TeachAlias | RemoveAlias | AppendReview | PutFeedback | AppendCorroboration | KeepAnswer


class MemoryWriter(MemoryReader):
    """One writing transaction on a copy that nobody else sees yet (see TruthWriter)."""

    def apply(self, changes: ChangeSet, actor: str, at: Instant) -> int:
        """See TruthWriter. Raises Fault when a change does not fit what the store holds."""
        forgettings = [change for change in changes.changes if isinstance(change, Entomb)]
        for change in sorted((change for change in changes.changes if not isinstance(change, Entomb)), key=_place):
            self._make(change)
        for entry in changes.entries:
            row = JournalRow(self.head() + 1, at, actor, entry.op, entry.capsule, entry.revision, dict(entry.values))
            self._contents.journal.append(row)
        for forgetting in forgettings:
            self._make(forgetting)
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
            case Revise():
                self._revise(change)
            case PutSpace(space):
                self._put_space(space)
            case PutEmbedding(embedding):
                self._put_embedding(embedding)
            case Entomb(tombstone):
                self._entomb(tombstone)
            case KeepOut(number, content_mac):
                self._keep_out(number, content_mac)
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

    def _revise(self, revise: Revise) -> None:
        capsule, contents = revise.capsule, self._contents
        number = capsule.number
        before = contents.texts.get(number)
        if before is None or not capsule.revision == revise.text.revision == before.revision + 1:
            raise Fault(f"capsule {number} has no revision before {revise.text.revision}")
        contents.former[number] = (*contents.former.get(number, ()), before)
        contents.capsules[number] = capsule
        contents.texts[number] = revise.text
        self._drop_vectors(number, capsule.content_digest)

    def _put_space(self, space: Space) -> None:
        held = self.space(space.name)
        if held is not None and held.vectors and held.space.dimension != space.dimension:
            raise Fault(f"space {space.name} holds vectors of {held.space.dimension} dimensions, not {space.dimension}")
        self._contents.spaces[space.name] = space

    def _put_embedding(self, embedding: Embedding) -> None:
        capsule, space = self._contents.capsules.get(embedding.capsule), self._contents.spaces.get(embedding.space)
        if capsule is None or capsule.standing.tombstoned_at is not None or capsule.content_digest != embedding.content_digest:
            raise Fault(f"the embedding is not of what capsule {embedding.capsule} says now")
        if space is None or space.dimension != embedding.vector.dimension:
            raise Fault(f"space {embedding.space} does not have {embedding.vector.dimension} dimensions")
        self._contents.vectors[embedding.capsule, embedding.space] = embedding

    def _drop_vectors(self, number: int, kept_digest: str | None = None) -> None:
        """Drop a capsule's vectors but those of the content with this digest."""
        held = self._contents.vectors
        for key in [key for key, each in held.items() if key[0] == number and each.content_digest != kept_digest]:
            del held[key]

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
        self._tell_less(number)
        self._contents.tombstones[number] = tombstone
        del self._contents.texts[number]
        self._contents.former.pop(number, None)
        self._drop_vectors(number)
        self._silence(number)

    def _keep_out(self, number: int, content_mac: str) -> None:
        tombstone = self._contents.tombstones.get(number)
        if tombstone is None or content_mac in tombstone.macs:
            raise Fault(f"capsule {number} is not forgotten, or has this content on its tombstone already")
        former = tuple(sorted((*tombstone.former_macs, content_mac)))
        self._contents.tombstones[number] = replace(tombstone, former_macs=former)

    def _tell_less(self, number: int) -> None:
        """Drop what else tells of a capsule: ledger rows of its words, answers that name it, labels in its journal rows."""
        contents = self._contents
        words = words_said((*contents.former.get(number, ()), contents.texts[number]))
        contents.misses = {key: miss for key, miss in contents.misses.items() if not is_said(miss.term_key, words)}
        contents.answers = {key: kept for key, kept in contents.answers.items() if not names_capsule(kept.answer, number)}
        contents.journal = [
            replace(row, values=skeleton_values(row.values)) if row.capsule == number else row for row in contents.journal
        ]

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
        self._published = Contents()
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
    """New capsules come first, then revisions, then spaces; all else keeps its order. Forgetting comes even after the entries."""
    match change:
        case Capture():
            return 0
        case Revise():
            return 1
        case PutSpace():
            return 2
        case _:
            return 3
