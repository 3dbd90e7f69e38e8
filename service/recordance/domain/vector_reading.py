"""Vectors as callers write them: arrays of numbers, judged before anything is computed with them (L2, case E3)."""

import math
from collections.abc import Sequence

from recordance.domain import limits
from recordance.domain.embedding import Vector, vector_of
from recordance.errors import InvalidArgument, Json, shorten

_NUMBERS = frozenset({int, float})
"""The types of numbers; true and false have one of their own, although Python counts with them."""
_BEYOND_FLOAT32 = 2.0**128 - 2.0**103
"""The least magnitude that single precision rounds to infinity."""


def read_vector(numbers: Sequence[Json], field: str) -> Vector:
    """Return the vector with these components, each rounded to float32.

    Raises InvalidArgument naming `field` for none or too many of them and for a vector that is all zero once rounded, and the
    first faulty component for what is no finite number of single precision. Every loop over good components is the interpreter's
    own: a batch brings some 200,000 of them.
    """
    if not 1 <= len(numbers) <= limits.DIMENSION:
        raise InvalidArgument(field, shorten(numbers), f"1 to {limits.DIMENSION} numbers", f"these are {len(numbers)}")
    if not set(map(type, numbers)) <= _NUMBERS:  # faster than issuperset, which asks for each
        raise _no_number(numbers, field)
    try:
        vector = vector_of(numbers)
    except OverflowError:  # a whole number beyond double precision
        raise _unfit(numbers, field) from None
    components = vector.values
    # A sum of float32 components stays within double precision, so that it is finite if they all are.
    if not math.isfinite(sum(components)):
        raise _unfit(numbers, field)
    if not any(components):
        why = "all of its components are zero in single precision, so it points nowhere and is like nothing"
        raise InvalidArgument(field, shorten(numbers), "the vector that the model gave for the text", why)
    return vector


def _no_number(numbers: Sequence[Json], field: str) -> InvalidArgument:
    place, got = next((place, each) for place, each in enumerate(numbers) if type(each) not in _NUMBERS)
    told = "an array" if isinstance(got, list | tuple) else "an object" if isinstance(got, dict) else shorten(got)
    return InvalidArgument(f"{field}[{place}]", told, "a number", "an embedding holds numbers alone")


def _unfit(numbers: Sequence[float], field: str) -> InvalidArgument:
    place, got = next((place, each) for place, each in enumerate(numbers) if not -_BEYOND_FLOAT32 < each < _BEYOND_FLOAT32)
    told = shorten(str(got)) if isinstance(got, int) else got
    why = "components are kept in single precision, and this is no finite number there"
    return InvalidArgument(f"{field}[{place}]", told, "a finite number of at most 3.4e38 in magnitude", why)
