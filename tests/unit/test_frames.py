"""Lines in, lines out: whatever bytes come, the reader ends in a message or in an answer, and what is written can be read."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCRequest, JSONRPCResponse

from recordance_adapters.driving.mcp_server.frames import BadFrame, read_frame, write_frame
from recordance_adapters.wire.reading import Doubled, read_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)
MESSAGE_NAMES = st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error"])


@given(st.binary(max_size=64) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_line_is_a_message_or_has_an_answer(line: bytes) -> None:
    """case A8, case I1: no line ends the session, and every answer is JSON-RPC itself."""
    try:
        message = read_frame(line)
    except BadFrame as bad:
        message = bad.answer
    assert json.loads(write_frame(message))["jsonrpc"] == "2.0"


@given(st.dictionaries(MESSAGE_NAMES, JSON | st.sampled_from(["2.0", "ping", 1]), min_size=1))
def test_an_object_with_an_id_is_never_taken_for_a_notification(raw: dict[str, object]) -> None:
    """Its sender waits for an answer."""
    try:
        message = read_frame(json.dumps(raw).encode())
    except BadFrame:
        return
    assert ("id" in raw) == hasattr(message, "id")


@pytest.mark.parametrize("params", ["2.0", 1, [], None])
def test_an_answer_may_come_with_params_of_any_kind(params: object) -> None:
    """case A8: nobody reads them, so nothing may fall over them."""
    frame = {"jsonrpc": "2.0", "id": 7, "result": {}, "params": params}
    assert isinstance(read_frame(json.dumps(frame).encode()), JSONRPCResponse)


@given(st.text(st.characters(), max_size=40))
def test_a_result_with_any_text_is_one_line_of_utf_8(text: str) -> None:
    """case A8: lone surrogates, line separators and controls included; nothing of them ends a line."""
    line = write_frame(JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": text}))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    shown = json.loads(line.decode())["result"]["text"]
    assert shown == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") or "\ufffd" in shown


@given(JSON)
def test_a_text_without_repeated_names_reads_as_any_reader_reads_it(value: Any) -> None:
    """case A8: what is watched for changes nothing else."""
    found = read_json(json.dumps(value))
    assert found == value
    assert not doubled(found)


@given(st.lists(st.tuples(st.sampled_from("abc"), JSON), max_size=5))
def test_a_name_that_stands_twice_is_noticed_at_any_depth(pairs: list[tuple[str, Any]]) -> None:
    """F1: the last of two fences would hold alone; the one that was dropped would be missed by nobody."""
    written = ",".join(f"{json.dumps(name)}:{json.dumps(value)}" for name, value in pairs)
    names = [name for name, _ in pairs]
    found = doubled(read_json(f'[[{{"x": {{{written}}}}}]]'))
    assert [each.name for each in found] == [name for name in dict.fromkeys(names) if names.count(name) > 1][:1]


def doubled(value: Any) -> list[Doubled]:
    """Every object inside `value` that was written with a name twice."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return ([value] if isinstance(value, Doubled) else []) + [each for part in inner for each in doubled(part)]


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', "method"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"a":2}}', "a"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":1,"a":2}}}', "_meta.a"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[{"b":-Infinity}]}}', "a.0.b"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"b":NaN}}}', "_meta.b"),
    ],
)
def test_what_is_wrong_around_the_arguments_is_answered_under_the_requests_id(line: bytes, field: str) -> None:
    """case A8: a client that waits for its id would wait for ever on an answer without one."""
    with pytest.raises(BadFrame) as bad:
        read_frame(line)
    answer = json.loads(write_frame(bad.value.answer))
    assert (answer["id"], answer["error"]["code"], answer["error"]["data"]["field"]) == (1, -32602, field)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity", "9" * 5_000, "-" + "9" * 5_000])
def test_what_is_no_number_reaches_the_argument_that_has_it(constant: str) -> None:
    """case A8: it is refused by name, and in a batch it blocks no sibling; nor does a number longer than any reader takes."""
    line = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"arguments":{{"a":[{constant}]}}}}}}'
    message = read_frame(line.encode())
    assert isinstance(message, JSONRPCRequest)
    assert message.params is not None
    assert not math.isfinite(message.params["arguments"]["a"][0])


@pytest.mark.parametrize("escape", ["\\ud83d", "\\ude00\\ud83d"])
def test_escaped_halves_of_a_pair_reach_the_argument_that_has_them(escape: str) -> None:
    """case A8: the refusal can then name the argument, which a parse error could not."""
    line = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"arguments":{{"a":"{escape}"}}}}}}'
    message = read_frame(line.encode())
    assert isinstance(message, JSONRPCRequest)
    assert message.params == {"arguments": {"a": escape.encode().decode("unicode_escape")}}
