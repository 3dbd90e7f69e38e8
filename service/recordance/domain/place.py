"""Where bytes of what was forgotten may lie, and what has become of them there (W6, decision 11)."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class PlaceState(StrEnum):
    """What has become of a forgotten content in one place."""

    PURGED = "purged"
    """No byte of it is there."""
    PENDING = "pending"
    """It may be there still, and will be purged as soon as that can be done."""
    OUTSIDE = "outside"
    """It may be there, where this program does not reach."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place with its state; `note` says what is awaited or why it lies outside, None where there is nothing to say."""

    name: str
    state: PlaceState
    note: str | None = None


def pending(places: Iterable[Place]) -> bool:
    """Whether any of these is yet to be purged."""
    return any(place.state is PlaceState.PENDING for place in places)


TRUTH = "truth"
LOG = "write-ahead log"
TERM_INDEX = "term index"
VECTOR_INDEX = "vector index"
IDLE = "idle replicas"
BACKUPS = "backups"
"""The places of every store, as people call them; where one has no such place, no byte lies there either.

The indexes are this process's; those of others bear the number of their replica, and idle ones with bytes in them are removed.
"""

DATABASE_SERVER = "database server"
VECTOR_COLLECTION = "vector collection"
VECTOR_SERVER = "vector server"
"""The places of a store on servers: what these keep for themselves, and a collection that all processes share."""

EMBEDDING_ENDPOINT = "embedding endpoint"
RERANKING_ENDPOINT = "reranking endpoint"
"""The places that a service sends contents to, where it is told to: whoever runs them may keep what came."""

OUTSIDE = (
    Place("exports", PlaceState.OUTSIDE, "files that were exported before are kept by whoever has them"),
    Place("copies made by others", PlaceState.OUTSIDE, "backups and snapshots of the disk, and what a drive keeps unseen"),
)
"""The places that nobody can purge from here."""
