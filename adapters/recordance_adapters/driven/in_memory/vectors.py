"""The vector index in plain memory: the cosine and the pure predicates over every point. It defines what engines must answer."""

import math
from collections.abc import Collection, Iterable, Sequence

from recordance.domain.capsule import Capsule, LabelField
from recordance.domain.embedding import Measure, Vector
from recordance.domain.instant import EARLIEST
from recordance.domain.validity import Validity
from recordance.errors import Fault
from recordance.ports.vectors import Near
from recordance.query.fence import admits
from recordance.query.nearness import VectorPoint, VectorQuery


class MemoryVectorReplica:
    """A replica that lasts as long as its process (see VectorReplica). Its scores are exact."""

    def __init__(self) -> None:
        self._points: dict[int, tuple[VectorPoint, Capsule]] = {}
        self._dimension = 0
        self._applied, self._mark = 0, ""

    @property
    def applied(self) -> int:
        """See VectorReplica."""
        return self._applied

    @property
    def mark(self) -> str:
        """See VectorReplica."""
        return self._mark

    @property
    def dimension(self) -> int:
        """See VectorReplica."""
        return self._dimension

    @property
    def count(self) -> int:
        """See VectorReplica."""
        return len(self._points)

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        """See VectorReplica; of equal scores the lower number comes first."""
        if not self._points:
            return ()
        self._require_direction(query.vector)
        measure = Measure(query.vector)
        near = [Near(point.number, measure.cosine(point.vector)) for point in self._admitted(query)]
        return sorted(near, key=lambda each: (-each.score, each.number))[:count]

    def _admitted(self, query: VectorQuery) -> Iterable[VectorPoint]:
        for point, capsule in self._points.values():
            met = query.window is None or (point.event is not None and query.window.meets(point.event))
            if met and (query.among is None or point.number in query.among) and admits(query.scope, capsule, {}):
                yield point

    def put(self, points: Iterable[VectorPoint], dropped: Collection[int]) -> None:
        """See VectorReplica."""
        for point in points:
            self._require_direction(point.vector)
            self._points[point.number] = point, _as_fences_see(point)
        for number in dropped:
            self._points.pop(number, None)

    def _require_direction(self, vector: Vector) -> None:
        if vector.dimension != self._dimension or not 0 < vector.norm < math.inf:
            raise Fault(f"a vector of {vector.dimension} components is not one of {self._dimension} with a direction")

    def settle(self, seq: int, mark: str = "") -> None:
        """See VectorReplica: memory is as durable as it gets."""
        self._applied, self._mark = seq, mark

    def clear(self, dimension: int) -> None:
        """See VectorReplica."""
        self._points = {}
        self._dimension = dimension
        self._applied, self._mark = 0, ""

    def close(self) -> None:
        """See VectorReplica: there is nothing to release."""


def _as_fences_see(point: VectorPoint) -> Capsule:
    """Return a capsule with what fences on vectors compare, and nothing else that means anything."""
    labels = {LabelField.PROJECT: point.project, LabelField.SESSION: point.session}
    return Capsule(
        number=point.number,
        labels={field: label for field, label in labels.items() if label is not None},
        event=point.event,
        revision=1,
        content_digest="",
        word_count=0,
        confidence=0.0,
        importance=0.0,
        value=0.0,
        validity=Validity(EARLIEST),
        captured_at=EARLIEST,
        updated_at=EARLIEST,
        writer="",
    )
