"""Vectors on the wire: arrays of numbers, as whoever made them has them (L2, case E3)."""

from recordance.domain.embedding import Vector
from recordance.domain.vector_reading import read_vector
from recordance.errors import Json
from recordance_adapters.wire.kinds import Kind, wrong_type


def vector() -> Kind[Vector]:
    """A vector of up to 4,096 components, finite and not all zero; published without bounds that no caller would meet."""

    def read(value: Json, field: str) -> Vector:
        if not isinstance(value, list):
            raise wrong_type(value, field, "an array of numbers")
        return read_vector(value, field)

    return Kind({"type": "array", "items": {"type": "number"}}, read)
