"""A new replica as a copy of an idle slot's: the engine's files are changed in place, so that one in use cannot be copied."""

import os
from pathlib import Path
from typing import BinaryIO

from recordance.errors import ReplicaDamaged
from recordance_adapters.driven.qdrant_vectors.sidecar import INDEX, read_position, remove_vectors, write_position

_BLOCK = 1 << 20
_ZEROES = bytes(_BLOCK)


def copy_replica(source: Path, slot: Path, store: str) -> None:
    """Make `slot` a copy of the replica in `source`, which nobody else may have open meanwhile.

    Raises ReplicaDamaged if there is no position of this store; OSError or Fault if the files cannot be read or written.
    """
    position = read_position(source, store)
    if position is None:
        raise ReplicaDamaged(f"slot {source.name} has no position of this store")
    remove_vectors(slot)
    for path in sorted((source / INDEX).rglob("*")):
        target = slot / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            with path.open("rb") as old, target.open("wb") as new:
                _copy(old, new)
    write_position(slot, position)  # last: a copy that was not finished counts for nothing


def _copy(old: BinaryIO, new: BinaryIO) -> None:
    """Copy a file durably, leaving out what is all zero: most of an index is room for what is to come."""
    while block := old.read(_BLOCK):
        if block == _ZEROES[: len(block)]:
            new.seek(len(block), os.SEEK_CUR)
        else:
            new.write(block)
    new.truncate()
    new.flush()
    os.fsync(new.fileno())
