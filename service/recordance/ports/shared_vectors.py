"""The port to a vector index that several processes share: one of them at a time writes it, all of them ask it (decision 2).

The index has no snapshots, and nobody can be told when it changes. Its position makes up for both: whoever has searched reads it
afterwards and knows what may have been written meanwhile.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from recordance.ports.vectors import Near
from recordance.query.nearness import VectorPoint, VectorQuery

Duty = Callable[[], AbstractContextManager[bool]]
"""Tries, without waiting, to become the one process that may write the index; whether it is, as long as the context lasts.

It must end with its process, however that ends. Raises what the truth raises.
"""
Chance = Callable[[], str]
"""Draws a text that nobody has drawn before: the name of an epoch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPosition:
    """What an index tells about itself, in one place of its own.

    It holds everything up to the journal row `applied`, which bears `mark`, and nothing of a later state of the truth than
    `intent`. As long as the `epoch` is the same, `applied` and `intent` only grow: it ends when the index begins anew, and when
    another writer takes over.
    """

    epoch: str
    applied: int
    mark: str
    intent: int
    dimension: int


class SharedVectorIndex(Protocol):
    """The index of one space as a client of its server sees it. Safe for threads.

    Every method asks the server, waits no longer than a bound, and may raise Fault where it cannot be asked, ReplicaDamaged where
    the index is gone, and StoreUnusable where what lies there under its name is not this store's.
    """

    def position(self) -> SharedPosition | None:
        """Return the position as of now; None where there is no index, or one that was emptied by whomever."""
        ...

    def begin(self, position: SharedPosition) -> None:
        """Make the index anew, empty, for vectors of the position's dimension, and put the position into it."""
        ...

    def advance(self, epoch: str, position: SharedPosition) -> bool:
        """Put the position in place of the one of `epoch`, durably; whether it stands there now.

        Where there is none, or another epoch's, nothing is written.
        """
        ...

    def put(self, points: Iterable[VectorPoint], dropped: Collection[int]) -> None:
        """Put points in, each in place of the one of its number, and take `dropped` numbers out. Seen by every later `nearest`.

        Idempotent. After a failure any part may have been done, or may yet be.
        """
        ...

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        """Return the `count` (≥ 1) points with the highest scores that the query admits, the highest first, or all there are.

        Exact but for the rounding of the scores (see `ports.vectors.tolerance`), as of some moment during the call.
        """
        ...

    def count(self) -> int:
        """Return how many points it holds."""
        ...

    def prove(self, dimension: int | None) -> None:
        """Raise StoreUnusable where the index is not this store's, or was made by others for another dimension than this."""
        ...

    def close(self) -> None:
        """Release what it holds on this side."""
        ...
