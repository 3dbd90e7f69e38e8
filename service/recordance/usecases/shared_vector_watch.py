"""What a process knows of a vector index that it shares with others: where it was last seen, and whether it can be asked."""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from recordance.errors import Fault, ReplicaDamaged
from recordance.ports.shared_vectors import SharedPosition, SharedVectorIndex
from recordance.ports.vectors import Near
from recordance.query.nearness import VectorPoint, VectorQuery
from recordance.usecases.truce import Truce
from recordance.usecases.vector_steps import Place


@dataclass(frozen=True, slots=True)
class Seen:
    """A position of the index, and a place at or after it: the journal rows in between tell nothing of vectors."""

    position: SharedPosition
    place: Place


def seen_at(position: SharedPosition) -> Seen:
    """Return what is known once a position was read."""
    return Seen(position, Place(position.applied, position.mark))


class Watch:
    """The index itself, in front of which is remembered where it was and whether it answers (see SharedVectorIndex).

    What is remembered may be old: in its epoch it is a lower bound of what the index holds, and an epoch that has ended is found
    out by whoever reads the position after a search.
    """

    def __init__(self, opening: Callable[[], SharedVectorIndex], truce: Truce) -> None:
        self._opening = opening
        self._truce = truce
        self._opens = threading.Lock()
        self._index: SharedVectorIndex | None = None
        self._closed = False
        self.seen: Seen | None = None
        self.distrusted = False
        self.alarms = 0

    @property
    def is_open(self) -> bool:
        """Whether the index was opened and not closed again."""
        return self._index is not None

    @property
    def sound(self) -> bool:
        """Whether the index, as far as anybody knows, can be asked and tells the truth."""
        return not (self.distrusted or self._truce.holds)

    def lets(self) -> bool:
        """Whether a recall may ask the index now."""
        return not self.distrusted and not self._closed and self._truce.lets()

    def position(self) -> SharedPosition | None:
        """Return the position as of now, and remember it."""
        with self._asking() as index:
            position = index.position()
        seen = self.seen
        if position is None:
            self.seen = None
        elif seen is None or seen.position != position:
            self.seen = seen_at(position)
        return position

    def begin(self, position: SharedPosition) -> None:
        """See SharedVectorIndex."""
        with self._asking() as index:
            index.begin(position)

    def advance(self, epoch: str, position: SharedPosition) -> bool:
        """See SharedVectorIndex."""
        with self._asking() as index:
            return index.advance(epoch, position)

    def put(self, points: Iterable[VectorPoint], dropped: Collection[int]) -> None:
        """See SharedVectorIndex."""
        with self._asking() as index:
            index.put(points, dropped)

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        """See SharedVectorIndex."""
        with self._asking() as index:
            return index.nearest(query, count)

    def count(self) -> int:
        """See SharedVectorIndex."""
        with self._asking() as index:
            return index.count()

    def prove(self, dimension: int | None) -> None:
        """See SharedVectorIndex."""
        with self._asking() as index:
            index.prove(dimension)

    def passed(self, position: SharedPosition, place: Place) -> None:
        """Remember that up to `place` nothing follows a position that changes the index."""
        seen = self.seen
        if seen is not None and seen.position == position and seen.place.seq < place.seq:
            self.seen = Seen(position, place)

    def alarm(self) -> None:
        """Have somebody look at the index whose business it is."""
        self.seen = None
        self.alarms += 1

    def distrust(self) -> None:
        """Leave the index alone until it was made anew."""
        self.distrusted = True
        self.alarm()

    def close(self) -> None:
        """Close the index; nobody asks it any more."""
        with self._opens:
            index, self._index, self._closed = self._index, None, True
        if index is not None:
            index.close()

    def _open(self) -> SharedVectorIndex:
        index = self._index
        if index is not None:
            return index
        with self._opens:
            if self._closed:
                raise Fault("the vector index is closed")
            if self._index is None:
                self._index = self._opening()
            return self._index

    @contextmanager
    def _asking(self) -> Iterator[SharedVectorIndex]:
        """Take note of whether the index answers what is asked of it; one that is gone has answered."""
        try:
            yield self._open()
        except ReplicaDamaged:
            self._truce.worked()
            raise
        except Fault:
            if self._truce.failed():
                self.alarms += 1
            raise
        self._truce.worked()
