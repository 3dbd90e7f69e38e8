"""Replicas that fail when a test says so, and what a follower's view must answer."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from recordance.errors import Fault, ReplicaDamaged
from recordance.ports.terms import Proposals, Tally, TermReplica, TermSnapshot
from recordance.ports.truth import TruthReader
from recordance.query.document import TermDocument, TermQuery
from recordance.query.exclusion import ExclusionReason
from recordance.query.fence import Scope
from recordance.query.memory_index import MemoryIndex
from recordance.ranking.bm25 import CorpusStatistics
from recordance.ranking.scoring import Weights, weigh
from recordance.usecases.follow import RecallView, TermView

CORPUS = CorpusStatistics(10**6, 10**7)


@dataclass
class Faults:
    """What goes wrong: reads, until the index is emptied, and so many writes; and what was written, with its seq."""

    unreadable: bool = False
    failing_writes: int = 0
    clears: int = 0
    writes: list[tuple[list[int], int]] = field(default_factory=list)


class FaultyReplica:
    """A replica over another one that fails as it is told to (see TermReplica)."""

    def __init__(self, replica: TermReplica, faults: Faults) -> None:
        self._replica = replica
        self._faults = faults
        self._snapshot = FaultySnapshot(replica.snapshot(), faults)

    @property
    def applied(self) -> int:
        return self._replica.applied

    @property
    def mark(self) -> str:
        return self._replica.mark

    @property
    def clean(self) -> int:
        return self._replica.clean

    def snapshot(self) -> TermSnapshot:
        if self._snapshot.below is not self._replica.snapshot():
            self._snapshot = FaultySnapshot(self._replica.snapshot(), self._faults)
        return self._snapshot

    def replace(self, numbers: Collection[int], documents: Iterable[TermDocument], seq: int, mark: str = "") -> None:
        if self._faults.failing_writes:
            self._faults.failing_writes -= 1
            raise Fault("the disk is full")
        self._replica.replace(numbers, documents, seq, mark)
        self._faults.writes.append((sorted(numbers), seq))

    def clear(self, clean: int) -> None:
        self._faults.clears += 1
        self._faults.unreadable = False
        self._replica.clear(clean)

    def close(self) -> None:
        self._replica.close()


@dataclass(frozen=True)
class FaultySnapshot:
    """A snapshot that cannot be read while its faults say so (see TermSnapshot)."""

    below: TermSnapshot
    faults: Faults

    def proposals(self, query: TermQuery, masked: Collection[int], count: int, weights: Weights) -> Proposals:
        return self._read().proposals(query, masked, count, weights)

    def frequencies(self, words: Collection[str], masked: Collection[int], scope: Scope) -> Mapping[str, int]:
        return self._read().frequencies(words, masked, scope)

    def words_from(self, beginning: str) -> Collection[str]:
        return self._read().words_from(beginning)

    def tally(self, query: TermQuery, masked: Collection[int]) -> Tally:
        return self._read().tally(query, masked)

    def numbers_present(self, numbers: Collection[int]) -> frozenset[int]:
        return self._read().numbers_present(numbers)

    @property
    def document_count(self) -> int:
        return self.below.document_count

    def _read(self) -> TermSnapshot:
        if self.faults.unreadable:
            raise ReplicaDamaged("a byte is flipped")
        return self.below


def whole_index(reader: TruthReader) -> MemoryIndex:
    """Every document of a truth as a reader sees it."""
    return MemoryIndex().extended(reader.documents(range(1, reader.last_number() + 1)).values(), ())


def answers(terms: TermView, query: TermQuery) -> tuple[object, ...]:
    """Everything that a term view says to a query, with proposals in number order."""
    frequencies = terms.frequencies(query.words, query.scope)
    proposals = terms.proposals(query, 10**4, weigh(frequencies, CORPUS))
    tally = terms.tally(query)
    return sorted(proposals.numbers), tally.eligible, dict(tally.excluded), dict(frequencies)


def expected_answers(reader: TruthReader, query: TermQuery) -> tuple[object, ...]:
    """What a view at this reader's head must say."""
    index = whole_index(reader)
    judged = index.judged(query)
    counts = Counter(judged.values())
    excluded = {reason: counts[reason] for reason in ExclusionReason if counts[reason]}
    eligible = sorted(number for number, reason in judged.items() if reason is None)
    return eligible, counts[None], excluded, index.frequencies(query.words, query.scope)


def holds(view: RecallView, *queries: TermQuery) -> None:
    """Assert that a view answers as the truth at its own head does."""
    assert view.reader.head() == view.head
    for query in queries:
        assert answers(view.terms, query) == expected_answers(view.reader, query), query
