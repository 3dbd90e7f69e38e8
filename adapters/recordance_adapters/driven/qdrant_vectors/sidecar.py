"""The position of a vector replica, in a file beside its index: written once the index is on disk, never ahead of it.

What only wants to know how far a replica is, or that it is gone, needs no engine and finds it here.
"""

import json
import os
import shutil
import zlib
from dataclasses import asdict, dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from recordance.errors import Fault
from recordance.usecases.history import Follows

FILE = "vectors.applied"
INDEX = "vectors"
"""The folder of the index within a slot."""
SCHEMA_VERSION = "1"
"""Names what the fields of a point hold; an index of another version is built anew."""


@dataclass(frozen=True, slots=True)
class Position:
    """Up to which journal seq of which store an index holds everything, and what it held when that was written.

    `mark` tells the journal from one with another history. The index had `count` points of `dimension` components, and had taken
    `places` for vectors: those of dropped points are not given back.
    """

    store: str
    seq: int
    mark: str
    dimension: int
    count: int
    places: int


def read_position(slot: Path, store: str) -> Position | None:
    """Return the position in a slot's folder; None if there is none, none of this store by these versions, or a damaged one."""
    try:
        checksum, text = (slot / FILE).read_text(encoding="utf-8").split("\n", 1)
        kept = json.loads(text)
        if int(checksum) != _checksum(text) or kept["versions"] != _versions() or kept["position"]["store"] != store:
            return None
        return Position(**kept["position"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def settled_in(slot: Path, store: str, follows: Follows) -> int | None:
    """Return up to which seq the index of a slot is settled, 0 if nobody can tell; None if there is no index.

    A vector that was dropped up to there has no byte left in it (W6). The seq of an index that followed another history, before
    the truth was put back to an earlier state, tells nothing.
    """
    if (position := read_position(slot, store)) is not None:
        return position.seq if follows(position.seq, position.mark) else 0
    return 0 if any((slot / name).exists() for name in (FILE, INDEX)) else None


def write_position(slot: Path, position: Position) -> None:
    """Put the position into a slot's folder, durably and all at once. Raises Fault if it cannot be written."""
    text = json.dumps({"versions": _versions(), "position": asdict(position)}, indent=1)
    new = slot / f"{FILE}.new"
    try:
        with new.open("w", encoding="utf-8", newline="\n") as file:
            file.write(f"{_checksum(text)}\n{text}")
            file.flush()
            os.fsync(file.fileno())
        new.replace(slot / FILE)
    except OSError as error:
        raise Fault(f"the position of the vector index cannot be written: {error}") from error


def remove_vectors(slot: Path) -> None:
    """Remove a slot's index with every byte in it; nobody may have it open. Raises Fault if it cannot be removed."""
    try:
        (slot / FILE).unlink(missing_ok=True)  # first: what lies there counts for nothing from here on
        if (slot / INDEX).exists():
            shutil.rmtree(slot / INDEX)
    except OSError as error:
        raise Fault(f"the vector index cannot be removed: {error}") from error


@cache
def _versions() -> dict[str, str]:
    """Return what an index is built by; one that was built by anything else is not read."""
    return {"schema": SCHEMA_VERSION, "engine": metadata.version("qdrant-edge-py")}


def _checksum(text: str) -> int:
    """Return what tells a position from a damaged one, which might name a seq that was never applied."""
    return zlib.crc32(text.encode())
