"""The vector index port: a follower of the truth that proposes the nearest; it never decides (decisions 2, 4, 7)."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from recordance.query.nearness import VectorPoint, VectorQuery


@dataclass(frozen=True, slots=True)
class Near:
    """A capsule that an index proposes, with the cosine similarity as the index has it: off by no more than `tolerance`."""

    number: int
    score: float


def tolerance(dimension: int) -> float:
    """Return by how much an index's score may be off the exact cosine.

    An index sums float32 products of vectors of length 1. The sum of n of them is off by less than n·u/(1 − n·u) with
    u = 2⁻²⁴, whatever their order (Higham, "Accuracy and Stability of Numerical Algorithms", §3.1), and rounding both vectors to
    length 1 adds a few u more.
    """
    return (dimension + 8) * 2.0**-24 * 1.01


class VectorReplica(Protocol):
    """One copy of the vector index of one space, on disk, in memory or on a server.

    One thread at a time may call any of the methods. All of them may raise ReplicaDamaged; what writes raises Fault where that is
    impossible.
    """

    @property
    def applied(self) -> int:
        """The journal seq up to which the index durably holds everything; never ahead of its data."""
        ...

    @property
    def mark(self) -> str:
        """What `settle` was last told of the journal up to `applied`; "" if nothing."""
        ...

    @property
    def dimension(self) -> int:
        """How many components its vectors have; 0 before `clear` was ever called."""
        ...

    @property
    def count(self) -> int:
        """How many points it holds."""
        ...

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        """Return the `count` (≥ 1) points with the highest scores that the query admits, the highest first, or all there are.

        Exact but for the rounding of the scores: what is left out scores no higher than what is returned.
        """
        ...

    def put(self, points: Iterable[VectorPoint], dropped: Collection[int]) -> None:
        """Put points in, each in place of the one of its number, and take `dropped` numbers out. Seen by the next `nearest`.

        Idempotent. After a failure any part may have been done, and `applied` stays. Once settled, no byte of a vector that was
        dropped or replaced is left anywhere (W6).
        """
        ...

    def settle(self, seq: int, mark: str = "") -> None:
        """Make all that was put durable, then advance to `seq`; `mark` tells its journal from one with another history."""
        ...

    def clear(self, dimension: int) -> None:
        """Empty the index, for vectors of `dimension` components, and go back to seq 0. No byte of its vectors is left."""
        ...

    def close(self) -> None:
        """Settle nothing more and release what it holds."""
        ...
