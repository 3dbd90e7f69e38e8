"""Reading vectors: spaces, the vectors in them, and which capsules have one inside a scope (W4, F4)."""

import functools
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import Integer, Select, bindparam, exists, select

from recordance.domain.embedding import Embedding, Space, Vector
from recordance.ports.truth import OccupiedSpace
from recordance.query.fence import Scope
from recordance_adapters.driven.sql_truth.fenced import FencedReading, large_fences, small_fences
from recordance_adapters.driven.sql_truth.fencing import embedded_where
from recordance_adapters.driven.sql_truth.rows import Row, among
from recordance_adapters.driven.sql_truth.tables import capsule, embedding, embedding_space

_SPACE_COLUMNS = (
    embedding_space.c.space, embedding_space.c.dimension, embedding_space.c.model, embedding_space.c.vectors,
)  # fmt: skip
_SPACES = select(*_SPACE_COLUMNS)
_SPACE = _SPACES.where(embedding_space.c.space == bindparam("space"))
_THERE = exists().where(embedding.c.capsule == capsule.c.number, embedding.c.space == bindparam("space"))
_UNEMBEDDED = (
    select(capsule.c.number)
    .where(
        capsule.c.number > bindparam("above"), capsule.c.number < bindparam("below"), capsule.c.tombstoned_at.is_(None), ~_THERE
    )
    .order_by(capsule.c.number.desc())
    .limit(bindparam("most", type_=Integer))
)
_EMBEDDED = select(embedding.c.capsule).where(embedding.c.space == bindparam("space"))


@functools.cache
def _vectors(size: int) -> Select[tuple[int, bytes]]:
    chosen = select(embedding.c.capsule, embedding.c.vector).where(among(embedding.c.capsule, size))
    return chosen.where(embedding.c.space == bindparam("space")).order_by(embedding.c.capsule)


@functools.cache
def _embeddings(size: int) -> Select[tuple[object, ...]]:
    return select(embedding).where(among(embedding.c.capsule, size)).order_by(embedding.c.capsule)


class VectorReading(FencedReading):
    """The part of TruthReader that is about vectors."""

    def space(self, name: str) -> OccupiedSpace | None:
        """See TruthReader."""
        rows = self._rows.all(_SPACE, space=name)
        return _occupied(rows[0]) if rows else None

    def spaces(self) -> Sequence[OccupiedSpace]:
        """See TruthReader."""
        return sorted(map(_occupied, self._rows.all(_SPACES)), key=lambda each: each.space.name)

    def vectors(self, space: str, numbers: Collection[int]) -> Mapping[int, Vector]:
        """See TruthReader."""
        return {number: Vector(packed) for number, packed in self._rows.among(_vectors, numbers, space=space)}

    def embedded_within(self, space: str, scope: Scope) -> Sequence[int]:
        """See TruthReader. A fence of more values than a statement should take is judged here, by the predicate."""
        asked = small_fences(scope)
        rows = self._rows.once(embedded_where(space, asked)) if asked else self._rows.all(_EMBEDDED, space=space)
        return list(self.judged(sorted(number for (number,) in rows), large_fences(scope)))

    def unembedded(self, space: str, above: int, below: int, count: int) -> Sequence[int]:
        """See TruthReader."""
        rows = self._rows.all(_UNEMBEDDED, space=space, above=above, below=below, most=count)
        return [number for (number,) in rows]

    def embeddings(self, numbers: Collection[int]) -> Mapping[int, Sequence[Embedding]]:
        """See TruthReader."""
        found: dict[int, list[Embedding]] = {}
        for number, space, content_digest, packed, at in self._rows.among(_embeddings, numbers):
            found.setdefault(number, []).append(Embedding(number, space, content_digest, Vector(packed), at))
        for each in found.values():
            each.sort(key=lambda embedding: embedding.space)
        return found


def _occupied(row: Row) -> OccupiedSpace:
    name, dimension, model, vectors = row
    return OccupiedSpace(Space(name, dimension, model), vectors)
