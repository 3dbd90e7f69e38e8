"""The miss recorder: telemetry that never delays a recall and never fails one (T8)."""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from recordance.domain.alias import MissOutcome
from recordance.domain.instant import Instant
from recordance.errors import StoreUnusable
from recordance.ports.truth import Truth

_log = logging.getLogger(__name__)

CAPACITY = 1_000
"""How many notes wait at most; what comes on top is lost."""
SETTLE_SECONDS = 2.0
"""How long somebody who reads the ledger waits for what was noted before."""


@dataclass(frozen=True, slots=True)
class _Note:
    term_keys: tuple[str, ...]
    outcome: MissOutcome
    fence: str
    at: Instant


class UnkeptMisses:
    """Keeps no notes, since nothing can be written; the log tells of the first one that is lost, with `obstacle` as the cause."""

    def __init__(self, obstacle: str) -> None:
        self._obstacle = obstacle
        self.lost = 0

    def record(self, term_keys: Sequence[str], outcome: MissOutcome, fence: str, at: Instant) -> None:  # noqa: ARG002
        """Lose the note; never raises."""
        if not self.lost:
            _log.warning("misses are not noted: %s", self._obstacle)
        self.lost += 1

    def settle(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing waits."""


class QueuedMisses:
    """Takes notes at once and lets one background thread write them through the truth.

    The thread starts with the first note. A note is lost, with a line in the log, when too many wait or the store fails.
    """

    def __init__(self, truth: Truth, *, capacity: int = CAPACITY, settle_seconds: float = SETTLE_SECONDS) -> None:
        self._truth = truth
        self._capacity = capacity
        self._settle_seconds = settle_seconds
        self._changed = threading.Condition()
        self._waiting: list[_Note] = []
        self.lost = 0
        self._unwritten = 0
        self._thread: threading.Thread | None = None
        self._closed = False

    def record(self, term_keys: Sequence[str], outcome: MissOutcome, fence: str, at: Instant) -> None:
        """Take note of folded terms and return at once; never raises."""
        with self._changed:
            if self._closed or len(self._waiting) >= self._capacity or not self._awake():
                self.lost += 1
                _log.warning("a miss was not noted: %s", "the store is closing" if self._closed else "too many wait")
                return
            self._waiting.append(_Note(tuple(term_keys), outcome, fence, at))
            self._unwritten += 1
            self._changed.notify_all()

    def settle(self) -> None:
        """Wait, within the bound, until what was noted before is in the ledger or lost; never raises."""
        with self._changed:
            self._changed.wait_for(lambda: self._unwritten == 0, self._settle_seconds)

    def close(self) -> None:
        """Write what waits, within the bound, and end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(self._settle_seconds)

    def _awake(self) -> bool:
        if self._thread is not None:
            return True
        thread = threading.Thread(target=self._run, name="recordance-misses", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the machine has no thread left
            return False
        self._thread = thread
        return True

    def _run(self) -> None:
        while notes := self._taken():
            try:
                self._write(notes)
            except Exception as failure:  # noqa: BLE001 - whatever a store throws, telemetry fails open
                strange = not isinstance(failure, StoreUnusable)
                _log.warning("%d misses were not noted: %s", len(notes), failure, exc_info=strange)
                with self._changed:
                    self.lost += len(notes)
            with self._changed:
                self._unwritten -= len(notes)
                self._changed.notify_all()

    def _taken(self) -> list[_Note]:
        """Wait for notes and take them all; none once the recorder is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            notes, self._waiting = self._waiting, []
            return notes

    def _write(self, notes: Sequence[_Note]) -> None:
        with self._truth.writing() as writer:
            for note in notes:
                writer.count_misses(note.term_keys, note.outcome, note.fence, note.at)
