"""A vector index that several followers share, in plain memory: what a server must be to them (see SharedVectorIndex)."""

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from recordance.errors import ReplicaDamaged
from recordance.ports.shared_vectors import SharedPosition
from recordance.ports.vectors import Near
from recordance.query.nearness import VectorPoint, VectorQuery
from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica


class MemorySharedIndex:
    """One index; give it to as many followers as share it."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._replica: MemoryVectorReplica | None = None
        self._position: SharedPosition | None = None

    def position(self) -> SharedPosition | None:
        """See SharedVectorIndex."""
        return self._position

    def begin(self, position: SharedPosition) -> None:
        """See SharedVectorIndex."""
        with self._turn:
            self._replica = MemoryVectorReplica()
            self._replica.clear(position.dimension)
            self._position = position

    def advance(self, epoch: str, position: SharedPosition) -> bool:
        """See SharedVectorIndex."""
        with self._turn:
            if self._position is None or self._position.epoch != epoch:
                return False
            self._position = position
            return True

    def put(self, points: Iterable[VectorPoint], dropped: Collection[int]) -> None:
        """See SharedVectorIndex."""
        with self._there() as replica:
            replica.put(points, dropped)

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        """See SharedVectorIndex; of equal scores the lower number comes first."""
        with self._there() as replica:
            return replica.nearest(query, count)

    def count(self) -> int:
        """See SharedVectorIndex."""
        with self._there() as replica:
            return replica.count

    def prove(self, dimension: int | None) -> None:
        """See SharedVectorIndex: memory is nobody else's."""

    def close(self) -> None:
        """See SharedVectorIndex: there is nothing to release."""

    def vanish(self) -> None:
        """Delete the index, as somebody may who has the server."""
        with self._turn:
            self._replica, self._position = None, None

    @contextmanager
    def _there(self) -> Iterator[MemoryVectorReplica]:
        with self._turn:
            if self._replica is None:
                raise ReplicaDamaged("there is no index")
            yield self._replica
