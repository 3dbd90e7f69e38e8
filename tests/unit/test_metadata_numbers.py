"""A filter by metadata finds a number in whichever form JSON wrote it (F9)."""

from typing import Any

import pytest

from recordance.query.fence import number_forms
from support.houses import House

FOUND: list[tuple[Any, Any]] = [
    (1.0, 1),
    (1, 1.0),
    (0, -0.0),
    (-0.0, 0),
    (0.0, -0.0),
    (1e16, 1e16),
    (-3, -3.0),
    (10**20, 10**20),
    (1.5, 1.5),
]
MISSED: list[tuple[Any, Any]] = [(1, True), (True, 1.0), (1, "1"), (2**53 + 1, float(2**53)), (1, 1.5), (0, False), (0, None)]


def found(stored: Any, asked: Any) -> int:
    """How many hits a recall has that is fenced to a number."""
    house = House()
    house.store("alpha", metadata={"n": stored})
    answer: Any = house.call("memory_recall", query="alpha", stages=["term"], metadata_filter={"n": asked})
    return int(answer["result_count"])


@pytest.mark.parametrize(("stored", "asked"), FOUND, ids=repr)
def test_a_whole_number_is_found_as_an_integer_and_as_a_float(stored: Any, asked: Any) -> None:
    """F9: many clients have one kind of number, and write 1.0 as 1."""
    assert found(stored, asked) == 1


@pytest.mark.parametrize(("stored", "asked"), MISSED, ids=repr)
def test_what_is_no_equal_number_is_not_found(stored: Any, asked: Any) -> None:
    """F9: a boolean or a text is no number, and numbers that no float holds are compared as they are."""
    assert found(stored, asked) == 0


def test_the_forms_of_a_value_are_those_of_equal_numbers() -> None:
    """F9: what is no whole number has its own form alone."""
    assert number_forms("1") == ("1", "1.0")
    assert number_forms("1.0") == ("1.0", "1")
    assert number_forms('{"a":1}') == ('{"a":1}',)
    assert number_forms("true") == ("true",)
