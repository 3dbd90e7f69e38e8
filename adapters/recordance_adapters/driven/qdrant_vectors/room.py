"""Whether the disk has room for a write.

The engine writes through mapped files, and a page of one that finds no room on the disk ends the process.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

from recordance.domain.embedding import COMPONENT_BYTES
from recordance.errors import Fault

Room = Callable[[Path], int]
"""Tells how many bytes are left on the disk that a folder lies on."""

RESERVE = 16 << 20
"""So many bytes must be left after a write: for the engine's books, and for what others write meanwhile."""
_PAYLOAD_BYTES = 2_048
"""More than the labels and instants of a point take, in all of the engine's files together."""


def free_bytes(folder: Path) -> int:
    """Return how many bytes are left for this process on the disk that `folder` lies on."""
    return shutil.disk_usage(folder).free


def require_room(room: Room, folder: Path, points: int, dimension: int) -> None:
    """Raise Fault if there is no room for so many points of `dimension` components."""
    try:
        left = room(folder)
    except OSError as error:
        raise Fault(f"the disk of the vector index cannot be asked for its room: {error}") from error
    wanted = RESERVE + points * (dimension * COMPONENT_BYTES + _PAYLOAD_BYTES)
    if left < wanted:
        raise Fault(f"the vector index cannot be written: its disk has {left} bytes left, and {wanted} are wanted")
