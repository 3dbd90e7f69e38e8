"""The SQLite file as the file system has it: made privately, opened as far as its place allows, missed when it goes away."""

import glob
import os
import re
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from recordance.errors import StoreUnusable

_ENDINGS = ("wal", "shm", "journal")
_COPY = re.compile(r"\.format-([0-9]+)", re.ASCII)
PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
_MOVED = "the store's file was removed or replaced under this program: start the program again"
_LOG_GONE = "the store's log was removed under this program, and its last write with it: start the program again"
_CHANGED = "somebody writes to a store that nobody seemed to be able to write: start the program again"
_LOST = (
    "the file of the store's truth is missing or empty, and other parts of a store are there: restore the file from a copy, "
    "or move the rest away to begin anew"
)
_ABSENT = "there is no store there: name the folder of one, or store something there first, which makes it"


class Access(Enum):
    """How far its place lets the file be opened; the value is how SQLite is told."""

    WRITING = "mode=rw"
    """Never `rwc`: a connection that is opened late must not make anew what was removed meanwhile."""
    READING = "mode=ro"
    """Nothing may be written here, but elsewhere somebody may: their locks and their log are heeded."""
    FROZEN = "mode=ro&immutable=1"
    """Nothing may be written here and there is no log; SQLite reads such a file in no other way, and takes no locks."""


class StoreFile:
    """One database file that is there, as it was found. `obstacle` says why nothing may be written, None where it may be."""

    def __init__(self, path: Path, access: Access, obstacle: str | None) -> None:
        self.path = path
        self.access = access
        self.obstacle = obstacle
        self._log = _log(path)
        self._found = path.stat()

    @property
    def uri(self) -> str:
        """The file as SQLite opens it; it is never made by that."""
        return f"{self.path.absolute().as_uri()}?{self.access.value}"

    def trouble(self) -> StoreUnusable | None:
        """Return what has become of the file since it was found; None while its name still leads to it.

        SQLite itself goes on with a file that has no name any more, and with it goes what is written there.
        """
        try:
            now = self.path.stat()
        except OSError:
            return _unusable(self.path, _MOVED)
        if (now.st_ino, now.st_dev) != (self._found.st_ino, self._found.st_dev):
            return _unusable(self.path, _MOVED)
        if self.access is Access.FROZEN and (_state(now) != _state(self._found) or _size(self._log)):
            return _unusable(self.path, _CHANGED)
        return None

    def verify(self) -> None:
        """Raise StoreUnusable when the file is not there any more, or is another one."""
        trouble = self.trouble()
        if trouble is not None:
            raise trouble

    def verify_written(self) -> None:
        """Raise StoreUnusable when what was just committed is in no file that another process would find."""
        self.verify()
        if not self._log.exists():
            raise _unusable(self.path, _LOG_GONE)


def store_file(path: Path, remains: Sequence[Path]) -> StoreFile:
    """Return the file of a store; make an empty one, and its folder, where none is and nothing remains of one.

    Raises StoreUnusable when only `remains` are there, and OSError when the file cannot be made.
    """
    if not _size(path):
        if remains:
            raise lost(path, remains)
        make_private_folder(path.parent)
        make_private_file(path)
    shut = next((place for place in (path.parent, path) if not _may_be_written(place)), None)
    if shut is None:
        return StoreFile(path, Access.WRITING, None)
    return StoreFile(path, _reading(path), f"{shut} may not be written by this program")


def require_store(path: Path, followers: Sequence[Path]) -> None:
    """Raise StoreUnusable, and make nothing, where there is no store whose file is `path`."""
    remains = remains_of(path, followers)
    if not _size(path):
        raise lost(path, remains) if remains else _unusable(path.parent, _ABSENT)


def remains_of(path: Path, followers: Sequence[Path]) -> Sequence[Path]:
    """Return what can only be there if the file held a store once: a log with content, copies from before a migration.

    `followers` are further files that are made after the truth alone. To be asked before the file is looked at: another process
    that makes the store at this moment fills the file first.
    """
    log = _log(path)
    return [*([log] if _size(log) else []), *_formats(path), *followers]


def copies_of(path: Path) -> Sequence[Path]:
    """Return the copies from before migrations, each a whole store of the format that its name ends with."""
    return [each for each in _formats(path) if format_of(each) is not None]


def scraps_of(path: Path) -> Sequence[Path]:
    """Return what lies beside the file of copies that were never finished, or that are gone but for their logs."""
    copies = copies_of(path)
    needed = {*copies, *(copy.with_name(f"{copy.name}-{ending}") for copy in copies for ending in _ENDINGS)}
    return [each for each in _formats(path) if each not in needed]


def journal_of(path: Path) -> Path:
    """Return where SQLite keeps what a transaction may have to put back, outside of write-ahead mode."""
    return path.with_name(f"{path.name}-journal")


def format_of(copy: Path) -> str | None:
    """Return the format of a copy from before a migration, None for what is no such copy."""
    found = _COPY.fullmatch(copy.suffix)
    return found[1] if found else None


def lost(path: Path, remains: Sequence[Path]) -> StoreUnusable:
    """Return that the truth is gone and something else is left; to begin anew there would hide the loss (case L4)."""
    names = ", ".join(os.path.relpath(each, path.parent) for each in remains)
    return StoreUnusable(f"{path}: {_LOST}; found {names}", lesson=_LOST)


def make_private_folder(folder: Path) -> None:
    """Make the folder of a new store, open to its owner alone; one that holds something already stays as it is."""
    if not folder.is_dir() or not any(folder.iterdir()):
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        folder.chmod(PRIVATE_FOLDER)


def make_private_file(path: Path) -> None:
    """Make an empty file that is open to its owner alone, unless one is there."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, PRIVATE_FILE))


def _reading(path: Path) -> Access:
    """A log with content, or one that somebody has open, must be read along."""
    log, shared = _log(path), path.with_name(f"{path.name}-shm")
    return Access.READING if _size(log) or (log.exists() and shared.exists()) else Access.FROZEN


def _may_be_written(place: Path) -> bool:
    return os.access(place, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _state(found: os.stat_result) -> tuple[int, int]:
    return found.st_size, found.st_mtime_ns


def _formats(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{glob.escape(path.name)}.format-*"))


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _size(path: Path) -> int:
    """Return how long a file is; 0 where there is none."""
    try:
        return path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _unusable(place: Path, lesson: str) -> StoreUnusable:
    return StoreUnusable(f"{place}: {lesson}", lesson=lesson)
