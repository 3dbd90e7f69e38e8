"""One line, one JSON-RPC message: reading what may be anything, writing what is always UTF-8 (cases A8, I1)."""

import json
import math
from collections.abc import Mapping
from typing import Any

from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from recordance.errors import InvalidArgument
from recordance_adapters.wire.failure import failure_of, writable
from recordance_adapters.wire.reading import check_once, read_json

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class BadFrame(Exception):
    """A line that is no message; `answer` is what its sender is told."""

    def __init__(self, answer: JSONRPCError) -> None:
        super().__init__(answer.error.message)
        self.answer = answer


def read_frame(line: bytes) -> JSONRPCMessage:
    """Return the message that a line holds; raises BadFrame with the answer for one that holds none.

    Lone surrogates written as escapes, names that stand twice, NaN and the infinities come through inside of arguments, so that
    the argument which has one is refused by its name.
    """
    try:
        raw = read_json(line.removeprefix(_BYTE_ORDER_MARK).decode())
    except UnicodeDecodeError as why:
        raise _bad(PARSE_ERROR, f"Byte {why.start} of this line is not UTF-8; send JSON in UTF-8, one message a line.") from None
    except ValueError as why:
        raise _bad(PARSE_ERROR, f"This line is not JSON ({why}); send one JSON-RPC message a line.") from None
    except RecursionError:
        raise _bad(PARSE_ERROR, "This line is nested too deeply to be read.") from None
    if isinstance(raw, list):
        raise _bad(INVALID_REQUEST, "Batches are no part of MCP; send one JSON-RPC message a line.")
    try:
        message = jsonrpc_message_adapter.validate_python(raw)
    except ValidationError:
        raise _bad(INVALID_REQUEST, _EXPECTED, _id_of(raw)) from None
    _check_envelope(raw, line)
    # An id of a wrong type reads as none: its sender would wait for an answer for ever.
    if isinstance(message, JSONRPCNotification) and "id" in raw:
        raise _bad(INVALID_REQUEST, _EXPECTED, _id_of(raw))
    return message


def write_frame(message: JSONRPCMessage) -> bytes:
    """Return the line that carries a message."""
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
    except (PydanticSerializationError, UnicodeEncodeError):
        plain = writable(message.model_dump(by_alias=True, exclude_unset=True))
        text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return text.encode() + b"\n"


_EXPECTED = 'This is not a JSON-RPC 2.0 message; send an object with "jsonrpc": "2.0", a method, and an id if you want an answer.'


def _bad(code: int, lesson: str, request: int | str | None = None, data: dict[str, Any] | None = None) -> BadFrame:
    told = {} if data is None else {"data": data}  # what is left unset is not written
    return BadFrame(JSONRPCError(jsonrpc="2.0", id=request, error=ErrorData(code=code, message=writable(lesson), **told)))


def _id_of(raw: Any) -> int | str | None:
    found = raw.get("id") if isinstance(raw, dict) else None
    usable = isinstance(found, int | str) and not isinstance(found, bool)
    return writable(found) if usable else None


def _check_envelope(raw: Mapping[str, Any], line: bytes) -> None:
    """Refuse what stands twice, or is no number, around the arguments of a call; these are judged by whoever declares them."""
    sent = raw.get("params")
    params = sent if isinstance(sent, dict) else {}  # an answer may come with anything beside its result
    try:
        for part, path in ((raw, ""), (params, ""), (params.get("_meta"), "_meta")):
            check_once(part, path)
        if b"NaN" in line or b"Infinity" in line:
            _check_numbers({name: value for name, value in params.items() if name != "arguments"})
    except InvalidArgument as refusal:
        failure = failure_of(refusal)
        raise _bad(failure.code, failure.message, _id_of(raw), dict(failure.data)) from None


def _check_numbers(params: Mapping[str, Any]) -> None:
    """Refuse NaN and the infinities, which a strict reader could not even read past."""
    waiting = list(params.items())
    while waiting:
        field, part = waiting.pop()
        if isinstance(part, float) and not math.isfinite(part):
            raise InvalidArgument(field, part, "a finite number", "JSON has no such number")
        inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        waiting.extend((f"{field}.{name}", value) for name, value in inner)
