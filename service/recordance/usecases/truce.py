"""Truces: who does not answer is left alone for a while, longer each time, so that not everybody waits for it in turn."""

import threading
from collections.abc import Callable

FIRST_SECONDS = 1.0
LONGEST_SECONDS = 60.0


class Truce:
    """Whether somebody who failed may be asked again. Safe for threads; `monotonic` tells seconds that never go back."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._guard = threading.Lock()
        self._pause = 0.0
        self._until = 0.0
        self._tried = False

    @property
    def holds(self) -> bool:
        """Whether the last that was heard of the other side is a failure."""
        return self._pause > 0.0

    def lets(self) -> bool:
        """Whether the other side may be asked now; after a pause, that is told to the first who wants to know and to no other."""
        with self._guard:
            if not self._pause:
                return True
            now = self._monotonic()
            if now < self._until:
                return False
            self._until, self._tried = now + self._pause, True
            return True

    def failed(self) -> bool:
        """Take note of a failure; whether it is the first. Those of questions that were asked side by side count once."""
        with self._guard:
            first = not self._pause
            if first or self._tried:
                self._pause = FIRST_SECONDS if first else min(2 * self._pause, LONGEST_SECONDS)
                self._until, self._tried = self._monotonic() + self._pause, False
            return first

    def worked(self) -> None:
        """Take note of an answer: the truce is over."""
        if self._pause:
            with self._guard:
                self._pause, self._tried = 0.0, False
