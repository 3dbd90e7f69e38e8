"""Vectors as an export writes them: every bit comes back, and what is no such text is refused (W4, W10)."""

import base64
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordance.answer.vector_text import vector_view, viewed_vector
from recordance.domain.embedding import Vector, vector_of
from recordance.errors import InvalidArgument

components = st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=40)


@given(components)
def test_every_component_comes_back_with_every_bit(values: list[float]) -> None:
    """W10: the smallest, the largest and a negative zero too; nothing is rounded through decimal text."""
    vector = vector_of(values)
    back = viewed_vector(vector_view(vector), "vector")
    assert back.packed == vector.packed
    assert struct.unpack(f"<{len(values)}f", back.packed) == tuple(values)


def test_the_text_is_the_base64_of_little_endian_float32() -> None:
    """W10: so that other programs can read and write it without this one; 1.0 is 00 00 80 3F."""
    assert vector_view(vector_of([1.0, -2.0])) == {"dimension": 2, "float32_le": "AACAPwAAAMA="}


GOOD = vector_view(vector_of([1.0, -2.0]))
UNEVEN = base64.b64encode(bytes(7)).decode()


@pytest.mark.parametrize(
    ("changes", "where", "why"),
    [
        ({"float32_le": None}, "float32_le", "no text"),
        ({"float32_le": [1.0, -2.0]}, "float32_le", "no text"),
        ({"float32_le": "AACAPwAAAMA"}, "float32_le", "no base64"),
        ({"float32_le": "AACAPw AAAMA="}, "float32_le", "no base64"),
        ({"float32_le": "AACAPwAAAMA=\n"}, "float32_le", "no base64"),
        ({"float32_le": "AACAP-AAAMA="}, "float32_le", "no base64"),
        ({"float32_le": "é" * 12}, "float32_le", "no base64"),
        ({"float32_le": "AACAPwAAAMB="}, "float32_le", "not the one text"),
        ({"float32_le": ""}, "dimension", "0 bytes"),
        ({"float32_le": UNEVEN}, "dimension", "7 bytes"),
        ({"dimension": 3}, "dimension", "8 bytes"),
        ({"dimension": 2.0}, "dimension", "8 bytes"),
        ({"dimension": True}, "dimension", "8 bytes"),
        ({"dimension": None}, "dimension", "8 bytes"),
        ({"norm": 2.2}, "norm", "no such field"),
    ],
    ids=str,
)
def test_what_is_not_exactly_such_a_text_is_refused_by_its_field(changes: dict[str, Any], where: str, why: str) -> None:
    """W10: a vector that was changed by a bit or cut by a byte is damage, and never another vector."""
    with pytest.raises(InvalidArgument) as refused:
        viewed_vector({**GOOD, **changes}, "line 2: vector")
    assert refused.value.field == f"line 2: vector.{where}"
    assert why in refused.value.message


@pytest.mark.parametrize("name", list(GOOD))
def test_a_vector_without_one_of_its_fields_is_refused(name: str) -> None:
    """W10: neither can be guessed from the other once something is damaged."""
    with pytest.raises(InvalidArgument) as refused:
        viewed_vector({key: value for key, value in GOOD.items() if key != name}, "vector")
    assert (refused.value.field, refused.value.why) == (f"vector.{name}", "it is missing")


def test_not_a_number_and_infinity_are_carried_by_the_text_and_judged_elsewhere() -> None:
    """W10: the text is about bytes; what may be attached is one rule for callers and files."""
    odd = Vector(struct.pack("<3f", float("inf"), float("-inf"), float("nan")))
    assert viewed_vector(vector_view(odd), "vector").packed == odd.packed
