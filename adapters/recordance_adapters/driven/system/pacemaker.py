"""The pacemaker: a thread that lets a follower commit when it is due (decision 1), and what was forgotten be purged (W6).

A commit is due after a spell of quiet, at the latest some time after the first write that waits, and at once when many rows
wait. Local writes wake the thread; writes of other processes are noticed by a cheap probe of the truth. A purge is due at once.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from recordance.errors import ModelFailed, StateKind, StoreUnusable
from recordance.ports.truth import Truth, TruthReader, TruthWriter
from recordance.usecases.follow import FollowerStatus

_log = logging.getLogger(__name__)

STOP_SECONDS = 1.0
"""How long a stop waits for a commit that is under way; its process may end all the same."""
_FIRST_PAUSE_SECONDS = 0.25
_LONGEST_PAUSE_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """When a commit is due; seconds, and journal rows. An index that was emptied is filled after a quiet of `anew`.

    Others' writes are looked for every `poll`, and what a purge left after `again`, which is as long if it is left out.
    """

    quiet: float = 0.05
    anew: float = 0.25
    longest: float = 1.0
    rows: int = 1_000
    poll: float = 0.25
    again: float | None = None


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits for the replica: the head last seen, when it was first behind, when the head last moved, and how many rows.

    `emptied`: all else waits too, and no recall misses it.
    """

    head: int
    since: float
    moved: float
    rows: int
    emptied: bool = False

    def remaining(self, now: float, timings: Timings) -> float:
        """Return the seconds until a commit is due; 0 when it is."""
        if self.rows >= timings.rows:
            return 0.0
        if self.emptied:
            return max(0.0, self.moved + timings.anew - now)
        return max(0.0, min(self.moved + timings.quiet, self.since + timings.longest) - now)


def grown(backlog: Backlog | None, status: FollowerStatus, now: float) -> Backlog:
    """Return the backlog after a look at the follower at `now`."""
    rows = status.head - status.applied
    if backlog is None:
        return Backlog(status.head, now, now, rows, status.emptied)
    moved = backlog.moved if status.head == backlog.head else now
    return replace(backlog, head=status.head, moved=moved, rows=rows, emptied=status.emptied)


class Followed(Protocol):
    """A follower as the pacemaker sees it."""

    def status(self) -> FollowerStatus:
        """Return how far the replica is."""
        ...

    def commit(self) -> None:
        """Write what waits into the replica."""
        ...


def nothing_forgotten() -> bool:
    """Purge nothing, for a follower whose commit leaves nothing to purge."""
    return True


class Pacemaker:
    """Lets one follower commit when it is due. Errors are logged and tried again, later each time; none ends the thread.

    Of a truth that is away the log tells once, and that it is back.

    `changed` is the truth's probe: a value that differs once any process has written since. `purge` purges what was forgotten,
    and returns whether nothing is left to do; while something is, it is called again, later each time.
    """

    def __init__(
        self,
        follower: Followed,
        changed: Callable[[], object],
        timings: Timings,
        purge: Callable[[], bool] = nothing_forgotten,
    ) -> None:
        self._follower = follower
        self._changed = changed
        self._timings = timings
        self._purge = purge
        self._wake = threading.Event()
        self._hurry = threading.Event()
        self._stop = threading.Event()
        self._again = threading.Event()
        self._away = False
        self._advanced = False
        self._failed: str | None = None
        self._thread = threading.Thread(target=self._run, name="recordance-pacemaker", daemon=True)

    def start(self) -> None:
        """Start the thread; what a former process left behind is committed too."""
        self._thread.start()

    def wake(self) -> None:
        """Say that this process has written."""
        self._wake.set()

    def hear(self) -> None:
        """Say that another process has written, or that the truth answers again: whoever waits for that tries at once."""
        self._again.set()
        self._wake.set()

    def urge(self) -> None:
        """Say that somebody waits for what was forgotten to be purged: the thread waits for no quiet."""
        self._hurry.set()
        self._wake.set()

    def stop(self) -> bool:
        """Ask the thread to end and wait at most STOP_SECONDS; whether it has ended."""
        self._stop.set()
        self._again.set()
        self._hurry.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)
        return not self._thread.is_alive()

    def join(self) -> None:
        """Wait until the thread has ended, as long as that takes."""
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        first = self._timings.poll if self._timings.again is None else self._timings.again
        pause, again = _FIRST_PAUSE_SECONDS, first
        while not self._stop.is_set():
            self._again.clear()
            self._advanced = False
            try:
                purged = self._look(again)
            except Exception as problem:  # noqa: BLE001 - a thread that nobody waits for must outlive whatever a disk does
                if self._advanced:  # what fails is not all: the rest need not wait longer each time
                    pause = _FIRST_PAUSE_SECONDS
                self._tell(problem, pause)
                (self._again if self._away else self._stop).wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
            else:
                pause = _FIRST_PAUSE_SECONDS
                again = first if purged else min(2 * again, _LONGEST_PAUSE_SECONDS)

    def _look(self, again: float) -> bool:
        """Do what is due now, and wait for more; return whether nothing is left to purge."""
        seen = self._changed()  # before the look, so that what is written after it is noticed
        self._wake.clear()
        self._hurry.clear()
        # First what was forgotten: an index that is emptied for it need not be brought up before.
        purged = self._purge()
        self._catch_up()
        if self._away:
            self._away = False
            _log.warning("the truth is back, and followed again")
        if self._failed is not None:
            self._failed = None
            _log.warning("the model answers again")
        self._await_write(seen, math.inf if purged else again)
        return purged

    def _tell(self, problem: Exception, pause: float) -> None:
        if isinstance(problem, ModelFailed):
            if self._failed != problem.why:
                self._failed = problem.why
                _log.warning("contents wait to be embedded, for the model %s: %s", problem.why, problem)
        elif not (isinstance(problem, StoreUnusable) and problem.kind is StateKind.STORE_UNREACHABLE):
            _log.warning("the index could not be brought up to date; next try in %.2g s", pause, exc_info=problem)
        elif not self._away:
            self._away = True
            _log.warning("the truth is away, and not followed until it is back: %s", problem)

    def _catch_up(self) -> None:
        """Commit whenever it is due, until nothing waits or somebody is in a hurry."""
        backlog: Backlog | None = None
        while not (self._stop.is_set() or self._hurry.is_set()):
            status, now = self._follower.status(), time.monotonic()
            if not status.is_due:
                return
            backlog = grown(backlog, status, now)
            remaining = backlog.remaining(now, self._timings)
            if remaining > 0.0:
                self._hurry.wait(remaining)
            else:
                self._follower.commit()
                self._advanced = True
                backlog = None

    def _await_write(self, seen: object, longest: float) -> None:
        """Wait until this process says that it wrote, or the probe that any has, `longest` seconds at most.

        It looks no sooner than a commit could be due: to look at each of many writes as it comes would cost them more than they
        cost themselves.
        """
        end = time.monotonic() + longest
        while not self._wake.wait(min(self._timings.poll, max(0.0, end - time.monotonic()))):
            if self._stop.is_set() or self._changed() != seen or time.monotonic() >= end:
                return
        self._hurry.wait(self._timings.quiet)


class Background:
    """All pacemakers of one store."""

    def __init__(self) -> None:
        self._pacemakers: list[Pacemaker] = []

    def add(self, pacemaker: Pacemaker) -> None:
        """Take one more in, before the start."""
        self._pacemakers.append(pacemaker)

    def start(self) -> None:
        """Start each."""
        for pacemaker in self._pacemakers:
            pacemaker.start()

    def wake(self) -> None:
        """Say to each that this process has written."""
        for pacemaker in self._pacemakers:
            pacemaker.wake()

    def hear(self) -> None:
        """Say to each that another process has written, or that the truth answers again."""
        for pacemaker in self._pacemakers:
            pacemaker.hear()

    def urge(self) -> None:
        """Say to each that somebody waits for what was forgotten to be purged."""
        for pacemaker in self._pacemakers:
            pacemaker.urge()

    def stop(self) -> bool:
        """Ask each to end, and return whether all have ended (see Pacemaker.stop)."""
        ended = [pacemaker.stop() for pacemaker in self._pacemakers]
        return all(ended)

    def outlast(self, then: Callable[[], None]) -> None:
        """Call `then` once all have ended, which were asked to; nobody waits for that, and the process may end before."""

        def wait() -> None:
            for pacemaker in self._pacemakers:
                pacemaker.join()
            then()

        threading.Thread(target=wait, name="recordance-outlasting", daemon=True).start()


class WakingTruth:
    """A truth that wakes the pacemakers after each of its writes."""

    def __init__(self, truth: Truth, wake: Callable[[], None]) -> None:
        self._truth = truth
        self._wake = wake

    def reading(self) -> AbstractContextManager[TruthReader]:
        """Open one snapshot."""
        return self._truth.reading()

    @contextmanager
    def writing(self) -> Iterator[TruthWriter]:
        """Open the one writing transaction; wake once it has been committed."""
        with self._truth.writing() as writer:
            yield writer
        self._wake()

    def close(self) -> None:
        """Release every connection."""
        self._truth.close()
