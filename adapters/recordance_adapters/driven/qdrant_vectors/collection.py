"""The vector index of one store as one collection of a Qdrant server: shared by every process that is given the same one.

The position lies in a point of its own, numbered 0 where capsules begin at 1. It has no vector, so that no search finds it, and
goes with the rest if somebody empties the collection, so that this is noticed. It is only ever changed where its epoch is the
expected one: what was emptied or taken over meanwhile is not overwritten.

On a cluster a write is acknowledged by every live replica before it answers, in one order for all, and the position is read from
all of them: where they disagree there is none. What a server keeps of points that were replaced or dropped, until it rewrites its
segments, is beyond the reach of a client.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from qdrant_client import QdrantClient, models

from recordance.domain.embedding import DEFAULT_SPACE
from recordance.errors import Fault, ReplicaDamaged, StoreUnusable
from recordance.ports.shared_vectors import SharedPosition
from recordance.ports.vectors import Near
from recordance.query.nearness import VectorPoint, VectorQuery
from recordance_adapters.driven.qdrant_vectors.calling import Calling, Trouble, Unanswered
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
from recordance_adapters.driven.qdrant_vectors.layout import EPOCH, FIELDS, SCHEMA, objection

T = TypeVar("T")

_POSITION = 0
_COMPONENTS = 1_000_000
"""How many components the points of one request have at most: some 20 MB, where servers take 32."""
_ALL_POINTS = models.Filter(must_not=[models.HasIdCondition(has_id=[_POSITION])])
_EXACT = models.SearchParams(exact=True)
_ORDERED = models.WriteOrdering.STRONG
_AGREED = models.ReadConsistencyType.ALL


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How many points a request carries, and how a collection is made: left out, as the server has it."""

    batch: int = 500
    shard_number: int | None = None
    replication_factor: int | None = None


class QdrantCollection:
    """The index of one space of the store `store` in the collection `name` (see SharedVectorIndex)."""

    def __init__(
        self,
        client: QdrantClient,
        name: str,
        store: str,
        plan: Plan = Plan(),
        calling: Calling | None = None,
        space: str = DEFAULT_SPACE,
    ) -> None:
        self._client = client
        self._name = name
        self._store = store
        self._plan = plan
        self._calling = calling or Calling(name)
        self._space = space

    def position(self) -> SharedPosition | None:
        """See SharedVectorIndex."""
        payload = self._told()
        if payload is None or payload.get("schema") != SCHEMA:
            return None
        return SharedPosition(**{field: payload[field] for field in SharedPosition.__dataclass_fields__})

    def begin(self, position: SharedPosition) -> None:
        """See SharedVectorIndex."""
        self.prove(None)
        vectors = {self._space: models.VectorParams(size=position.dimension, distance=models.Distance.DOT)}
        seconds = self._calling.writing_seconds
        self._write(lambda: self._client.delete_collection(self._name, timeout=seconds))
        self._write(
            lambda: self._client.create_collection(
                self._name,
                vectors_config=vectors,
                shard_number=self._plan.shard_number,
                replication_factor=self._plan.replication_factor,
                write_consistency_factor=self._plan.replication_factor,
                hnsw_config=models.HnswConfigDiff(m=0),  # everything is asked exactly, so that a graph is never used
                timeout=seconds,
            )
        )
        for field, schema in FIELDS.items():
            self._index_field(field, schema)
        payload = self._payload(position)
        self._upsert([models.PointStruct(id=_POSITION, vector={}, payload=payload)])

    def advance(self, epoch: str, position: SharedPosition) -> bool:
        """See SharedVectorIndex."""
        expected = models.Filter(
            must=[
                models.HasIdCondition(has_id=[_POSITION]),
                models.FieldCondition(key=EPOCH, match=models.MatchValue(value=epoch)),
            ]
        )
        payload, seconds = self._payload(position), self._calling.writing_seconds
        self._write(
            lambda: self._client.set_payload(self._name, payload, points=expected, wait=True, ordering=_ORDERED, timeout=seconds)
        )
        return self.position() == position

    def put(self, points: Iterable[VectorPoint], dropped: Collection[int]) -> None:
        """See SharedVectorIndex."""
        source = iter(points)
        for first in source:
            size = max(1, min(self._plan.batch, _COMPONENTS // first.vector.dimension))
            batch = {point.number: self._structure(point) for point in (first, *islice(source, size - 1))}
            self._upsert(list(batch.values()))
        if dropped:
            selected, seconds = models.PointIdsList(points=list(dropped)), self._calling.writing_seconds
            self._write(lambda: self._client.delete(self._name, selected, wait=True, ordering=_ORDERED, timeout=seconds))

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        """See SharedVectorIndex."""
        conditions = conditions_of(query)
        if conditions is None:
            return ()
        towards = list(direction(query.vector, query.vector.dimension).values)
        answer = self._read(
            lambda: self._client.query_points(
                self._name,
                query=towards,
                using=self._space,
                query_filter=models.Filter(must=[_of(condition) for condition in conditions]) if conditions else None,
                limit=count,
                search_params=_EXACT,
                with_payload=False,
            )
        )
        return [Near(int(found.id), found.score) for found in answer.points]

    def count(self) -> int:
        """See SharedVectorIndex."""
        return self._read(lambda: self._client.count(self._name, count_filter=_ALL_POINTS, exact=True)).count

    def prove(self, dimension: int | None) -> None:
        """See SharedVectorIndex."""
        told = self._told()  # raises if it is another store's
        if told is not None or not self._exists():
            return
        made = self._read(lambda: self._client.get_collection(self._name))
        if (wrong := objection(made, self._space, dimension)) is not None:
            raise self._unusable(wrong)

    def close(self) -> None:
        """See SharedVectorIndex."""
        self._client.close()

    # ── the position ──────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _told(self) -> dict[str, Any] | None:
        """Return what the position says, None where there is none. Raises StoreUnusable where it is another store's."""
        try:
            found = self._read(lambda: self._client.retrieve(self._name, [_POSITION], with_payload=True, consistency=_AGREED))
        except ReplicaDamaged:
            return None
        payload = (found[0].payload or {}) if found else {}
        if "schema" not in payload:
            return None
        if payload.get("store") != self._store:
            raise self._unusable("is another store's; give each store a collection of its own")
        return payload

    def _payload(self, position: SharedPosition) -> dict[str, Any]:
        fields = {field: getattr(position, field) for field in SharedPosition.__dataclass_fields__}
        return {"schema": SCHEMA, "store": self._store, **fields}

    def _unusable(self, wrong: str) -> StoreUnusable:
        lesson = f"the collection {self._name!r} of the Qdrant server {wrong}"
        return StoreUnusable(lesson, lesson=lesson)

    # ── requests ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _structure(self, point: VectorPoint) -> models.PointStruct:
        values = list(direction(point.vector, point.vector.dimension).values)
        return models.PointStruct(id=point.number, vector={self._space: values}, payload=payload_of(point))

    def _upsert(self, points: list[models.PointStruct]) -> None:
        seconds = self._calling.writing_seconds
        self._write(lambda: self._client.upsert(self._name, points, wait=True, ordering=_ORDERED, timeout=seconds))

    def _index_field(self, field: str, schema: Any) -> None:
        seconds = self._calling.writing_seconds
        self._write(
            lambda: self._client.create_payload_index(
                self._name, field, field_schema=schema, wait=True, ordering=_ORDERED, timeout=seconds
            )
        )

    def _read(self, ask: Callable[[], T]) -> T:
        try:
            return self._calling.read(ask)
        except Unanswered as fault:
            raise self._meant(fault) from fault

    def _write(self, ask: Callable[[], T]) -> T:
        try:
            return self._calling.write(ask)
        except Unanswered as fault:
            raise self._meant(fault) from fault

    def _meant(self, fault: Unanswered) -> Fault:
        """Return what a failure means: where the collection is gone, that is the trouble, whatever the client says."""
        if fault.trouble in (Trouble.MISSING, Trouble.OTHER) and not self._exists():
            return ReplicaDamaged(f"the collection {self._name} is not there")
        return fault

    def _exists(self) -> bool:
        return self._calling.read(lambda: self._client.collection_exists(self._name))


def _of(condition: Condition) -> models.FieldCondition | models.HasIdCondition:
    match condition:
        case HasToken(tokens=tokens):
            return models.FieldCondition(key=LABELS, match=models.MatchAny(any=list(tokens)))
        case EventReaches(at_least=at_least, at_most=at_most):
            return models.FieldCondition(key=EVENT, range=models.Range(gte=at_least, lte=at_most))
        case HasNumber(numbers=numbers):
            return models.HasIdCondition(has_id=list(numbers))
