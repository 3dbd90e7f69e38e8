"""Whether the files of an index are what the engine wrote. The engine itself opens a file with a flipped byte without complaint.

Each file of a segment ends in a footer with a checksum of what comes before it, and is never changed once written.
"""

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from recordance.errors import ReplicaDamaged

META = "meta.json"
_TAIL = struct.Struct("<II")
_MAGIC = 1337
_PARTS = (".idx", ".pos", ".term", ".store", ".fast", ".fieldnorm")
_CHUNK = 1 << 20


def segment_files(folder: Path) -> Iterator[str]:
    """Return the names of all files that the index in `folder` consists of, but for its list of segments.

    Raises ReplicaDamaged if the list cannot be read.
    """
    try:
        segments: list[dict[str, Any]] = json.loads((folder / META).read_bytes())["segments"]
        for segment in segments:
            stem = segment["segment_id"].replace("-", "")
            yield from (stem + part for part in _PARTS)
            if segment["deletes"] is not None:
                yield f"{stem}.{segment['deletes']['opstamp']}.del"
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReplicaDamaged(f"the list of segments in {folder.name} cannot be read: {error}") from error


def opstamp(folder: Path) -> int:
    """Return the number of the operation that the index in `folder` was last committed at; it only grows."""
    try:
        return int(json.loads((folder / META).read_bytes())["opstamp"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReplicaDamaged(f"the list of segments in {folder.name} cannot be read: {error}") from error


def verify_files(folder: Path) -> None:
    """Raise ReplicaDamaged if a file of the index in `folder` is missing or is not as it was written."""
    writers = set()
    for name in segment_files(folder):
        try:
            writers.add(_writer(folder / name))
        except OSError as error:
            raise ReplicaDamaged(f"{name} cannot be read: {error}") from error
        if None in writers or len(writers) > 1:
            raise ReplicaDamaged(f"{name} is not as it was written")


def _writer(path: Path) -> bytes | None:
    """Return what the footer says before its checksum (the engine's version, the same in all files); None if that is wrong."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if size < _TAIL.size:
            return None
        file.seek(size - _TAIL.size)
        length, magic = _TAIL.unpack(file.read(_TAIL.size))
        end = size - _TAIL.size - length
        if magic != _MAGIC or end < 0:
            return None
        file.seek(end)
        footer = file.read(length)
        file.seek(0)
        checksum = _checksum(file, end)
    ending = b'"crc":%d}' % checksum
    return footer.removesuffix(ending) if footer.endswith(ending) else None


def _checksum(file: BinaryIO, length: int) -> int:
    checksum = 0
    while length > 0 and (chunk := file.read(min(length, _CHUNK))):
        checksum = zlib.crc32(chunk, checksum)
        length -= len(chunk)
    return checksum
