"""Whatever JSON comes, reading it ends in values or in a refusal, and never takes what the published schema excludes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from recordance.errors import InvalidArgument
from recordance_adapters.wire.catalogue import ALL, tools_of
from recordance_adapters.wire.declaration import Declaration, Parameter
from recordance_adapters.wire.failure import failure_of

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.sampled_from([10**400, -(10**400)]),  # whole numbers that no float holds
    st.floats(),
    st.text(max_size=8),
    st.text(st.characters(categories=["Cs", "Cc", "Lo"]), max_size=3),
    st.sampled_from(["term", "fact", "cap-3", "2026-03-01T00:00:00Z", "nott/", "supersedes", "helped", "live"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["from", "to", "term", "x"]), inner, max_size=3),
)
TOOLS = tools_of([ALL])
PARAMETERS = [(tool.name, parameter) for tool in TOOLS for parameter in tool.arguments.parameters]
# Taken beyond the schema on purpose: one id without its array; items, each of which is judged in its place.
LENIENT = {"supersedes", "items", "search_scope"}


@given(st.sampled_from(PARAMETERS), VALUES)
def test_a_value_is_read_or_refused_by_its_field(named: tuple[str, Parameter], value: Any) -> None:
    """T1, W14: no value of any type leads to anything but a core value or a lesson, and every lesson can be written."""
    _, parameter = named
    try:
        Declaration((parameter,)).read({parameter.name: value})
    except InvalidArgument as refusal:
        failure = failure_of(refusal)
        assert failure.data["field"].startswith(parameter.name)
        assert failure.message.encode()
        assert json.dumps(failure.data, ensure_ascii=False).encode()


@pytest.mark.parametrize("huge", [10**400, -(10**400)])
def test_a_whole_number_that_no_float_holds_is_a_number_out_of_range(huge: int) -> None:
    """W14: it is refused as any other number out of range, in every parameter that takes one, and never a fault.

    memory_recall's limit alone is clamped instead, and said (O10).
    """
    numbers = [(tool, each) for tool, each in PARAMETERS if each.kind.schema["type"] in ("integer", "number")]
    taking = [each for tool, each in numbers if (tool, each.name) != ("memory_recall", "limit")]
    assert taking
    for parameter in taking:
        with pytest.raises(InvalidArgument, match="out of range"):
            Declaration((parameter,)).read({parameter.name: huge})


@given(st.sampled_from(PARAMETERS), VALUES)
def test_what_the_schema_excludes_is_refused(named: tuple[str, Parameter], value: Any) -> None:
    """T1, W14: the published schema and the reader come from one declaration, so neither may be looser than it says."""
    _, parameter = named
    if value is None or parameter.name in LENIENT or Draft202012Validator(parameter.schema).is_valid(value):
        return
    try:
        Declaration((parameter,)).read({parameter.name: value})
    except InvalidArgument:
        return
    raise AssertionError(f"{parameter.name} takes {value!r}, which its schema excludes")


@given(st.sampled_from(TOOLS), st.dictionaries(st.text(max_size=12), VALUES, min_size=1, max_size=3))
def test_an_unknown_name_is_never_read_past(tool: Any, raw: dict[str, Any]) -> None:
    """A parameter that nobody reads could be a fence that nobody sets."""
    known = {parameter.name for parameter in tool.arguments.parameters}
    try:
        tool.arguments.read(raw)
    except InvalidArgument:
        return
    assert raw.keys() <= known
