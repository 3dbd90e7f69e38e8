"""The engine's files where its own interface does not reach: whether what lies there can be gone on with, and wiping.

Each vector has a place of fixed size in numbered chunks, in the order in which points came; a new vector of a point takes its
old one's place. Places are written at once, but what says which point has which place only by a flush. So after a sudden end
there may be vectors that no point knows of, which no drop would ever overwrite. They lie beyond the places that were
taken when the position was written, and are wiped before the index is loaded; the journal beyond the position brings them again.
"""

import json
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recordance.domain.embedding import COMPONENT_BYTES
from recordance.errors import ReplicaDamaged
from recordance_adapters.driven.qdrant_vectors.sidecar import Position

_VECTORS = "vector_storage/vectors"
_NUMBER = struct.Struct("<Q")


def places(folder: Path) -> int:
    """Return how many places for vectors the index in `folder` has taken, once it is flushed. Raises ReplicaDamaged."""
    with _reading():
        return _places(_segment(folder))


def prepare(folder: Path, position: Position) -> None:
    """Wipe all vectors that lie beyond those of a position, before the index in `folder` is loaded.

    Raises ReplicaDamaged if files are missing or too small for what the position says, or if the engine would ignore writes.
    """
    with _reading():
        segment = _segment(folder)
        _require_order(segment)
        chunks = list(_chunks(segment / _VECTORS))
        capacity = sum(path.stat().st_size for path in chunks) // (position.dimension * COMPONENT_BYTES)
        if not position.places <= _places(segment) <= capacity:
            raise ReplicaDamaged(f"{_places(segment)} places for vectors do not agree with {position} in {capacity}")
        _wipe(chunks, position)


def _require_order(segment: Path) -> None:
    """Raise ReplicaDamaged if a point is newer than the segment that it is in.

    The engine numbers its writes, going on from the segment's number, and silently leaves out those that are not newer than their
    point. It writes the points' numbers before the segment's, and a process can end in between.
    """
    newest = int(json.loads((segment / "segment.json").read_bytes())["version"] or 0)
    numbers = (segment / "mutable_id_tracker.versions").read_bytes()
    if max(memoryview(numbers).cast("Q"), default=0) > newest:
        raise ReplicaDamaged("the index was left in the midst of a flush")


def _wipe(chunks: list[Path], position: Position) -> None:
    """Cut each chunk where the last known vector ends and let it grow again: what it grows by is zero, and takes no room."""
    width = position.dimension * COMPONENT_BYTES
    per_chunk = chunks[0].stat().st_size // width if chunks else 0
    for place, path in enumerate(chunks):
        size, known = path.stat().st_size, max(0, position.places - place * per_chunk) * width
        if known < size:
            os.truncate(path, known)
            os.truncate(path, size)


def _segment(folder: Path) -> Path:
    segments = list((folder / "segments").iterdir())
    if len(segments) != 1:
        raise ReplicaDamaged(f"the index has {len(segments)} segments where one is written")
    return segments[0]


def _places(segment: Path) -> int:
    return int(_NUMBER.unpack((segment / _VECTORS / "status.dat").read_bytes())[0])


def _chunks(vectors: Path) -> Iterator[Path]:
    """Yield the chunks in their order; a place is missing where one is."""
    for number in range(len(list(vectors.glob("chunk_*.mmap")))):
        yield vectors / f"chunk_{number}.mmap"


@contextmanager
def _reading() -> Iterator[None]:
    """Turn what is raised over files that are not as the engine writes them into ReplicaDamaged."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
        raise ReplicaDamaged(f"the files of the vector index cannot be read: {error}") from error
