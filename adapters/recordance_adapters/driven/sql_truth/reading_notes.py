"""Reading what is noted beside capsules: relations, aliases, verdicts, judgements, misses, kept answers, and the journal."""

import functools
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from sqlalchemy import Select, bindparam, select

from recordance.domain.alias import Alias, Miss, MissOutcome
from recordance.domain.change import KeptAnswer
from recordance.domain.journal import JournalRow, Op
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.review import AnchorVerdict, Corroboration, Feedback, FeedbackOutcome, ReviewEvent, Ruling
from recordance.ports.truth import IndexedChange
from recordance_adapters.driven.sql_truth.capsule_rows import digest
from recordance_adapters.driven.sql_truth.rows import Row, among
from recordance_adapters.driven.sql_truth.snapshot import Snapshot
from recordance_adapters.driven.sql_truth.tables import (
    TOMBSTONED,
    alias,
    corroboration,
    feedback,
    journal,
    kept_answer,
    miss,
    relation,
    review_event,
)

K = TypeVar("K")
V = TypeVar("V")
_ALIAS_COLUMNS = (alias.c.term_key, alias.c.alias_key, alias.c.term, alias.c.text, alias.c.at)
_RELATION_COLUMNS = (relation.c.kind, relation.c.source, relation.c.target, relation.c.at)
_FEEDBACK_COLUMNS = (
    feedback.c.capsule, feedback.c.receipt, feedback.c.actor, feedback.c.outcome, feedback.c.warrants, feedback.c.note,
    feedback.c.at,
)  # fmt: skip
_MISS_COLUMNS = (miss.c.term_key, miss.c.outcome, miss.c.fence, miss.c.count, miss.c.last_at)

# Seqs have no gaps, so that the next rows after one are a range of seqs.
_NEXT = (journal.c.seq > bindparam("after"), journal.c.seq <= bindparam("until"))
_JOURNAL = select(journal).where(*_NEXT).order_by(journal.c.seq)
_CHANGES = select(journal.c.seq, journal.c.op, journal.c.capsule).where(*_NEXT).order_by(journal.c.seq)
_FORGOTTEN = (
    select(journal.c.capsule, journal.c.seq)
    .where(TOMBSTONED, journal.c.seq > bindparam("after"), journal.c.capsule.is_not(None))
    .order_by(journal.c.seq)
)
_HISTORY = select(journal).where(journal.c.capsule == bindparam("number")).order_by(journal.c.seq)
_ALL_ALIASES = select(*_ALIAS_COLUMNS).where(alias.c.removed_at.is_(None)).order_by(alias.c.term_key, alias.c.place)
_REVIEW_COLUMNS = (
    review_event.c.capsule, review_event.c.verdict, review_event.c.reason, review_event.c.actor, review_event.c.at,
)  # fmt: skip
_REVIEWS = select(*_REVIEW_COLUMNS).where(review_event.c.capsule == bindparam("number")).order_by(review_event.c.place)
_MISSES = (
    select(*_MISS_COLUMNS)
    .order_by(miss.c.count.desc(), miss.c.last_at.desc(), miss.c.term_key, miss.c.outcome, miss.c.fence)
    .limit(bindparam("count"))
)
_MISSES_OF = _MISSES.where(miss.c.fence_digest == bindparam("fence"))
_KEPT = select(kept_answer.c.key, kept_answer.c.items_digest, kept_answer.c.answer, kept_answer.c.at).where(
    kept_answer.c.digest == bindparam("digest")
)


@functools.cache
def _aliases(size: int) -> Select[tuple[object, ...]]:
    chosen = select(*_ALIAS_COLUMNS).where(alias.c.removed_at.is_(None), among(alias.c.term_digest, size))
    return chosen.order_by(alias.c.place)


@functools.cache
def _relations_from(size: int) -> Select[tuple[object, ...]]:
    return select(*_RELATION_COLUMNS).where(relation.c.removed_at.is_(None), among(relation.c.source, size))


@functools.cache
def _relations_to(size: int) -> Select[tuple[object, ...]]:
    return select(*_RELATION_COLUMNS).where(relation.c.removed_at.is_(None), among(relation.c.target, size))


@functools.cache
def _review_history(size: int) -> Select[tuple[object, ...]]:
    return select(*_REVIEW_COLUMNS).where(among(review_event.c.capsule, size)).order_by(review_event.c.place)


@functools.cache
def _feedback(size: int) -> Select[tuple[object, ...]]:
    return select(*_FEEDBACK_COLUMNS).where(among(feedback.c.capsule, size)).order_by(feedback.c.place)


@functools.cache
def _corroborations(size: int) -> Select[tuple[object, ...]]:
    columns = [column for column in corroboration.c if column is not corroboration.c.place]
    return select(*columns).where(among(corroboration.c.capsule, size)).order_by(corroboration.c.place)


class NoteReading(Snapshot):
    """The part of TruthReader that is about everything but capsules."""

    def changes_after(self, seq: int, count: int, ops: frozenset[Op]) -> Sequence[IndexedChange]:
        """See TruthReader. Members of Op are their own words, so that a word that was read is found among them."""
        if seq >= self._counters.seq:
            return ()
        last: dict[int, int] = {}
        for at, op, number in self._rows.all(_CHANGES, after=seq, until=seq + count):
            if number is not None and op in ops:
                last.pop(number, None)  # the later row takes the later place
                last[number] = at
        return [IndexedChange(number, at) for number, at in last.items()]

    def forgotten_after(self, seq: int) -> Sequence[IndexedChange]:
        """See TruthReader."""
        return [IndexedChange(*row) for row in self._rows.all(_FORGOTTEN, after=seq)]

    def journal(self, after: int, count: int) -> Sequence[JournalRow]:
        """See TruthReader."""
        return [_journal_row(row) for row in self._rows.all(_JOURNAL, after=after, until=after + count)]

    def history(self, number: int) -> Sequence[JournalRow]:
        """See TruthReader."""
        return [_journal_row(row) for row in self._rows.all(_HISTORY, number=number)]

    def aliases(self, term_keys: Collection[str]) -> Mapping[str, Sequence[Alias]]:
        """See TruthReader."""
        found = (Alias(*row) for row in self._rows.among(_aliases, [digest(key) for key in term_keys]))
        return _grouped((each.term_key, each) for each in found)

    def all_aliases(self) -> Sequence[Alias]:
        """See TruthReader."""
        return [Alias(*row) for row in self._rows.all(_ALL_ALIASES)]

    def relations_from(self, numbers: Collection[int], kinds: Collection[RelationKind]) -> Sequence[Relation]:
        """See TruthReader."""
        found = _relations(self._rows.among(_relations_from, numbers), kinds)
        return sorted(found, key=lambda each: (each.source, each.kind, each.target))

    def relations_to(self, numbers: Collection[int], kinds: Collection[RelationKind]) -> Sequence[Relation]:
        """See TruthReader."""
        found = _relations(self._rows.among(_relations_to, numbers), kinds)
        return sorted(found, key=lambda each: (each.target, each.kind, each.source))

    def reviews(self, number: int) -> Sequence[ReviewEvent]:
        """See TruthReader."""
        rows = self._rows.all(_REVIEWS, number=number)
        return [ReviewEvent(about, Ruling(verdict), *rest) for about, verdict, *rest in rows]

    def review_history(self, numbers: Collection[int]) -> Mapping[int, Sequence[ReviewEvent]]:
        """See TruthReader."""
        rows = self._rows.among(_review_history, numbers)
        return _grouped((number, ReviewEvent(number, Ruling(verdict), *rest)) for number, verdict, *rest in rows)

    def feedback(self, numbers: Collection[int]) -> Mapping[int, Sequence[Feedback]]:
        """See TruthReader."""
        return _grouped(
            (number, Feedback(number, receipt, actor, FeedbackOutcome(outcome), bool(warrants), note, at))
            for number, receipt, actor, outcome, warrants, note, at in self._rows.among(_feedback, numbers)
        )

    def corroborations(self, numbers: Collection[int]) -> Mapping[int, Corroboration]:
        """See TruthReader."""
        return {number: verdicts[-1] for number, verdicts in self.corroboration_history(numbers).items()}

    def corroboration_history(self, numbers: Collection[int]) -> Mapping[int, Sequence[Corroboration]]:
        """See TruthReader."""
        return _grouped(
            (number, Corroboration(number, ref, path, sha, AnchorVerdict(verdict), mentions, at))
            for number, ref, path, sha, verdict, mentions, at in self._rows.among(_corroborations, numbers)
        )

    def misses(self, fence: str | None, count: int) -> Sequence[Miss]:
        """See TruthReader."""
        if fence is None:
            rows = self._rows.all(_MISSES, count=count)
        else:
            rows = self._rows.all(_MISSES_OF, count=count, fence=digest(fence))
        return [Miss(term_key, MissOutcome(outcome), *rest) for term_key, outcome, *rest in rows]

    def kept_answer(self, key: str) -> KeptAnswer | None:
        """See TruthReader."""
        rows = self._rows.all(_KEPT, digest=digest(key))
        return KeptAnswer(*rows[0]) if rows else None


def _journal_row(row: Row) -> JournalRow:
    seq, at, actor, op, number, revision, values = row
    return JournalRow(seq, at, actor, Op(op), number, revision, json.loads(values))


def _relations(rows: Iterable[Row], kinds: Collection[RelationKind]) -> list[Relation]:
    return [Relation(RelationKind(kind), source, target, at) for kind, source, target, at in rows if kind in kinds]


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
