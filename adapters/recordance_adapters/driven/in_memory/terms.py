"""The term index in plain memory: the pure predicates over every document. It defines what an engine must answer."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from recordance.ports.terms import Proposals, Tally
from recordance.query.document import TermDocument, TermQuery
from recordance.query.exclusion import ExclusionReason
from recordance.query.fence import Scope
from recordance.query.memory_index import MemoryIndex
from recordance.ranking.scoring import Weights


@dataclass(frozen=True, slots=True)
class MemorySnapshot:
    """One immutable state of the index (see TermSnapshot)."""

    _index: MemoryIndex

    def proposals(
        self,
        query: TermQuery,
        masked: Collection[int],
        count: int,  # noqa: ARG002 - every eligible match is proposed, so that nothing is left to bound
        weights: Weights,  # noqa: ARG002 - and nothing needs ranking
    ) -> Proposals:
        """See TermSnapshot."""
        return Proposals(tuple(number for number, reason in self._judged(query, masked).items() if reason is None), None)

    def frequencies(self, words: Collection[str], masked: Collection[int], scope: Scope) -> Mapping[str, int]:
        """See TermSnapshot."""
        return self._index.extended((), masked).frequencies(words, scope)

    def words_from(self, beginning: str) -> Collection[str]:
        """See TermSnapshot."""
        return self._index.words_from(beginning)

    def tally(self, query: TermQuery, masked: Collection[int]) -> Tally:
        """See TermSnapshot."""
        counts = Counter(self._judged(query, masked).values())
        return Tally(counts.pop(None, 0), {reason: counts[reason] for reason in ExclusionReason if counts[reason]})

    def numbers_present(self, numbers: Collection[int]) -> frozenset[int]:
        """See TermSnapshot."""
        return frozenset(number for number in numbers if number in self._index)

    @property
    def document_count(self) -> int:
        """See TermSnapshot."""
        return len(self._index)

    def _judged(self, query: TermQuery, masked: Collection[int]) -> dict[int, ExclusionReason | None]:
        hidden = set(masked)
        return {number: reason for number, reason in self._index.judged(query).items() if number not in hidden}


class MemoryReplica:
    """A replica that lasts as long as its process (see TermReplica)."""

    def __init__(self) -> None:
        self._index = MemoryIndex()
        self._snapshot = MemorySnapshot(self._index)
        self._applied, self._mark, self._clean = 0, "", 0

    @property
    def applied(self) -> int:
        """See TermReplica."""
        return self._applied

    @property
    def mark(self) -> str:
        """See TermReplica."""
        return self._mark

    @property
    def clean(self) -> int:
        """See TermReplica."""
        return self._clean

    def snapshot(self) -> MemorySnapshot:
        """See TermReplica."""
        return self._snapshot

    def replace(self, numbers: Collection[int], documents: Iterable[TermDocument], seq: int, mark: str = "") -> None:
        """See TermReplica."""
        self._index = self._index.extended(documents, numbers)
        self._snapshot = MemorySnapshot(self._index)
        self._applied, self._mark = seq, mark

    def clear(self, clean: int) -> None:
        """See TermReplica."""
        self._index = MemoryIndex()
        self._snapshot = MemorySnapshot(self._index)
        self._applied, self._mark, self._clean = 0, "", clean

    def close(self) -> None:
        """See TermReplica: there is nothing to release."""
