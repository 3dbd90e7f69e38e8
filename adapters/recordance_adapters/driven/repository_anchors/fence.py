"""The root fence: how an anchor's path becomes an open regular file below the root, or the reason why it may not (O5).

Every component is looked at before it is opened and opened without following symlinks. Where the system can open relative to an
open folder, a component that is exchanged for a symlink in between is refused by the open itself; elsewhere the path is
compared with its resolved form before and after.
"""

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)", re.IGNORECASE)
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FILE_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe that takes the file's place must not make the open wait
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_NOT_THERE = frozenset({errno.ENOENT, errno.ENOTDIR})


class Blocked(Exception):
    """The fence gives no file: `reason` says whether nothing is there or the way is barred."""

    def __init__(self, reason: "Reason") -> None:
        super().__init__(reason)
        self.reason = reason


class Reason(Enum):
    """Why the fence gives no file."""

    ABSENT = "no file is there"
    REFUSED = "the path may not be followed or read"


Opening = Callable[[Path, tuple[str, ...]], int]
"""Opens the regular file at these components below a root and returns its descriptor; raises Blocked."""


@contextmanager
def opened(root: Path, parts: tuple[str, ...], opening: Opening) -> Iterator[int]:
    """Open a file through the fence and close it at the end; raises Blocked."""
    try:
        descriptor = opening(root, parts)
    except OSError as problem:
        raise Blocked(Reason.ABSENT if problem.errno in _NOT_THERE else Reason.REFUSED) from problem
    except ValueError as problem:  # a name that the system cannot spell
        raise Blocked(Reason.REFUSED) from problem
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def open_step_by_step(root: Path, parts: tuple[str, ...]) -> int:
    """Open a file by walking from folder to folder, each opened relative to the one before."""
    folder = os.open(root, _FOLDER_FLAGS & ~getattr(os, "O_NOFOLLOW", 0))
    try:
        for part in parts[:-1]:
            _require(stat.S_ISDIR, os.stat(part, dir_fd=folder, follow_symlinks=False))
            below = _open_checked(part, _FOLDER_FLAGS, folder)
            os.close(folder)
            folder = below
        _require(stat.S_ISREG, os.stat(parts[-1], dir_fd=folder, follow_symlinks=False))
        return _regular(_open_checked(parts[-1], _FILE_FLAGS, folder))
    finally:
        os.close(folder)


def open_resolved(root: Path, parts: tuple[str, ...]) -> int:
    """Open a file by its whole path, for systems that cannot open relative to a folder.

    A symlink or a junction anywhere shows as a resolved path that differs; names that such systems read as devices or streams
    are refused.
    """
    if any(":" in part or part.endswith((".", " ")) or _DEVICE.fullmatch(part.partition(".")[0].rstrip()) for part in parts):
        raise Blocked(Reason.REFUSED)
    base = root.resolve(strict=True)
    for depth in range(1, len(parts)):
        _require(stat.S_ISDIR, base.joinpath(*parts[:depth]).lstat())
    path = base.joinpath(*parts)
    seen = path.lstat()
    _require(stat.S_ISREG, seen)
    _require_unmoved(path)
    descriptor = _regular(os.open(path, _FILE_FLAGS))
    try:
        _require_unmoved(path)
        if not os.path.samestat(seen, os.fstat(descriptor)):
            raise Blocked(Reason.REFUSED)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _open_checked(name: str, flags: int, folder: int) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except NotADirectoryError:  # it was a folder a moment ago: a symlink took its place
        raise Blocked(Reason.REFUSED) from None


def _regular(descriptor: int) -> int:
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise Blocked(Reason.REFUSED)


def _require(is_wanted: Callable[[int], bool], found: os.stat_result) -> None:
    """Raise Blocked unless `found` is of the wanted sort: a file or folder in the other's place is absence, all else refusal."""
    if is_wanted(found.st_mode):
        return
    misplaced = stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)
    raise Blocked(Reason.ABSENT if misplaced else Reason.REFUSED)


def _require_unmoved(path: Path) -> None:
    if path.resolve(strict=True) != path:
        raise Blocked(Reason.REFUSED)


def native_opening() -> Opening:
    """Return the strictest way of opening that this system has."""
    relative = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
    return open_step_by_step if relative else open_resolved
