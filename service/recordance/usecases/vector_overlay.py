"""A vector index under the overlay of what it lacks: the two of them answer as one (decision 1)."""

from collections.abc import Callable, Sequence

from recordance.domain.embedding import vector_of
from recordance.errors import Fault, ReplicaDamaged
from recordance.ports.vectors import Near, VectorReplica, tolerance
from recordance.query.fence import Scope
from recordance.query.nearness import VectorQuery
from recordance.usecases.vector_scan import SCAN_TOLERANCE, VectorScan

WIDENING = 4
"""By what the number of proposals grows where too many of them are masked."""


class OverlaidVectors:
    """What an index holds but for `changed`, and what the truth has of those.

    When the index fails, `failed` says what answers from there on. It also does when asked in another dimension than it has, as
    a space may be that has none of its vectors any more.
    """

    def __init__(
        self,
        replica: VectorReplica,
        dimension: int,
        changed: frozenset[int],
        overlay: VectorScan,
        failed: Callable[[Fault], VectorScan],
    ) -> None:
        # Also of what answers instead: a recall may still hold what the index said before it failed.
        self.tolerance = max(tolerance(dimension), SCAN_TOLERANCE)
        self._replica = replica
        self._changed = changed
        self._overlay = overlay
        self._failed = failed
        self._instead: VectorScan | None = None

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        """Return the `count` nearest that the query admits, the highest score first, or all that may have a cosine above zero."""
        below = self._below(query, count)
        if self._instead is not None:
            return self._instead.nearest(query, count)
        if not self._changed:
            return below
        above = self._overlay.nearest(query, count)
        return sorted([*below, *above], key=lambda near: (-near.score, near.number))[:count]

    def disprove(self) -> None:
        """Have the truth answer from here on; the index is damaged."""
        if self._instead is None:
            self._instead = self._failed(ReplicaDamaged("the vector index holds another vector than the truth"))

    def _below(self, query: VectorQuery, count: int) -> Sequence[Near]:
        """Return the `count` nearest of the index that are not masked; nothing once it has failed."""
        if self._instead is not None:
            return ()
        try:
            return self._unmasked(query, count)
        except Fault as fault:
            self._instead = self._failed(fault)
            return ()

    def _unmasked(self, query: VectorQuery, count: int) -> Sequence[Near]:
        asked = count + min(len(self._changed), count)
        while True:
            near = self._replica.nearest(query, asked)
            kept = [each for each in near if each.number not in self._changed]
            if len(kept) >= count or len(near) < asked:
                return kept[:count]
            asked *= WIDENING


def held_of(replica: VectorReplica, dimension: int, numbers: frozenset[int]) -> int:
    """Return how many points with these numbers an index holds."""
    if not numbers or not dimension:
        return 0
    anywhere = vector_of([1.0] + [0.0] * (dimension - 1))
    return len(replica.nearest(VectorQuery(vector=anywhere, scope=Scope(), among=numbers), len(numbers)))
