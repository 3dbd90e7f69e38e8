"""One writing transaction: a change set becomes a few statements, each run once for all rows of its kind."""

import functools
import itertools
from collections import Counter
from collections.abc import Iterable, Sequence

from sqlalchemy import Integer, Select, bindparam, delete, select, text, update

from recordance.domain.alias import Miss, MissOutcome
from recordance.domain.capsule import Capsule, LabelField, Tombstone
from recordance.domain.change import Capture, ChangeSet, Entomb, PutEmbedding, PutFeedback, Revise
from recordance.domain.embedding import Embedding
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry
from recordance.errors import Fault
from recordance_adapters.driven.sql_truth import tables
from recordance_adapters.driven.sql_truth.capsule_rows import (
    anchor_rows,
    capsule_row,
    digest,
    json_text,
    mark_rows,
    text_row,
)
from recordance_adapters.driven.sql_truth.changes import Run, judgement, runs
from recordance_adapters.driven.sql_truth.forgetting import forget
from recordance_adapters.driven.sql_truth.reading_notes import NoteReading
from recordance_adapters.driven.sql_truth.reading_pages import PageReading
from recordance_adapters.driven.sql_truth.reading_vectors import VectorReading
from recordance_adapters.driven.sql_truth.remains import RemainReading
from recordance_adapters.driven.sql_truth.revising import revise
from recordance_adapters.driven.sql_truth.rows import among

_COUNT = update(tables.counter).values(
    {name: bindparam(name) for name in ("capsules", "words", "last_number", "seq")},
)
_COUNT_PROJECT = text(
    "INSERT INTO project_counter (digest, project_id, capsules, words) VALUES (:digest, :project_id, :capsules, :words) "
    "ON CONFLICT (digest) DO UPDATE SET capsules = project_counter.capsules + excluded.capsules, "
    "words = project_counter.words + excluded.words"
)
_judged = tables.feedback.c
_WITHDRAW = delete(tables.feedback).where(
    _judged.capsule == bindparam("about"),
    _judged.receipt_digest == bindparam("under"),
    _judged.actor_digest == bindparam("by"),
)
_COUNT_MISS = text(
    "INSERT INTO miss (term_digest, outcome, fence_digest, term_key, fence, count, last_at) "
    "VALUES (:term_digest, :outcome, :fence_digest, :term_key, :fence, 1, :last_at) "
    "ON CONFLICT (term_digest, outcome, fence_digest) DO UPDATE SET count = miss.count + 1, last_at = excluded.last_at"
)
_KEEP_MISS = text(
    "INSERT INTO miss (term_digest, outcome, fence_digest, term_key, fence, count, last_at) "
    "VALUES (:term_digest, :outcome, :fence_digest, :term_key, :fence, :count, :last_at) "
    "ON CONFLICT (term_digest, outcome, fence_digest) DO UPDATE SET "
    "count = CASE WHEN excluded.count > miss.count THEN excluded.count ELSE miss.count END, "
    "last_at = CASE WHEN excluded.last_at > miss.last_at THEN excluded.last_at ELSE miss.last_at END"
)
_spaces = tables.embedding_space.c
_COUNT_VECTORS = (
    update(tables.embedding_space)
    .where(_spaces.space == bindparam("which"))
    .values(vectors=_spaces.vectors + bindparam("more", type_=Integer))
)
_COUNTED_SINCE = "0002"
"""The format since which spaces know how many vectors they hold; forgetting reaches into copies of older stores too."""
_NO_DIGEST = ""
_outdated = (tables.embedding.c.capsule == bindparam("of"), tables.embedding.c.content_digest != bindparam("kept"))
_OUTDATED = select(tables.embedding.c.space).where(*_outdated)
_DROP_VECTORS = delete(tables.embedding).where(*_outdated)
_CLEAR_MISSES = delete(tables.miss)
_CLEAR_MISSES_OF = delete(tables.miss).where(tables.miss.c.fence_digest == bindparam("fence"))


@functools.cache
def _embedded_in(size: int) -> Select[tuple[int, str]]:
    embedding = tables.embedding.c
    return select(embedding.capsule, embedding.space).where(among(embedding.capsule, size))


class SqlReader(VectorReading, PageReading, NoteReading, RemainReading):
    """One snapshot (see TruthReader)."""


class SqlWriter(SqlReader):
    """One writing transaction (see TruthWriter)."""

    def apply(self, changes: ChangeSet, actor: str, at: Instant) -> int:
        """See TruthWriter. Raises Fault when a change does not fit what the store holds."""
        captures = [change for change in changes.changes if isinstance(change, Capture)]
        self._capture(captures)
        self._revise([change for change in changes.changes if isinstance(change, Revise)])
        for run in runs(change for change in changes.changes if not isinstance(change, Capture | Revise | Entomb)):
            self._make(run)
        self._note(changes.entries, actor, at)
        self._forget([change.tombstone for change in changes.changes if isinstance(change, Entomb)])
        if changes.changes or changes.entries:
            counters = self._counters
            self._rows.change(
                _COUNT,
                capsules=counters.capsules,
                words=counters.words,
                last_number=counters.last_number,
                seq=counters.seq,
            )
        return self._counters.seq

    def count_misses(self, term_keys: Sequence[str], outcome: MissOutcome, fence: str, at: Instant) -> None:
        """See TruthWriter."""
        shared = {"outcome": outcome.value, "fence_digest": digest(fence), "fence": fence, "last_at": at}
        missed = [{"term_digest": digest(term_key), "term_key": term_key, **shared} for term_key in term_keys]
        if missed:
            self._rows.change_many(_COUNT_MISS, missed)

    def keep_misses(self, misses: Sequence[Miss]) -> None:
        """See TruthWriter."""
        kept = [
            {
                "term_digest": digest(miss.term_key),
                "outcome": miss.outcome.value,
                "fence_digest": digest(miss.fence),
                "term_key": miss.term_key,
                "fence": miss.fence,
                "count": miss.count,
                "last_at": miss.last_at,
            }
            for miss in misses
        ]
        if kept:
            self._rows.change_many(_KEEP_MISS, kept)

    def clear_misses(self, fence: str | None) -> int:
        """See TruthWriter."""
        if fence is None:
            return self._rows.change(_CLEAR_MISSES)
        return self._rows.change(_CLEAR_MISSES_OF, fence=digest(fence))

    def _capture(self, captures: Sequence[Capture]) -> None:
        if not captures:
            return
        for expected, capture in enumerate(captures, self._counters.last_number + 1):
            if capture.capsule.number != expected:
                raise Fault(f"the next capsule is number {expected}, not {capture.capsule.number}")
        texts = [(capture.capsule.number, capture.text) for capture in captures]
        self._rows.insert(tables.capsule, (capsule_row(capture.capsule) for capture in captures))
        self._rows.insert(tables.capsule_revision, (text_row(*text) for text in texts))
        self._rows.insert(tables.anchor, (row for text in texts for row in anchor_rows(*text)))
        self._rows.insert(tables.capsule_mark, (row for text in texts for row in mark_rows(*text)))
        self._counters.last_number += len(captures)
        self._count([capture.capsule for capture in captures], +1)

    def _revise(self, revisions: Sequence[Revise]) -> None:
        for before, after in revise(self._rows, revisions, self.capsules([each.capsule.number for each in revisions])):
            self._count((before,), -1)
            self._count((after,), +1)
            self._drop_vectors(after.number, after.content_digest)

    def _forget(self, tombstones: Sequence[Tombstone]) -> None:
        for capsule in forget(self._rows, tombstones, self.capsules([each.capsule for each in tombstones])):
            self._count((capsule,), -1)
            self._drop_vectors(capsule.number, _NO_DIGEST)

    def _count(self, capsules: Iterable[Capsule], sign: int) -> None:
        """Add capsules to the counters of the store and of their projects, or take them out."""
        numbers: Counter[str | None] = Counter()
        words: Counter[str | None] = Counter()
        for capsule in capsules:
            project = capsule.labels.get(LabelField.PROJECT)
            numbers[project] += sign
            words[project] += sign * capsule.word_count
        self._counters.capsules += numbers.total()
        self._counters.words += words.total()
        counted = [
            {"digest": digest(project), "project_id": project, "capsules": numbers[project], "words": words[project]}
            for project in numbers
            if project is not None
        ]
        if counted:
            self._rows.change_many(_COUNT_PROJECT, counted)

    def _make(self, run: Run) -> None:
        if isinstance(run.changes[0], PutFeedback):
            self._rows.change_many(_WITHDRAW, [judgement(change) for change in run.changes if isinstance(change, PutFeedback)])
        if isinstance(run.changes[0], PutEmbedding):
            self._await_vectors([change.embedding for change in run.changes if isinstance(change, PutEmbedding)])
        changed = self._rows.change_many(run.way.statement, [run.way.parameters(change) for change in run.changes])
        if run.way.rows_each is not None and changed != run.way.rows_each * len(run.changes):
            raise Fault(f"{type(run.changes[0]).__name__} {run.way.misfit}")

    def _await_vectors(self, embeddings: Sequence[Embedding]) -> None:
        """Count those that replace none in their space."""
        there = set(self._rows.among(_embedded_in, [each.capsule for each in embeddings]))
        self._count_vectors(Counter(space for _, space in {(each.capsule, each.space) for each in embeddings} - there), +1)

    def _drop_vectors(self, number: int, kept_digest: str) -> None:
        """Drop a capsule's vectors but those of the content with this digest."""
        dropped = Counter(space for (space,) in self._rows.all(_OUTDATED, of=number, kept=kept_digest))
        if dropped:
            self._rows.change(_DROP_VECTORS, of=number, kept=kept_digest)
            self._count_vectors(dropped, -1)

    def _count_vectors(self, spaces: Counter[str], sign: int) -> None:
        if spaces and self._version >= _COUNTED_SINCE:
            self._rows.change_many(_COUNT_VECTORS, [{"which": name, "more": sign * more} for name, more in spaces.items()])

    def _note(self, entries: Sequence[Entry], actor: str, at: Instant) -> None:
        first = self._counters.seq + 1
        rows = [
            (seq, at, actor, entry.op.value, entry.capsule, entry.revision, json_text(dict(entry.values)))
            for seq, entry in zip(itertools.count(first), entries, strict=False)
        ]
        self._rows.insert(tables.journal, rows)
        self._counters.seq += len(rows)
