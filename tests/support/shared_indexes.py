"""Followers that share one vector index, each in front of it with a client of its own that a test meets."""

import itertools
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from recordance.ports.shared_vectors import SharedPosition, SharedVectorIndex
from recordance.ports.truth import Truth
from recordance.ports.vectors import Near
from recordance.query.nearness import VectorPoint, VectorQuery
from recordance.usecases.shared_vector_follow import SharedVectorFollower
from recordance.usecases.shared_vector_view import SharedVectors
from recordance.usecases.vector_view import VectorView
from support.stores import standing_still
from support.vector_views import SPACE, is_scan

Met = Callable[[str], None]
"""Called with the name of what is about to be asked ("nearest"), and again when it was answered ("nearest answered")."""


def unmet(_: str) -> None:
    """Let everything pass."""


class MetIndex:
    """A client in front of a shared index. What `met` raises is what the caller sees; `asked` counts the questions."""

    def __init__(self, index: SharedVectorIndex, met: Met = unmet) -> None:
        self._index = index
        self.met = met
        self.asked: list[str] = []
        self.put_numbers: list[list[int]] = []
        self.dropped_numbers: list[list[int]] = []

    def position(self) -> SharedPosition | None:
        with self._meeting("position"):
            return self._index.position()

    def begin(self, position: SharedPosition) -> None:
        with self._meeting("begin"):
            self._index.begin(position)

    def advance(self, epoch: str, position: SharedPosition) -> bool:
        with self._meeting("advance"):
            return self._index.advance(epoch, position)

    def put(self, points: Iterable[VectorPoint], dropped: Collection[int]) -> None:
        with self._meeting("put"):
            listed = list(points)
            self._index.put(listed, dropped)
            self.put_numbers.append([point.number for point in listed])
            self.dropped_numbers.append(list(dropped))

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        with self._meeting("nearest"):
            return self._index.nearest(query, count)

    def count(self) -> int:
        with self._meeting("count"):
            return self._index.count()

    def prove(self, dimension: int | None) -> None:
        with self._meeting("prove"):
            self._index.prove(dimension)

    def close(self) -> None:
        with self._meeting("close"):
            self._index.close()

    @contextmanager
    def _meeting(self, name: str) -> Iterator[None]:
        self.asked.append(name)
        self.met(name)
        yield
        self.met(f"{name} answered")


class Duties:
    """One duty for all who are given it."""

    def __init__(self) -> None:
        self.taken = threading.Lock()

    @contextmanager
    def duty(self) -> Iterator[bool]:
        ours = self.taken.acquire(blocking=False)
        try:
            yield ours
        finally:
            if ours:
                self.taken.release()


_EPOCHS = itertools.count(1)


def an_epoch() -> str:
    """A text that was never drawn before in this run."""
    return f"epoch {next(_EPOCHS)}"


def sharing(
    truth: Truth, index: SharedVectorIndex, duties: Duties, monotonic: Callable[[], float] = standing_still
) -> SharedVectorFollower:
    """A follower that shares an index, with no patience for another writer."""
    return SharedVectorFollower(truth, SPACE, lambda: index, duties.duty, an_epoch, monotonic, patience=0.0)


def scanned(view: VectorView) -> bool:
    """Whether a view that was asked looked at the truth itself in the end."""
    return is_scan(view) or (isinstance(view, SharedVectors) and view._instead is not None)
