"""Turns: a lock that is given to whoever has waited longest."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

FOREVER = -1.0
"""As a patience: however long it takes."""


class Turns:
    """A lock for one thread at a time that nobody can overtake.

    A thread that gives its turn back and asks again at once stands behind all that wait. With the plain lock it would get it
    again and again, since the waiting ones have yet to wake up.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._waiting: deque[threading.Lock] = deque()

    def take(self, patience: float = FOREVER) -> bool:
        """Wait for the turn, at most `patience` seconds; whether it is this thread's now."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            place = threading.Lock()
            place.acquire()
            self._waiting.append(place)
        given = False
        try:
            given = place.acquire(timeout=patience)
        finally:
            given = given or self._given_late(place)
        return given

    def give_back(self) -> None:
        """Hand the turn to whoever has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._taken = False

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the turn for a while."""
        self.take()
        try:
            yield
        finally:
            self.give_back()

    def _given_late(self, place: threading.Lock) -> bool:
        """Stand in the queue no longer; whether the turn was handed over at the last moment."""
        with self._guard:
            if place in self._waiting:
                self._waiting.remove(place)
                return False
            return True
