"""What a client of another system calls the parameters of `memory_update`, `memory_history` and `where_am_i`."""

from typing import Any

import pytest

from recordance.errors import InvalidArgument
from recordance_adapters.wire.tools.life import HISTORY, UPDATE
from recordance_adapters.wire.tools.whereabouts import WHERE_AM_I


@pytest.mark.parametrize(
    ("sent", "field", "expected"),
    [
        ({"memory_id": "cap-1", "changes": {"content": "x"}}, "memory_id", "id instead"),
        ({"id": "cap-1", "changes": {"title": "x"}}, "changes.title", "headline instead"),
        ({"id": "cap-1", "memory": {"content": "x"}}, "memory", "changes instead"),
    ],
)
def test_a_name_from_elsewhere_is_refused_with_the_one_from_here(sent: dict[str, Any], field: str, expected: str) -> None:
    """W13: whoever writes `memory_id` or `title` reads at once what it is called, not a list to guess from."""
    with pytest.raises(InvalidArgument) as refused:
        UPDATE.arguments.read(sent)
    assert (refused.value.field, refused.value.expected) == (field, expected)


def test_a_history_is_asked_for_by_id() -> None:
    """W12: here too."""
    with pytest.raises(InvalidArgument, match="send id instead"):
        HISTORY.arguments.read({"memory_id": "cap-1"})


def test_what_takes_no_parameter_says_so() -> None:
    """W11: a list of the names that there are would end in nothing."""
    with pytest.raises(InvalidArgument, match="send only an empty object"):
        WHERE_AM_I.arguments.read({"verbose": True})
