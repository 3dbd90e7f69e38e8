"""The exact scan of a space: what the vector lane falls back on while no index can be asked (decision 2, L3, L4)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from recordance.domain.embedding import Measure
from recordance.domain.validity import TimeWindow
from recordance.ports.truth import TruthReader
from recordance.ports.vectors import Near
from recordance.query.nearness import VectorQuery

VECTORS_READ = 500
"""How many vectors are in memory at once: 1 MB in 512 dimensions."""
EVENTS_READ = 200
"""How many event ranges are read at once while a window is judged."""


class VectorScan:
    """The vectors of a space as one snapshot of the truth has them, compared one by one.

    What it answers is exact: the scores are the cosines, and among equal ones the lower number comes first. Only what has a
    cosine above zero is found (L3). Each question is worked out once, whatever count or window it is asked with.
    """

    tolerance = 0.0

    def __init__(self, reader: TruthReader, space: str) -> None:
        self._reader = reader
        self._space = space
        self._ranked: dict[VectorQuery, Sequence[Near]] = {}

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        """Return the `count` nearest that the query admits, the nearest first, or all there are with a cosine above zero."""
        timeless = replace(query, window=None)
        if timeless not in self._ranked:
            self._ranked[timeless] = sorted(self._positive(timeless), key=lambda near: (-near.score, near.number))
        ranked = self._ranked[timeless]
        return ranked[:count] if query.window is None else self._within(query.window, ranked, count)

    def _positive(self, query: VectorQuery) -> Iterator[Near]:
        measure, numbers = Measure(query.vector), self._reader.embedded_within(self._space, query.scope)
        if query.among is not None:
            numbers = [number for number in numbers if number in query.among]
        for start in range(0, len(numbers), VECTORS_READ):
            vectors = self._reader.vectors(self._space, numbers[start : start + VECTORS_READ])
            for number, vector in vectors.items():
                cosine = measure.cosine(vector)
                if cosine > 0.0:
                    yield Near(number, cosine)

    def _within(self, window: TimeWindow, ranked: Sequence[Near], count: int) -> Sequence[Near]:
        """Return the first `count` whose event range meets the window, looking no further than needed (F3)."""
        found: list[Near] = []
        for start in range(0, len(ranked), EVENTS_READ):
            some = ranked[start : start + EVENTS_READ]
            capsules = self._reader.capsules([near.number for near in some])
            events = {number: capsule.event for number, capsule in capsules.items()}
            found += [near for near in some if (event := events.get(near.number)) is not None and window.meets(event)]
            if len(found) >= count:
                break
        return found[:count]
