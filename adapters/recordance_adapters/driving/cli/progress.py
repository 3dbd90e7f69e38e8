"""Progress on stderr, for work that takes more than a second."""

import sys
import time
from collections.abc import Callable

_QUIET_SECONDS = 1.0
_STEP_SECONDS = 0.2
_LINE_STEP_SECONDS = 5.0


class Progress:
    """Says how far a piece of work is: on one line that is written over at a terminal, on a line now and then elsewhere.

    Work that is done within a second says nothing.
    """

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._what = what
        self._clock = clock
        self._due = clock() + _QUIET_SECONDS
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        """Say that `done` of `total` is done, if something is due to be said."""
        now = self._clock()
        if now < self._due:
            return
        share = f" ({done * 100 // total} %)" if total else ""
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{self._what}: {done:,} of {total:,}{share} ")
            self._due = now + _STEP_SECONDS
        else:
            sys.stderr.write(f"{self._what}: {done:,} of {total:,}{share}\n")
            self._due = now + _LINE_STEP_SECONDS
        sys.stderr.flush()
        self._shown = True

    def end(self) -> None:
        """End the line that was written over."""
        if self._shown and sys.stderr.isatty():
            sys.stderr.write("\n")
