"""Lines in, lines out: whatever bytes come, the reader ends in a message or in an answer, and what is written can be read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCRequest, JSONRPCResponse

from recordance_adapters.driving.mcp_server.frames import BadFrame, read_frame, write_frame

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


@given(st.text(st.characters(), max_size=40))
def test_a_result_with_any_text_is_one_line_of_utf_8(text: str) -> None:
    """case A8: lone surrogates, line separators and controls included; nothing of them ends a line."""
    line = write_frame(JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": text}))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    shown = json.loads(line.decode())["result"]["text"]
    assert shown == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") or "\ufffd" in shown


@pytest.mark.parametrize("escape", ["\\ud83d", "\\ude00\\ud83d"])
def test_escaped_halves_of_a_pair_reach_the_argument_that_has_them(escape: str) -> None:
    """case A8: the refusal can then name the argument, which a parse error could not."""
    line = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"arguments":{{"a":"{escape}"}}}}}}'
    message = read_frame(line.encode())
    assert isinstance(message, JSONRPCRequest)
    assert message.params == {"arguments": {"a": escape.encode().decode("unicode_escape")}}
