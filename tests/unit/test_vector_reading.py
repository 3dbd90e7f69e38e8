"""Which arrays of numbers are vectors, and with which lesson the others are refused."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordance.domain import limits
from recordance.domain.embedding import vector_of
from recordance.domain.vector_reading import read_vector
from recordance.errors import SHOWN_CHARACTERS, InvalidArgument

LARGEST = 2.0**128 - 2.0**104
"""The largest finite number of single precision."""


def refused(numbers: list[Any]) -> InvalidArgument:
    with pytest.raises(InvalidArgument) as raised:
        read_vector(numbers, "embedding")
    return raised.value


@pytest.mark.parametrize("numbers", [[1], [0, 1], [0.5, -2], [1e-45, 0.0], [LARGEST, -LARGEST], [10**38], [1e-300, 1.0]])
def test_finite_numbers_are_a_vector_rounded_to_single_precision(numbers: list[Any]) -> None:
    """L2, W4: whole numbers are numbers, and what is too small for single precision is zero there."""
    assert read_vector(numbers, "embedding") == vector_of(numbers)


@pytest.mark.parametrize("numbers", [[0], [0.0, -0.0], [0] * 384, [1e-46, -1e-300]])
def test_a_vector_that_is_all_zero_in_single_precision_is_refused(numbers: list[Any]) -> None:
    """L2, case E3: it has no direction, so a cosine with it is no number, and a row without one would top every list."""
    refusal = refused(numbers)
    assert refusal.field == "embedding"
    assert "zero" in refusal.why


@pytest.mark.parametrize(
    ("number", "place"),
    [(math.nan, 1), (math.inf, 1), (-math.inf, 1), (1e39, 1), (2.0**128 - 2.0**103, 1), (10**400, 1), (-(10**400), 1)],
)
def test_a_component_that_is_no_finite_number_is_refused_by_its_place(number: Any, place: int) -> None:
    """L2, case E3: one NaN would sort before every honest score; one infinity would swallow every other component."""
    numbers: list[Any] = [0.25, 0.5, 0.75]
    numbers[place] = number
    assert refused(numbers).field == f"embedding[{place}]"


def test_infinities_of_both_signs_are_refused_by_the_first() -> None:
    """L2, case E3: their sum is neither, and must not hide either."""
    assert refused([1.0, -math.inf, math.inf]).field == "embedding[1]"


@pytest.mark.parametrize("component", [True, False, None, "0.5", [0.5], {"0": 0.5}, ["x" * 10_000]])
def test_what_is_no_number_is_refused_by_its_place(component: Any) -> None:
    """L2: true is no 1 and "0.5" is no 0.5; a guess would store another vector than was meant."""
    refusal = refused([0.5, 1, component])
    assert refusal.field == "embedding[2]"
    assert refusal.expected == "a number"
    assert len(refusal.message) < 3 * SHOWN_CHARACTERS


def test_none_and_too_many_components_are_refused_one_beyond_the_limit() -> None:
    """L2, W14: a documented limit holds exactly, on both sides."""
    assert refused([]).field == "embedding"
    assert read_vector([0.5] * limits.DIMENSION, "embedding").dimension == limits.DIMENSION
    assert refused([0.5] * (limits.DIMENSION + 1)).field == "embedding"


@pytest.mark.parametrize("numbers", [[0.0] * 1_000, [0.25] * 5_000, [0.25] * 999 + [math.nan], [0.25] * 999 + ["x" * 5_000]])
def test_a_refusal_repeats_no_hundreds_of_numbers(numbers: list[Any]) -> None:
    """L2: whoever reads the lesson pays for every character of it."""
    refusal = refused(numbers)
    assert len(refusal.message) < 4 * SHOWN_CHARACTERS
    assert len(str(refusal.data)) < 4 * SHOWN_CHARACTERS


@given(st.lists(st.floats() | st.integers() | st.just(1e39), min_size=1, max_size=6))
def test_reading_a_vector_agrees_with_judging_every_component(numbers: list[Any]) -> None:
    """L2, case E3: the quick way and the plain one take and refuse the same."""
    try:
        rounded = list(vector_of([float(number) for number in numbers]).values)
    except OverflowError:
        rounded = [math.inf]
    if all(map(math.isfinite, rounded)) and any(rounded):
        assert list(read_vector(numbers, "v").values) == rounded
    else:
        refused(numbers)
