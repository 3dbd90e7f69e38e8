"""A Qdrant server as the configuration tells of it. Its client takes a second to import: only `open_collection` loads it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from recordance.errors import StoreUnusable

if TYPE_CHECKING:
    from recordance_adapters.driven.qdrant_vectors.collection import QdrantCollection


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteVectors:
    """Where the vectors of one store are, and how they are spoken to.

    `collection` is named after the store if it is left out. `timeout` is how many seconds a search may take, in whole ones, and a
    tenth of what a write may. `batch` is how many points one request carries at most. `shard_number` and `replication_factor` are
    those of a collection that is made new; left out, the server's. Where the URL names no port, 6333 is meant.
    """

    url: str
    collection: str | None = None
    api_key: str | None = field(default=None, repr=False)
    grpc: bool = False
    grpc_port: int = 6334
    ca_file: Path | None = None
    timeout: float = 5.0
    batch: int = 500
    shard_number: int | None = None
    replication_factor: int | None = None


def open_collection(remote: RemoteVectors, store: str) -> "QdrantCollection":
    """Return the index of the store with this id; the server is not asked yet.

    Raises StoreUnusable where the client is not installed, or what was configured cannot be used.
    """
    try:
        from recordance_adapters.driven.qdrant_vectors.connecting import connected
    except ImportError as problem:
        lesson = "vectors on a Qdrant server need a client that is not installed: install recordance[qdrant]"
        raise StoreUnusable(f"{lesson} ({problem})", lesson=lesson) from problem
    return connected(remote, store)
