"""Having a database server clear away what was erased: in a thread of its own, one run at a time, later each time it fails."""

import logging
import threading
from collections.abc import Callable

from recordance_adapters.driven.system.index_folders import done

_log = logging.getLogger(__name__)
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 60.0


class Sweeper:
    """Runs `sweep` when something erased is to be cleared away. Safe for threads.

    A run clears away everything that was erased before it began, and returns whether nobody's snapshot kept any of that.
    """

    def __init__(self, sweep: Callable[[], bool], monotonic: Callable[[], float]) -> None:
        self._sweep = sweep
        self._monotonic = monotonic
        self._guard = threading.Condition()
        self._running = False
        self._swept = 0
        self._due = 0.0
        self._pause = _FIRST_PAUSE_SECONDS

    def swept(self, seq: int, patience: float = 0.0) -> bool:
        """Whether everything that was erased up to a journal seq is cleared away; where not, a run begins as soon as one may.

        A run that goes on is waited for up to `patience` seconds.
        """
        with self._guard:
            if self._swept >= seq:
                return True
            if not self._running and self._monotonic() < self._due:
                return False
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, args=(seq,), name="recordance-sweeper", daemon=True).start()
            self._guard.wait_for(lambda: not self._running, patience)
            return self._swept >= seq

    def _run(self, seq: int) -> None:
        clear = False
        try:
            clear = done(self._sweep)
        finally:
            self._ended(seq, clear)

    def _ended(self, seq: int, clear: bool) -> None:  # noqa: FBT001 - what came of it
        with self._guard:
            self._running = False
            self._guard.notify_all()
            if clear:
                self._swept, self._pause = max(self._swept, seq), _FIRST_PAUSE_SECONDS
            else:
                self._due = self._monotonic() + self._pause
                self._pause = min(2 * self._pause, _LONGEST_PAUSE_SECONDS)
