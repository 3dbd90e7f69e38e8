"""A replica of the vector index in one slot's folder, on the embedded engine."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

import qdrant_edge as edge

from recordance.errors import Fault, ReplicaDamaged
from recordance.ports.vectors import Near, tolerance
from recordance.query.nearness import VectorPoint, VectorQuery
from recordance_adapters.driven.qdrant_vectors import engine
from recordance_adapters.driven.qdrant_vectors.encoding import conditions_of, direction, payload_of
from recordance_adapters.driven.qdrant_vectors.files import places, prepare
from recordance_adapters.driven.qdrant_vectors.room import Room, require_room
from recordance_adapters.driven.qdrant_vectors.sidecar import INDEX, Position, read_position, remove_vectors, write_position

T = TypeVar("T")

BATCH = 500
"""How many points are written at once: the engine keeps the interpreter to itself meanwhile, here for about 5 ms."""


class EdgeReplica:
    """The index in the folder `slot`, which this process holds (see VectorReplica).

    It has a shard from the first `clear` on, until it is closed.
    """

    def __init__(self, slot: Path, position: Position, shard: edge.EdgeShard | None, room: Room) -> None:
        self._slot = slot
        self._position = position
        self._shard = shard
        self._room = room
        self._written = False

    @property
    def applied(self) -> int:
        """See VectorReplica."""
        return self._position.seq

    @property
    def mark(self) -> str:
        """See VectorReplica."""
        return self._position.mark

    @property
    def dimension(self) -> int:
        """See VectorReplica."""
        return self._position.dimension

    @property
    def count(self) -> int:
        """See VectorReplica."""
        if self._shard is None:
            return 0
        with engine.reading():
            return self._shard.info().points_count

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        """See VectorReplica."""
        held, conditions = self.count, conditions_of(query)
        if self._shard is None or not held or conditions is None:
            return ()
        towards = direction(query.vector, self.dimension).values
        wanted = min(count, held)
        found = engine.ask(self._shard, towards, conditions, wanted)
        # A flipped bit can make a component huge, which would top every answer, or no number at all, which is left out of all.
        if not all(abs(score) <= 1 + tolerance(self.dimension) for _, score in found):
            raise ReplicaDamaged("the vector index holds a vector that is not of length 1")
        if not conditions and len(found) < wanted:
            raise ReplicaDamaged(f"the vector index finds {len(found)} of {held} points")
        return [Near(number, score) for number, score in found]

    def put(self, points: Iterable[VectorPoint], dropped: Collection[int]) -> None:
        """See VectorReplica."""
        for batch in _batches(points):
            latest = {point.number: self._engine_point(point) for point in batch}  # twice the same number makes two points else
            self._update(edge.UpdateOperation.upsert_points(list(latest.values())), len(latest))
        for gone in _batches(dropped if self.dimension else ()):
            self._drop(gone)

    def settle(self, seq: int, mark: str = "") -> None:
        """See VectorReplica."""
        taken = self._flush() if self.dimension else 0
        position = Position(self._position.store, seq, mark, self.dimension, self.count, taken)
        write_position(self._slot, position)
        self._position = position

    def clear(self, dimension: int) -> None:
        """See VectorReplica."""
        self.close()
        remove_vectors(self._slot)
        self._position = nothing(self._position.store, dimension)
        require_room(self._room, self._slot, 0, dimension)
        self._shard, self._written = engine.make_shard(self._slot / INDEX, dimension), True

    def close(self) -> None:
        """See VectorReplica."""
        shard, self._shard = self._shard, None
        if shard is not None:
            engine.close(shard)

    def _engine_point(self, point: VectorPoint) -> edge.Point:
        vector = direction(point.vector, self.dimension).values
        return edge.Point(point.number, vector, payload_of(point))  # type: ignore[arg-type] # any sequence of floats will do

    def _drop(self, numbers: Sequence[int]) -> None:
        """Overwrite the vectors of those numbers that there are, then take the points out: the engine leaves their bytes (W6)."""
        blank = [edge.Point(number, [0.0] * self.dimension) for number in numbers]
        self._update(edge.UpdateOperation.upsert_points(blank, update_mode=edge.UpdateMode.UpdateOnly), len(blank))
        self._update(edge.UpdateOperation.delete_points(list(numbers)), len(blank))

    def _update(self, operation: edge.UpdateOperation, points: int) -> None:
        shard = self._opened()
        require_room(self._room, self._slot, points, self.dimension)
        self._written = True
        engine.update(shard, operation)

    def _flush(self) -> int:
        """Have all that was written lie on the disk, and return how many places for vectors that takes."""
        shard = self._opened()
        if self._written:
            require_room(self._room, self._slot, 0, self.dimension)
            engine.flush(shard)
            self._written = False
        return places(self._slot / INDEX)

    def _opened(self) -> edge.EdgeShard:
        if self._shard is None:
            raise Fault("the vector index takes nothing: it has no dimension yet, or is closed")
        return self._shard


def open_replica(slot: Path, store: str, room: Room) -> EdgeReplica:
    """Return the replica that lies in a slot's folder; raises ReplicaDamaged if it is no sound one of this store.

    It may hold more than its position says, if its process died after a write, or a flush, but never less.
    """
    position = read_position(slot, store)
    if position is None or not position.dimension:
        raise ReplicaDamaged(f"slot {slot.name} holds no vector index of this store by these versions")
    prepare(slot / INDEX, position)
    return EdgeReplica(slot, position, engine.load_shard(slot / INDEX, position.dimension), room)


def empty_replica(slot: Path, store: str, room: Room) -> EdgeReplica:
    """Return an empty replica in a slot's folder, whatever lay there before. Raises Fault if that cannot be removed."""
    remove_vectors(slot)
    return EdgeReplica(slot, nothing(store, dimension=0), None, room)


def nothing(store: str, dimension: int) -> Position:
    """Return the position of an index that nothing was put into."""
    return Position(store, seq=0, mark="", dimension=dimension, count=0, places=0)


def _batches(items: Iterable[T]) -> Iterator[Sequence[T]]:
    source = iter(items)
    while batch := tuple(islice(source, BATCH)):
        yield batch
