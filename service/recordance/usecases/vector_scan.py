"""Scans of a space, vector by vector: where no index can be asked, and for what an index lacks (decision 1, L3, L4)."""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial

from recordance.domain.embedding import Measure, Vector
from recordance.domain.validity import TimeWindow
from recordance.ports.truth import TruthReader
from recordance.ports.vectors import Near
from recordance.query.fence import admits
from recordance.query.nearness import VectorQuery

VECTORS_READ = 500
"""How many vectors are in memory at once: 1 MB in 512 dimensions."""
EVENTS_READ = 200
"""How many event ranges are read at once while a window is judged."""
SCAN_TOLERANCE = 1e-6
"""By how much a scan's scores may be off the exact cosine: far more than they are, and less than an index's."""

_SHORTEST, _LONGEST = 1e-3, 1e3


class VectorScan:
    """Vectors of a space as one snapshot of the truth has them, compared one by one.

    `among` names the capsules that a question may find. It misses none that has a cosine above zero (L3), and finds none that
    is surely below. Each question is worked out once, whatever count or window it is asked with.
    """

    tolerance = SCAN_TOLERANCE

    def __init__(self, reader: TruthReader, space: str, among: Callable[[VectorQuery], Sequence[int]]) -> None:
        self._reader = reader
        self._space = space
        self._among = among
        self._ranked: dict[VectorQuery, Sequence[Near]] = {}

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        """Return the `count` nearest that the query admits, the highest score first, or all that may have a cosine above zero."""
        timeless = replace(query, window=None)
        if timeless not in self._ranked:
            self._ranked[timeless] = sorted(self._positive(timeless), key=lambda near: (-near.score, near.number))
        ranked = self._ranked[timeless]
        return ranked[:count] if query.window is None else self._within(query.window, ranked, count)

    def disprove(self) -> None:
        """See VectorView: it scans the truth already."""

    def _positive(self, query: VectorQuery) -> Iterator[Near]:
        glance, numbers = _Glance(query.vector), self._among(query)
        for start in range(0, len(numbers), VECTORS_READ):
            vectors = self._reader.vectors(self._space, numbers[start : start + VECTORS_READ])
            for number, vector in vectors.items():
                cosine = glance.cosine(vector)
                if cosine > -SCAN_TOLERANCE:
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


def scan_of_all(reader: TruthReader, space: str) -> VectorScan:
    """Return the scan of everything in a space."""
    return VectorScan(reader, space, partial(_all_admitted, reader, space))


def scan_of_some(reader: TruthReader, space: str, numbers: Collection[int]) -> VectorScan:
    """Return the scan of those of `numbers` that are in a space; questions must be fenced by labels and numbers alone."""
    return VectorScan(reader, space, partial(_some_admitted, reader, numbers))


def _all_admitted(reader: TruthReader, space: str, query: VectorQuery) -> Sequence[int]:
    numbers = reader.embedded_within(space, query.scope)
    return numbers if query.among is None else [number for number in numbers if number in query.among]


def _some_admitted(reader: TruthReader, numbers: Collection[int], query: VectorQuery) -> Sequence[int]:
    some = sorted(numbers) if query.among is None else sorted(query.among.intersection(numbers))
    if not query.scope.fences:
        return some
    return [number for number, capsule in reader.capsules(some).items() if admits(query.scope, capsule, {})]


class _Glance:
    """Tells the cosine to one vector five times as fast as its exact sum, from the three sides of a triangle.

    The direction asked for has length 1, `length` is the other side, and the distance of their ends the third. Each is rounded
    by less than n·2⁻⁵³, its square by twice that, whatever way they are computed; with n = 8,192 and lengths between a thousandth
    and a thousand the cosine is off by less than 8,192 · 2⁻⁵³ · 4 · 1,000 < 10⁻⁸. What is longer or shorter is summed exactly.
    """

    def __init__(self, to: Vector) -> None:
        norm = to.norm
        self._direction = tuple(value / norm for value in to.values)
        self._exact = Measure(to)

    def cosine(self, vector: Vector) -> float:
        """Return the cosine of the angle to `vector`, off by less than SCAN_TOLERANCE."""
        values = vector.values.tolist()
        length = math.hypot(*values)
        if not _SHORTEST <= length <= _LONGEST:
            return self._exact.cosine(vector)
        distance = math.dist(self._direction, values)
        return (1.0 + length * length - distance * distance) / (2.0 * length)
