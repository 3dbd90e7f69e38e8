"""The term follower: keeps a replica of the term index behind the truth, and shows a recall everything that was answered.

Rows of the journal above the replica's position are held in the overlay, judged by the pure predicates, and merged with what
the replica proposes (decision 1).
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from recordance.ports.terms import Proposals, Tally, TermReplica
from recordance.ports.truth import Truth, TruthReader
from recordance.query.document import TermQuery
from recordance.query.fence import Scope
from recordance.ranking.scoring import Weights

Progress = Callable[[int, int], None]
"""Called with (done, total) as long work goes on."""


class TermView(Protocol):
    """The term index as of exactly one journal seq: replica and overlay as one."""

    def proposals(self, query: TermQuery, count: int, weights: Weights) -> Proposals:
        """Return the likely best `count` eligible matches with a horizon for the rest, as TermSnapshot.proposals does."""
        ...

    def frequencies(self, words: Collection[str], scope: Scope) -> Mapping[str, int]:
        """Return the exact document frequency of each word inside `scope`."""
        ...

    def tally(self, query: TermQuery) -> Tally:
        """Return the exact counts of all matches."""
        ...


@dataclass(frozen=True, slots=True)
class RecallView:
    """One consistent reading of a store: a snapshot of the truth and the term index at that snapshot's head."""

    reader: TruthReader
    terms: TermView
    head: int


@dataclass(frozen=True, slots=True)
class FollowerStatus:
    """How far the replica is: the journal's head, what the replica has applied, and how many documents the overlay holds."""

    head: int
    applied: int
    overlay: int


class TermFollower:
    """Follows the journal of one truth into one replica. Safe for threads."""

    def __init__(self, truth: Truth, replica: TermReplica) -> None:
        self._truth = truth
        self._replica = replica

    @contextmanager
    def at_head(self) -> Iterator[RecallView]:
        """Open a snapshot of the truth with the term index at exactly its head, whatever the replica has applied."""
        raise AssertionError
        yield

    def commit(self) -> None:
        """Write what the overlay holds into the replica and let it go from the overlay."""

    def rebuild(self, progress: Progress) -> None:
        """Empty the replica and fill it again from the truth."""

    def status(self) -> FollowerStatus:
        """Return how far the replica is."""
        raise AssertionError
