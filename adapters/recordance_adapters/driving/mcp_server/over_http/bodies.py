"""Reads what a client posts, within bounds, and judges it as every transport does before the SDK can lose any of it.

A reader that takes the last of two names, or drops what it does not know, could drop a fence. So the body is read by ours, and
the arguments of a call travel beside what is handed on, to be put back where the call is judged.
"""

import json
from collections import deque
from dataclasses import replace
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.context import CallNext, HandlerResult
from mcp.server.streamable_http import check_accept_headers
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError, JSONRPCRequest
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recordance_adapters.driving.mcp_server.callers import Context
from recordance_adapters.driving.mcp_server.frames import BadFrame, read_frame, write_frame
from recordance_adapters.driving.mcp_server.over_http.configuration import Bounds
from recordance_adapters.driving.mcp_server.over_http.visitors import scope_of
from recordance_adapters.wire.failure import writable

CALLED = "recordance.called"
"""Where a request's scope keeps the name and the arguments of a call, as they came."""
ASKED = "recordance.asked"
"""Where a request's scope keeps the id of the message that it holds."""
TOO_LARGE, TOO_SLOW, NOT_ACCEPTABLE = 413, 408, 406
_ACCEPTING = "Answers are JSON, or a stream of events where progress is told: send Accept: application/json, text/event-stream."
_LONG = 64 * 1024
"""Bytes from which on a body is read in a thread, so that others do not wait for it (case I4)."""
_JUDGED = ("name", "arguments")
_TWICE = "A request with this id is not answered yet in this session; give each an id of its own."


class TooLarge(Exception):
    """A body beyond the bound."""


class Gone(Exception):
    """The client went before it had said everything."""


class Bodies:
    """Hands on messages that are whole."""

    def __init__(self, app: ASGIApp, bounds: Bounds) -> None:
        self._app = app
        self._bounds = bounds
        self._unanswered = set[tuple[str, str]]()
        """Sessions and the ids of what is asked in them: two of one id would get each other's answer, or none."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 406, 413, 408 or 400, or pass the message on."""
        if scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        if not all(check_accept_headers(Request(scope))):
            await JSONResponse({"error": _ACCEPTING}, NOT_ACCEPTABLE)(scope, receive, send)
            return
        refusal = await self._refusal(scope, receive, waiting := deque[Message]())
        if refusal is not None:
            await refusal(scope, receive, send)
            return

        async def receive_again() -> Message:
            return waiting.popleft() if waiting else await receive()

        await self._pass_on(scope, receive_again, send)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = _asked(scope)
        self._unanswered |= asked

        def answered() -> None:
            self._unanswered.difference_update(asked)
            asked.clear()

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                answered()  # before the app ends, as whoever has the whole answer may ask again at once
            await send(message)

        try:
            await self._app(scope, receive, send_on)
        finally:
            answered()

    async def _refusal(self, scope: Scope, receive: Receive, waiting: deque[Message]) -> Response | None:
        """Read the message and put what is handed on into `waiting`, or return what its sender is told."""
        try:
            with anyio.fail_after(self._bounds.request_seconds):
                body = await self._body(Headers(scope=scope), receive)
            waiting.append({"type": "http.request", "body": await _handed_on(scope, body), "more_body": False})
        except TooLarge:
            lesson = f"This server takes requests of up to {self._bounds.request_bytes} bytes; send less at once."
            return JSONResponse({"error": lesson}, TOO_LARGE, {"connection": "close"})
        except TimeoutError:
            lesson = f"The request was not whole after {self._bounds.request_seconds:g} s; send it again."
            return JSONResponse({"error": lesson}, TOO_SLOW, {"connection": "close"})
        except BadFrame as bad:
            return Response(write_frame(bad.answer).rstrip(b"\n"), 400, media_type="application/json")
        except Gone:
            return Response(status_code=400)
        return _refused_twice(scope[ASKED]) if self._unanswered & _asked(scope) else None

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        declared = headers.get("content-length", "")
        if declared.isascii() and declared.isdigit() and int(declared) > self._bounds.request_bytes:
            raise TooLarge
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise Gone
            body += message.get("body", b"")
            if len(body) > self._bounds.request_bytes:
                raise TooLarge
            if not message.get("more_body", False):
                return bytes(body)


async def _handed_on(scope: Scope, body: bytes) -> bytes:
    """Return the body as the SDK is to see it, and keep what of a call it is not to see in `scope`."""
    message = await anyio.to_thread.run_sync(read_frame, body) if len(body) > _LONG else read_frame(body)
    if isinstance(message, JSONRPCRequest):
        scope[ASKED] = message.id
    if not isinstance(message, JSONRPCRequest) or message.method != "tools/call":
        return write_frame(message)
    scope[CALLED] = called = {name: value for name, value in (message.params or {}).items() if name in _JUDGED}
    seen = {**(message.params or {}), **{name: _stand_in(value) for name, value in called.items()}}
    plain = {"jsonrpc": "2.0", "id": message.id, "method": message.method, "params": seen}
    return json.dumps(writable(plain), separators=(",", ":")).encode()


def _asked(scope: Scope) -> set[tuple[str, str]]:
    """Return what is asked in which session, if anything is and there is one; 1 and "1" are the same id to the SDK."""
    session = Headers(scope=scope).get("mcp-session-id")
    return {(session, str(scope[ASKED]))} if session is not None and ASKED in scope else set()


def _refused_twice(id: int | str) -> Response:
    refusal = JSONRPCError(jsonrpc="2.0", id=writable(id), error=ErrorData(code=INVALID_REQUEST, message=_TWICE))
    return Response(write_frame(refusal).rstrip(b"\n"), 400, media_type="application/json")


def _stand_in(value: Any) -> Any:
    """Return something of the same kind that no reader stumbles over; a name stays, since headers may repeat it."""
    return value if isinstance(value, str) or value is None else {}


async def restore_arguments(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Put the name and the arguments of a call back as they came; the middleware that judges them stands behind this one."""
    called = scope_of(ctx).get(CALLED) if ctx.method == "tools/call" else None
    return await call_next(ctx if called is None else replace(ctx, params={**(ctx.params or {}), **called}))
