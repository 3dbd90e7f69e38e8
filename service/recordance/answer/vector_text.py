"""Vectors as text, bit for bit: what an export writes of them and an import reads (W4, W10)."""

import base64
from collections.abc import Mapping

from recordance.domain.embedding import COMPONENT_BYTES, Vector
from recordance.errors import InvalidArgument, Json

DIMENSION = "dimension"
COMPONENTS = "float32_le"
"""Base64 of the components: float32, little-endian, in order."""


def vector_view(vector: Vector) -> dict[str, Json]:
    """Return `{dimension, float32_le}`."""
    return {DIMENSION: vector.dimension, COMPONENTS: base64.b64encode(vector.packed).decode("ascii")}


def viewed_vector(raw: Mapping[str, Json], path: str) -> Vector:
    """Return the vector that `raw` spells; raises InvalidArgument below `path` unless it is exactly as `vector_view` has it."""
    for name in (*raw, DIMENSION, COMPONENTS):
        if name not in raw or name not in (DIMENSION, COMPONENTS):
            why = "there is no such field" if name in raw else "it is missing"
            raise InvalidArgument(f"{path}.{name}", raw.get(name), f"{DIMENSION} and {COMPONENTS}", why)
    packed = _decoded(raw[COMPONENTS], f"{path}.{COMPONENTS}")
    dimension = raw[DIMENSION]
    if type(dimension) is not int or dimension * COMPONENT_BYTES != len(packed):
        why = f"{len(packed)} bytes are other than {COMPONENT_BYTES} for each component"
        raise InvalidArgument(f"{path}.{DIMENSION}", dimension, "how many components the text holds", why)
    return Vector(packed)


def _decoded(text: Json, path: str) -> bytes:
    expected = "the base64 of the components' bytes, padded"
    if not isinstance(text, str):
        raise InvalidArgument(path, text, expected, "it is no text")
    try:
        packed = base64.b64decode(text, validate=True)
    except ValueError as problem:
        raise InvalidArgument(path, text, expected, f"it is no base64 ({problem})") from None
    if base64.b64encode(packed).decode("ascii") != text:  # spare bits could carry what no store keeps
        raise InvalidArgument(path, text, expected, "it is not the one text of its bytes")
    return packed
