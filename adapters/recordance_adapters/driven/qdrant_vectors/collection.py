"""A replica of the vector index as one collection behind a Qdrant client: shared by every process that is given the same one.

The position lies in a point of its own, numbered 0 where capsules begin at 1. It has no vector, so that no search finds it, and
goes with the rest if somebody empties the collection, so that this is noticed.

What a server keeps of points that were replaced or dropped, until it rewrites its segments, is beyond the reach of a client.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException

from recordance.errors import Fault, ReplicaDamaged
from recordance.ports.vectors import Near
from recordance.query.nearness import VectorPoint, VectorQuery
from recordance_adapters.driven.qdrant_vectors.encoding import (
    EVENT,
    LABELS,
    Condition,
    EventReaches,
    HasNumber,
    HasToken,
    conditions_of,
    direction,
    payload_of,
)
from recordance_adapters.driven.qdrant_vectors.sidecar import SCHEMA_VERSION

BATCH = 500
"""How many points one request carries."""
_POSITION = 0
_FAILURES = (ApiException, ValueError, RuntimeError, OSError)
"""What the client raises: for a refusal or a connection that broke, over unknown names in memory, and once it is closed."""
_ALL_POINTS = models.Filter(must_not=[models.HasIdCondition(has_id=[_POSITION])])


class QdrantCollection:
    """The index of one store in the collection `name` (see VectorReplica).

    Every property asks the server, since others may have written meanwhile. Raises Fault where the server cannot be reached or
    the collection is another store's, ReplicaDamaged where the collection is not there any more.
    """

    def __init__(self, client: QdrantClient, name: str, store: str) -> None:
        self._client = client
        self._name = name
        self._store = store

    @property
    def applied(self) -> int:
        """See VectorReplica."""
        return int(self._position().get("seq", 0))

    @property
    def mark(self) -> str:
        """See VectorReplica."""
        return str(self._position().get("mark", ""))

    @property
    def dimension(self) -> int:
        """See VectorReplica."""
        with self._asking():
            if not self._client.collection_exists(self._name):
                return 0
            vectors = self._client.get_collection(self._name).config.params.vectors
            if not isinstance(vectors, models.VectorParams):
                raise Fault(f"the collection {self._name} holds vectors of several kinds, which is not our doing")
            return vectors.size

    @property
    def count(self) -> int:
        """See VectorReplica."""
        if not self.dimension:
            return 0
        with self._asking():
            return self._client.count(self._name, count_filter=_ALL_POINTS, exact=True).count

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        """See VectorReplica."""
        dimension, conditions = self.dimension, conditions_of(query)
        if not dimension or conditions is None:
            return ()
        with self._asking():
            answer = self._client.query_points(
                self._name,
                query=list(direction(query.vector, dimension).values),
                query_filter=models.Filter(must=[_of(condition) for condition in conditions]),
                limit=count,
                search_params=models.SearchParams(exact=True),
                with_payload=False,
            )
            return [Near(int(found.id), found.score) for found in answer.points]

    def put(self, points: Iterable[VectorPoint], dropped: Collection[int]) -> None:
        """See VectorReplica."""
        dimension, source = self.dimension, iter(points)
        while batch := {point.number: _structure(point, dimension) for point in islice(source, BATCH)}:
            with self._asking():
                self._client.upsert(self._name, list(batch.values()), wait=True)
        if dropped and dimension:
            with self._asking():
                self._client.delete(self._name, models.PointIdsList(points=list(dropped)), wait=True)

    def settle(self, seq: int, mark: str = "") -> None:
        """See VectorReplica."""
        if not self.dimension:
            raise Fault(f"there is no collection {self._name} that could be settled")
        self._position()  # raises if it is another store's
        payload = {"schema": SCHEMA_VERSION, "store": self._store, "seq": seq, "mark": mark}
        with self._asking():
            self._client.upsert(self._name, [models.PointStruct(id=_POSITION, vector={}, payload=payload)], wait=True)

    def clear(self, dimension: int) -> None:
        """See VectorReplica."""
        self._position()  # raises if it is another store's
        vectors = models.VectorParams(size=dimension, distance=models.Distance.DOT)
        with self._asking():
            self._client.delete_collection(self._name)
            self._client.create_collection(self._name, vectors_config=vectors)

    def close(self) -> None:
        """See VectorReplica: the client is whoever's who made it."""

    def _position(self) -> dict[str, Any]:
        """Return what the position says; empty if there is none, or none by this version."""
        if not self.dimension:
            return {}
        with self._asking():
            found = self._client.retrieve(self._name, [_POSITION], with_payload=True)
        payload = (found[0].payload or {}) if found else {}
        if payload and payload.get("store") != self._store:
            raise Fault(f"the collection {self._name} is another store's; give each store one of its own")
        return payload if payload.get("schema") == SCHEMA_VERSION else {}

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Turn what the client raises into ReplicaDamaged if the collection is gone, else into Fault."""
        try:
            yield
        except _FAILURES as error:
            if self._is_gone():
                raise ReplicaDamaged(f"the collection {self._name} is not there any more") from error
            raise Fault(f"the collection {self._name} could not be asked: {error}") from error

    def _is_gone(self) -> bool:
        try:
            return not self._client.collection_exists(self._name)
        except _FAILURES:
            return False


def _structure(point: VectorPoint, dimension: int) -> models.PointStruct:
    return models.PointStruct(id=point.number, vector=list(direction(point.vector, dimension).values), payload=payload_of(point))


def _of(condition: Condition) -> models.FieldCondition | models.HasIdCondition:
    match condition:
        case HasToken(tokens=tokens):
            return models.FieldCondition(key=LABELS, match=models.MatchAny(any=list(tokens)))
        case EventReaches(at_least=at_least, at_most=at_most):
            return models.FieldCondition(key=EVENT, range=models.Range(gte=at_least, lte=at_most))
        case HasNumber(numbers=numbers):
            return models.HasIdCondition(has_id=list(numbers))
