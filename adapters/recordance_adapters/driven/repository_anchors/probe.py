"""The anchor probe over a folder: whether the line still exists, whether the file still has its hash (O5)."""

import hashlib
import os
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from recordance.domain.provenance import UNREADABLE, Anchor, AnchorReading, Drift, Liveness, path_parts
from recordance_adapters.driven.repository_anchors.fence import Blocked, Opening, Reason, native_opening, opened

MAX_FILE_BYTES = 16 * 1024 * 1024
"""What lies above is not read: a source file is smaller, and a recall must not wait for a disk image."""
_REMEMBERED_FILES = 4_096
_SETTLED_NANOSECONDS = 2_000_000_000
"""A file that changed less than this before it was read may change again within the file system's tick: it is read anew."""
_CHUNK = 1 << 18


@dataclass(frozen=True, slots=True)
class FileReading:
    """The whole file's SHA-256 and how many lines it has, ended by LF, CR or both; a last line without its end counts."""

    sha256: str
    lines: int


_Version = tuple[int, int, int, int, int]


class RepositoryAnchors:
    """Probes anchors below `root`; without a root everything is unknown. Safe for threads; never raises.

    Readings are kept by path, device, inode, size and both times of change, so that a recall pays a stat for a known file.
    """

    def __init__(self, root: Path | None, *, max_bytes: int = MAX_FILE_BYTES, opening: Opening | None = None) -> None:
        self._root = root
        self._max_bytes = max_bytes
        self._opening = opening or native_opening()
        self._readings: OrderedDict[tuple[str, ...], tuple[_Version, FileReading]] = OrderedDict()
        self._lock = threading.Lock()

    def file_hash(self, anchor: Anchor) -> str | None:
        """Return the SHA-256 of the anchored file as it is now, or None where it may not or cannot be read."""
        found = self._look(anchor)
        return found.sha256 if isinstance(found, FileReading) else None

    def read(self, anchor: Anchor) -> AnchorReading:
        """Return whether the anchored line exists, and whether the file has the hash taken at capture."""
        match self._look(anchor):
            case FileReading(sha256, lines):
                return AnchorReading(_liveness(anchor, lines), _drift(anchor, sha256))
            case Reason.ABSENT:
                return AnchorReading(Liveness.GONE, Drift.UNKNOWN)
            case Reason.REFUSED:
                return UNREADABLE

    def _look(self, anchor: Anchor) -> FileReading | Reason:
        parts = None if anchor.path is None or anchor.line is None else path_parts(anchor.path)
        if self._root is None or parts is None:
            return Reason.REFUSED
        try:
            return self._file(self._root, parts)
        except Blocked as blocked:
            return blocked.reason if self._root.is_dir() else Reason.REFUSED
        except OSError:  # the disk gave up in the middle
            return Reason.REFUSED

    def _file(self, root: Path, parts: tuple[str, ...]) -> FileReading:
        with opened(root, parts, self._opening) as descriptor:
            version = _version(descriptor)
            known = self._known(parts, version)
            if known is not None:
                return known
            reading = _read(descriptor, self._max_bytes)
            if _version(descriptor) == version and time.time_ns() - max(version[-2:]) > _SETTLED_NANOSECONDS:
                self._remember(parts, version, reading)
            return reading

    def _known(self, parts: tuple[str, ...], version: _Version) -> FileReading | None:
        with self._lock:
            kept = self._readings.get(parts)
            if kept is None or kept[0] != version:
                return None
            self._readings.move_to_end(parts)
            return kept[1]

    def _remember(self, parts: tuple[str, ...], version: _Version, reading: FileReading) -> None:
        with self._lock:
            self._readings[parts] = (version, reading)
            self._readings.move_to_end(parts)
            if len(self._readings) > _REMEMBERED_FILES:
                self._readings.popitem(last=False)


def _version(descriptor: int) -> _Version:
    found = os.fstat(descriptor)
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _read(descriptor: int, max_bytes: int) -> FileReading:
    """Hash a file and count its lines; raises Blocked when it is larger than the bound, also while it grows."""
    digest, size, lines, last = hashlib.sha256(), 0, 0, b""
    if os.fstat(descriptor).st_size > max_bytes:
        raise Blocked(Reason.REFUSED)
    while chunk := os.read(descriptor, _CHUNK):
        size += len(chunk)
        if size > max_bytes:
            raise Blocked(Reason.REFUSED)
        digest.update(chunk)
        lines += chunk.count(b"\n") + chunk.count(b"\r") - (last + chunk).count(b"\r\n")
        last = chunk[-1:]
    return FileReading(digest.hexdigest(), lines + (last not in (b"", b"\n", b"\r")))


def _liveness(anchor: Anchor, lines: int) -> Liveness:
    return Liveness.LIVE if 1 <= (anchor.line or 0) <= lines else Liveness.GONE


def _drift(anchor: Anchor, sha256: str) -> Drift:
    if anchor.file_hash is None:
        return Drift.UNKNOWN
    return Drift.UNCHANGED if anchor.file_hash == sha256 else Drift.DRIFTED
