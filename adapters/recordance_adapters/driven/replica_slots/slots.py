"""Numbered folders: each process holds one, the lowest that is free and not kept for processes of another kind.

`<n>/` holds the replicas of one process, each in a folder with its position in a file beside it. `<n>.lock` is held by the
process, and is released by the system however that process ends. It lies beside the folder, so that a folder can be removed
under its lock.
"""

import itertools
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from recordance.errors import StoreUnusable

_log = logging.getLogger(__name__)
IDLE_SECONDS = 7 * 24 * 3600.0
"""After so long without a process a slot is removed."""
_PRIVATE = 0o700


@dataclass(frozen=True, slots=True)
class OtherSlot:
    """The folder of a slot that is not this process's own; another process may hold it."""

    path: Path

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Hold the slot as long as this lasts, and yield True; yield False if it is another process's."""
        lock = _lock_of(self.path)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    def remove(self) -> bool:
        """Remove the slot with every byte in it, unless a process holds it; return whether it is gone (W6)."""
        return _removed(self.path)


class Slot:
    """The slot of this process: a folder that no other process writes until it is released."""

    def __init__(self, path: Path, lock: FileLock) -> None:
        self.path = path
        # The object must live: it unlocks when it goes.
        self._lock = lock

    def others(self) -> Sequence[OtherSlot]:
        """Return the other slots that there are now, in no order."""
        return [OtherSlot(path) for path in _slots(self.path.parent) if path != self.path]

    def release(self) -> None:
        """Give the slot back, once nothing of this process writes there any more; what lies there is for whoever is next."""
        self._lock.release()


Kept = Callable[[Path], bool]
"""Tells whether what lies in a slot would be of use to processes of another kind, and to this one not at all."""


def _for_all(_slot: Path) -> bool:
    return False


def adopt_slot(folder: Path, now: float, kept: Kept = _for_all) -> Slot:
    """Take the lowest free slot below `folder`, which this process holds until it releases it.

    One that is `kept` for others is left to them: processes that start in turns would undo each other's work there.

    `now` is the time in seconds since the epoch, by which slots idle for a week are removed. Raises StoreUnusable if nothing can
    be written or locked there.
    """
    try:
        _make_private(folder)
        slot, lock = _lowest_free(folder, kept)
        try:
            os.utime(lock.lock_file, (now, now))
            _make_private(slot)
            _remove_unused(folder, now)
        except BaseException:
            lock.release()
            raise
    except OSError as error:
        lesson = "the folder for the indexes cannot be used: see that it is a folder, who owns it, and that its disk has room"
        raise StoreUnusable(f"{lesson} ({error})", lesson=f"{lesson} ({error.strerror or type(error).__name__})") from error
    return Slot(slot, lock)


def _make_private(folder: Path) -> None:
    """Make a folder that only its owner can look into, whatever the process masks; what lies in it is protected by that."""
    if not folder.is_dir():
        folder.parent.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        folder.mkdir(mode=_PRIVATE, exist_ok=True)
        folder.chmod(_PRIVATE)


def _lowest_free(folder: Path, kept: Kept) -> tuple[Path, FileLock]:
    for number in itertools.count():
        slot = folder / str(number)
        if kept(slot):
            continue
        lock = _lock_of(slot)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        if not kept(slot):
            return slot, lock
        lock.release()  # it was another's until just now
    raise AssertionError


def _lock_of(slot: Path) -> FileLock:
    # Not bound to a thread: whoever closes the store releases it.
    return FileLock(slot.with_suffix(".lock"), mode=0o600, thread_local=False)


def _slots(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if path.name.isdecimal() and path.is_dir())


def _remove_unused(folder: Path, now: float) -> None:
    """Remove slots that no process has held or written for a week; one that cannot be removed stays for another time."""
    for slot in list(_slots(folder)):
        if now - _last_used(slot, now) >= IDLE_SECONDS:
            _removed(slot)


def _last_used(slot: Path, now: float) -> float:
    """Return when its lock or a position in it was last written; `now` if that cannot be told."""
    try:
        files = [slot.with_suffix(".lock"), *(path for path in slot.iterdir() if path.is_file())]
        return max((path.stat().st_mtime for path in files if path.exists()), default=now)
    except OSError:  # another process removes it
        return now


def _removed(slot: Path) -> bool:
    """Remove a slot under its lock and return whether that could be done."""
    try:
        with _lock_of(slot).acquire(timeout=0):
            # The positions first: what is left of a replica if the rest cannot be removed counts for nothing.
            for path in slot.iterdir():
                if path.is_file():
                    path.unlink()
            shutil.rmtree(slot)
    except FileNotFoundError:
        return not slot.exists()
    except (Timeout, OSError) as failure:
        _log.info("the indexes in slot %s could not be removed: %s", slot.name, failure)
        return False
    return True
