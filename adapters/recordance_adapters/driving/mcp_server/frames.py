"""One line, one JSON-RPC message: reading what may be anything, writing what is always UTF-8 (cases A8, I1)."""

import json
from typing import Any, NoReturn

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

from recordance_adapters.wire.failure import writable

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class BadFrame(Exception):
    """A line that is no message; `answer` is what its sender is told."""

    def __init__(self, answer: JSONRPCError) -> None:
        super().__init__(answer.error.message)
        self.answer = answer


def read_frame(line: bytes) -> JSONRPCMessage:
    """Return the message that a line holds; raises BadFrame with the answer for one that holds none.

    Lone surrogates written as escapes come through, so that the argument which has one is refused by its name.
    """
    try:
        raw = json.loads(line.removeprefix(_BYTE_ORDER_MARK).decode(), parse_constant=_refuse_constant)
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


def _bad(code: int, lesson: str, request: int | str | None = None) -> BadFrame:
    return BadFrame(JSONRPCError(jsonrpc="2.0", id=request, error=ErrorData(code=code, message=writable(lesson))))


def _id_of(raw: Any) -> int | str | None:
    found = raw.get("id") if isinstance(raw, dict) else None
    usable = isinstance(found, int | str) and not isinstance(found, bool)
    return writable(found) if usable else None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
