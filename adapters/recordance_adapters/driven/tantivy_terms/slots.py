"""Numbered folders for replicas: each process holds one, the lowest that is free (decision 2).

`<n>/` holds the replica, `<n>.lock` is held by its process, and is released by the system however that process ends. It lies
beside the folder, so that a folder can be removed under its lock.
"""

import itertools
import logging
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from recordance.errors import ReplicaDamaged, StoreUnusable
from recordance_adapters.driven.tantivy_terms.replica import TantivyReplica, empty_replica, open_replica
from recordance_adapters.driven.tantivy_terms.seeding import copy_replica
from recordance_adapters.driven.tantivy_terms.sidecar import FILE, read_position

_log = logging.getLogger(__name__)
IDLE_SECONDS = 7 * 24 * 3600.0
"""After so long without a process a replica is removed."""
_PRIVATE = 0o700


def adopt_replica(folder: Path, store: str, now: float) -> TantivyReplica:
    """Take the lowest free slot below `folder` and return its replica, which holds it until it is closed.

    A slot without a sound replica of the store named `store` starts as a copy of the freshest that another slot has, else
    empty. `now` is the time in seconds since the epoch, by which replicas idle for a week are removed. Raises StoreUnusable if
    nothing can be written or locked there.
    """
    try:
        _make_private(folder)
        slot, lock = _lowest_free(folder)
    except OSError as error:
        lesson = "the folder for the term index cannot be used: see that it is a folder, who owns it, and that its disk has room"
        raise StoreUnusable(f"{lesson} ({error})", lesson=f"{lesson} ({error.strerror or type(error).__name__})") from error
    try:
        os.utime(lock.lock_file, (now, now))
        _remove_idle(folder, now)
        return _replica_in(slot, store, lock)
    except BaseException:
        lock.release()
        raise


def positions_in(folder: Path) -> Sequence[Path]:
    """Return the positions of replicas below `folder`; a replica has one only once there is a truth."""
    return sorted(folder.glob(f"*/{FILE}"))


def _make_private(folder: Path) -> None:
    """Make a folder that only its owner can look into, whatever the process masks; what lies in it is protected by that."""
    if not folder.is_dir():
        folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        folder.chmod(_PRIVATE)


def _lowest_free(folder: Path) -> tuple[Path, FileLock]:
    for number in itertools.count():
        # Not bound to a thread: whoever closes the replica releases it. The object must live: it unlocks when it goes.
        lock = FileLock(folder / f"{number}.lock", mode=0o600, thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        return folder / str(number), lock
    raise AssertionError


def _replica_in(slot: Path, store: str, lock: FileLock) -> TantivyReplica:
    _make_private(slot)
    try:
        return open_replica(slot, store, lock.release)
    except ReplicaDamaged as damage:
        _log.info("replica %s starts anew: %s", slot.name, damage)
    for source in _freshest_first(slot, store):
        try:
            copy_replica(source, slot, store)
            return open_replica(slot, store, lock.release)
        except (ReplicaDamaged, OSError) as failure:
            _log.info("replica %s cannot start as a copy of %s: %s", slot.name, source.name, failure)
    return empty_replica(slot, store, lock.release)


def _freshest_first(slot: Path, store: str) -> list[Path]:
    """Return the other slots with a replica of this store, the one that has applied most first."""
    others = [other for other in _slots(slot.parent) if other != slot]
    positions = [(position.seq, other) for other in others if (position := read_position(other, store)) is not None]
    return [other for seq, other in sorted(positions, reverse=True) if seq > 0]


def _slots(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if path.name.isdecimal() and path.is_dir())


def _remove_idle(folder: Path, now: float) -> None:
    """Remove replicas that no process has held or written for a week; one that cannot be removed stays for another time."""
    for slot in list(_slots(folder)):
        lock_file = folder / f"{slot.name}.lock"
        used = max((path.stat().st_mtime for path in (lock_file, slot / FILE) if path.exists()), default=now)
        if now - used < IDLE_SECONDS:
            continue
        try:
            with FileLock(lock_file, thread_local=False).acquire(timeout=0):
                shutil.rmtree(slot)
        except (Timeout, OSError) as failure:
            _log.info("replica %s could not be removed: %s", slot.name, failure)
