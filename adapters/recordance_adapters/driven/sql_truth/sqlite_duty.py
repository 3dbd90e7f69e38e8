"""A duty that one process at a time has, beside a SQLite file: a lock of the operating system, gone with its process."""

import hashlib
from pathlib import Path

from filelock import FileLock, Timeout


class FileDuty:
    """See Duty."""

    def __init__(self, path: Path, name: str) -> None:
        ending = hashlib.blake2b(name.encode(), digest_size=4).hexdigest()
        self._lock = FileLock(path.with_name(f"{path.name}.duty-{ending}"), thread_local=False, mode=0o600)

    def held(self) -> bool:
        """See Duty."""
        if not self._lock.is_locked:
            try:
                self._lock.acquire(timeout=0)
            except (Timeout, OSError):
                return False
        return True

    def release(self) -> None:
        """See Duty."""
        self._lock.release()
