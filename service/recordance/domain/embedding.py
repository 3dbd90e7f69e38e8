"""Embeddings: vectors that callers bring along, one for a capsule in a space (L2, L3, W4).

Components are float32, as every vector database keeps them. A product of two of them is exact in double precision, so a sum
that is rounded once (`math.fsum`) makes the cosine the same number in every process and beside every index (L17).
"""

import math
import operator
from array import array
from collections.abc import Iterable
from dataclasses import dataclass

from recordance.domain.instant import Instant

DEFAULT_SPACE = "default"
"""The space of the embeddings that callers bring along."""
COMPONENT_BYTES = 4
_HIGH_BYTE_FIRST = array("H", [1]).tobytes() == b"\x00\x01"
"""Whether this machine keeps the bytes of a number in the other order than a stored vector."""


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector as it is stored: `packed` holds its float32 components, little-endian."""

    packed: bytes

    @property
    def dimension(self) -> int:
        """How many components it has."""
        return len(self.packed) // COMPONENT_BYTES

    @property
    def values(self) -> "array[float]":
        """The components."""
        components = array("f", self.packed)
        if _HIGH_BYTE_FIRST:
            components.byteswap()
        return components

    @property
    def norm(self) -> float:
        """The Euclidean length, rounded once before the root."""
        values = self.values
        return math.sqrt(math.fsum(map(operator.mul, values, values)))


def vector_of(values: Iterable[float]) -> Vector:
    """Return the vector with these components, each rounded to float32; one that is too large for that becomes infinite."""
    components = array("f", values)
    if _HIGH_BYTE_FIRST:
        components.byteswap()
    return Vector(components.tobytes())


def unit(vector: Vector) -> Vector:
    """Return the vector of length 1 with the same direction, rounded to float32; raises ValueError where there is no direction.

    For indexes, which only propose: `hypot` takes a tenth of the time of `norm`, and is off by no more than their tolerance.
    """
    values = vector.values
    length = math.hypot(*values)
    if not 0 < length < math.inf:
        raise ValueError("a vector that is all zero, or not finite, has no direction")
    return vector_of([value / length for value in values])


class Measure:
    """The cosine similarity to one vector, which must be finite and not all zero (L3, L17)."""

    def __init__(self, to: Vector) -> None:
        self._values = to.values
        self._norm = to.norm

    def cosine(self, vector: Vector) -> float:
        """Return the cosine of the angle to `vector`, which must be of the same dimension, finite and not all zero."""
        values = vector.values
        square = math.fsum(map(operator.mul, values, values))
        return math.fsum(map(operator.mul, self._values, values)) / (self._norm * math.sqrt(square))


@dataclass(frozen=True, slots=True)
class Space:
    """A named space: all vectors in it have one dimension, and come from one model if anybody has named it (W4)."""

    name: str
    dimension: int
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Embedding:
    """The vector of one capsule in one space, with the digest of the content that it was made for (W4, case D7)."""

    capsule: int
    space: str
    content_digest: str
    vector: Vector
    at: Instant
