"""The term index port: a follower of the truth that proposes candidates and counts; it never decides (decisions 2, 4, 6)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from recordance.query.document import TermDocument, TermQuery
from recordance.query.exclusion import ExclusionReason
from recordance.query.fence import Scope
from recordance.ranking.scoring import Weights


@dataclass(frozen=True, slots=True)
class Horizon:
    """A bound on what was not proposed: no such match has more coverage, nor at equal coverage a higher exact BM25.

    Of a query that is ordered by weight alone, no such match has a higher exact BM25, whatever its coverage.
    `inexact` is how few of its terms must have matched by a text service alone, at that coverage (T9).
    """

    coverage: int
    bm25: float
    inexact: int = 0


@dataclass(frozen=True, slots=True)
class Floor:
    """What is sure of proposals without reading them.

    At least `count` of them have at least this coverage, and at equal coverage an exact BM25 of at least `bm25`; by weight alone,
    at least so many have that BM25, whatever their coverage. `inexact` is how many may have matched by a text service alone.
    """

    count: int = 0
    coverage: int = 0
    bm25: float = 0.0
    inexact: int = 0


UNSURE = Floor()


@dataclass(frozen=True, slots=True)
class Proposals:
    """Eligible matches by number, the likely best first; `horizon` bounds the rest, None when there is no rest."""

    numbers: tuple[int, ...]
    horizon: Horizon | None
    floor: Floor = UNSURE


@dataclass(frozen=True, slots=True)
class Tally:
    """All matches inside the scope: how many may ground, and how many each exclusion reason claims first (F6, O2)."""

    eligible: int
    excluded: Mapping[ExclusionReason, int]


class TermSnapshot(Protocol):
    """A term index frozen at one moment. `masked` numbers are treated as if they were not in it.

    All methods may raise ReplicaDamaged.
    """

    def proposals(self, query: TermQuery, masked: Collection[int], count: int, weights: Weights) -> Proposals:
        """Return at least the `count` (≥ 1) likely best eligible matches in the query's order, or all if there are fewer.

        `weights` are the exact ones (L17): the index ranks by them as well as it can, and bounds the rest by them. A word that
        they do not name adds nothing; without any, coverage alone can rank.
        """
        ...

    def frequencies(self, words: Collection[str], masked: Collection[int], scope: Scope) -> Mapping[str, int]:
        """Return for each word how many documents inside `scope` have it, exactly, eligible or not (L17)."""
        ...

    def words_from(self, beginning: str) -> Collection[str]:
        """Return every word of the contents that begins so (L10); words may be among them that no document has any more."""
        ...

    def tally(self, query: TermQuery, masked: Collection[int]) -> Tally:
        """Return the exact counts of all matches, without visiting each (O2)."""
        ...

    def numbers_present(self, numbers: Collection[int]) -> frozenset[int]:
        """Return those of `numbers` that are in the index."""
        ...

    @property
    def document_count(self) -> int:
        """How many documents the index holds."""
        ...


class TermReplica(Protocol):
    """One process's copy of the term index, on disk or in memory (decision 2).

    One thread at a time may call `replace`, `clear` or `close`; `snapshot` and `applied` may be read by any. What
    writes raises Fault where that is impossible.
    """

    @property
    def applied(self) -> int:
        """The journal seq up to which the index is known to hold everything; never ahead of its data."""
        ...

    @property
    def mark(self) -> str:
        """What `replace` was last told of the journal up to `applied`; "" if nothing."""
        ...

    @property
    def clean(self) -> int:
        """The journal seq up to which nothing that was forgotten is in any file of the index, as `clear` was told (W6).

        What an engine deletes stays in its files until they are merged; only an index that was begun anew since is clean.
        """
        ...

    def snapshot(self) -> TermSnapshot:
        """Return the index as of the last completed write to it."""
        ...

    def replace(self, numbers: Collection[int], documents: Iterable[TermDocument], seq: int, mark: str = "") -> None:
        """Take out what the index holds under these numbers, put `documents` in, make it durable, then advance to `seq`.

        `mark` tells the journal that has `seq` from one with another history; it is kept with the position.

        Every document's number is among `numbers`; a number without a document is gone from the truth. `documents` is read
        once, as it is written, so that a long catch-up need not be held in memory. Idempotent. On any failure the index stands
        as before, or raises ReplicaDamaged.
        """
        ...

    def clear(self, clean: int) -> None:
        """Empty the index, with every byte in its files, and go back to seq 0, so that everything is applied again.

        `clean` is told where what is written from now on was read from the truth at that seq or later.
        """
        ...

    def close(self) -> None:
        """Release the folder; the replica may be adopted by another process afterwards."""
        ...
