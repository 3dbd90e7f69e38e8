"""Qdrant servers: the stand-in always, and a real one where RECORDANCE_TEST_QDRANT_URL says where it is."""

import os
import secrets
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from recordance.ports.shared_vectors import SharedPosition, SharedVectorIndex
from recordance.ports.vectors import Near
from recordance.query.nearness import VectorPoint, VectorQuery
from recordance_adapters.driven.qdrant_vectors.collection import QdrantCollection
from recordance_adapters.driven.qdrant_vectors.remote import RemoteVectors, open_collection
from support.qdrant_double import qdrant_double

STORE = "store-of-tests"
LOCAL_WARNINGS = pytest.mark.filterwarnings("ignore:Local mode performs exact", "ignore:Payload indexes have no effect")
"""What the client in memory warns of; to compare with everything is what was asked for."""
CLIENTS = ("client", "double", "grpc", "server")
"""Where a collection may be: in the client's own memory, at the stand-in over REST and over gRPC, at a real server."""


def server_url() -> str:
    """The address of the real server; skips the test where there is none."""
    url = os.environ.get("RECORDANCE_TEST_QDRANT_URL")
    if not url:
        pytest.skip("no Qdrant server: RECORDANCE_TEST_QDRANT_URL names none; the stand-in takes the same test")
    return url


@contextmanager
def collection(where: str) -> Iterator[QdrantCollection]:
    """A collection that is not there yet, and is gone at the end."""
    match where:
        case "client":
            from qdrant_client import QdrantClient

            with closing_collection(QdrantCollection(QdrantClient(":memory:"), "recordance", STORE)) as index:
                yield index
        case "double":
            with qdrant_double() as double, closing_collection(open_collection(remote_at(double.url), STORE)) as index:
                yield index
        case "grpc":
            from support.qdrant_grpc import grpc_beside

            with qdrant_double() as double, grpc_beside(double) as port:
                remote = remote_at(double.url, grpc=True, grpc_port=port)
                with closing_collection(open_collection(remote, STORE)) as index:
                    yield index
        case "server":
            with closing_collection(open_collection(remote_at(server_url()), STORE)) as index:
                try:
                    yield index
                finally:
                    index._client.delete_collection(index._name)
        case _:
            raise AssertionError(where)


def remote_at(url: str, **given: object) -> RemoteVectors:
    """How a server there is spoken to by a test; its collection has a name of its own."""
    key = os.environ.get("RECORDANCE_TEST_QDRANT_KEY")
    return RemoteVectors(url=url, **{"collection": f"recordance-test-{secrets.token_hex(6)}", "api_key": key, **given})


@contextmanager
def closing_collection(index: QdrantCollection) -> Iterator[QdrantCollection]:
    """A collection whose client is closed at the end."""
    try:
        yield index
    finally:
        index.close()


class SharedAsReplica:
    """A shared index in the place of a process's own, for the suite that holds both to the same answers (see VectorReplica)."""

    def __init__(self, index: SharedVectorIndex) -> None:
        self._index = index

    @property
    def applied(self) -> int:
        return self._position.applied

    @property
    def mark(self) -> str:
        return self._position.mark

    @property
    def dimension(self) -> int:
        return self._position.dimension

    @property
    def count(self) -> int:
        return self._index.count() if self.dimension else 0

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        return self._index.nearest(query, count) if self.dimension else ()

    def put(self, points: Iterable[VectorPoint], dropped: Collection[int]) -> None:
        if self.dimension:
            self._index.put(points, dropped)

    def settle(self, seq: int, mark: str = "") -> None:
        held = self._position
        told = SharedPosition(epoch=held.epoch, applied=seq, mark=mark, intent=seq, dimension=held.dimension)
        assert self._index.advance(held.epoch, told)

    def clear(self, dimension: int) -> None:
        epoch = secrets.token_hex(4)
        self._index.begin(SharedPosition(epoch=epoch, applied=0, mark="", intent=0, dimension=dimension))

    def close(self) -> None:
        self._index.close()

    @property
    def _position(self) -> SharedPosition:
        nowhere = SharedPosition(epoch="", applied=0, mark="", intent=0, dimension=0)
        return self._index.position() or nowhere
