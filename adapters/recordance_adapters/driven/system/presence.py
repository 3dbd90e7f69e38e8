"""Saying in a database that is shared that this process follows it, and what its indexes have left behind (W6)."""

import logging
import threading
from collections.abc import Callable
from enum import Enum

from recordance.errors import RecordanceError
from recordance_adapters.driven.system.other_hosts import PULSE_SECONDS

_log = logging.getLogger(__name__)


class Stay(Enum):
    """Whether a process goes on."""

    GOES_ON = "goes_on"
    ENDS = "ends"


class Presence:
    """Says so at the start, whenever it is asked to, from time to time, and at the end. Safe for threads.

    `say` says it; what goes wrong there is in the log, and said again at the next occasion.
    """

    def __init__(self, say: Callable[[Stay], None], pulse: float = PULSE_SECONDS) -> None:
        self._say = say
        self._pulse = pulse
        self._turn = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recordance-presence", daemon=True)

    def start(self) -> None:
        """Begin, in a thread."""
        self._thread.start()

    def tell(self) -> bool:
        """Say it now; return whether that could be done."""
        with self._turn:
            return not self._ended.is_set() and self._said(Stay.GOES_ON)

    def close(self) -> None:
        """Say that this process ends."""
        with self._turn:
            self._ended.set()
            self._said(Stay.ENDS)

    def _run(self) -> None:
        while not self._ended.is_set():
            self.tell()
            self._ended.wait(self._pulse)

    def _said(self, stay: Stay) -> bool:
        try:
            self._say(stay)
        except (RecordanceError, OSError) as failure:
            _log.info("nobody could be told how clean the indexes are: %s", failure)
            return False
        return True
