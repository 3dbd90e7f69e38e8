"""The vector engine alone: the nearest to a vector, exactly, without fences, exact cosines or answers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import qdrant_edge as edge


class BareVectors:
    """An index of its own with the same vectors as the store's."""

    def __init__(self, folder: Path, dimension: int) -> None:
        folder.mkdir()
        vectors = edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine)
        self._shard = edge.EdgeShard.create(str(folder), edge.EdgeConfig(vectors=vectors, wal_enabled=False))
        self._numbers = itertools.count(1)

    def add(self, vectors: Sequence[list[float]]) -> None:
        """Take vectors in."""
        points = [edge.Point(next(self._numbers), vector, {}) for vector in vectors]
        self._shard.update(edge.UpdateOperation.upsert_points(points))

    def search(self, vector: list[float], top: int) -> int:
        """Return how many were found, having compared them all and ranked the nearest `top`."""
        query, exact = edge.Query.Nearest(vector), edge.SearchParams(exact=True)
        return len(self._shard.query(edge.QueryRequest(limit=top, query=query, params=exact)))

    def close(self) -> None:
        """Write down what was taken in, and let go."""
        self._shard.flush()
        self._shard.close()
