"""Sees every request from its first byte to its last: gives it an id, measures it, and writes its line in the log."""

import logging
import time
from collections.abc import Callable, Collection
from typing import Any

import anyio
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recordance.domain.caller import Caller
from recordance.errors import StateKind
from recordance_adapters.driving.mcp_server.callers import Context
from recordance_adapters.driving.mcp_server.over_http.journal_lines import FIELDS
from recordance_adapters.driving.mcp_server.over_http.measures import Measures
from recordance_adapters.driving.mcp_server.over_http.request_ids import HEADER, REQUEST_ID, request_id
from recordance_adapters.driving.mcp_server.over_http.visitors import CALLER, scope_of
from recordance_adapters.wire.failure import INTERNAL_ERROR, INVALID_PARAMS, MISSING_STATE, SEARCH_FAILED

CALL = "recordance.call"
"""Where a request's scope keeps what is logged of its call."""
_OUTCOMES = {
    INVALID_PARAMS: "invalid_params",
    MISSING_STATE: "missing_state",
    SEARCH_FAILED: "search_failed",
    INTERNAL_ERROR: "fault",
}
_STRANGE = "unknown"
"""The tool's name where the one that was sent is none: a label takes no text of a client."""

_PROBES = frozenset({"/healthz", "/readyz", "/metrics"})

REQUESTS = logging.getLogger("recordance_adapters.requests")
"""Has a line for each request, with whatever level the rest is logged."""


class Observer:
    """The outermost layer."""

    def __init__(self, app: ASGIApp, measures: Measures, routes: Collection[str], answer_seconds: float) -> None:
        self._app = app
        self._measures = measures
        self._routes = frozenset(routes)
        self._answer_seconds = answer_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and tell of it when it is over."""
        if scope["type"] != "http":
            return  # no lifespan and no other protocol is served
        id, began, status = request_id(Headers(scope=scope).get(HEADER)), time.monotonic(), 500
        REQUEST_ID.set(id)

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = id
            with anyio.fail_after(self._answer_seconds):
                await send(message)

        try:
            await self._app(scope, receive, watch)
        finally:
            route = scope["path"] if scope["path"] in self._routes else _STRANGE
            self._measures.answered(route, status)
            self._log(scope, route, status, time.monotonic() - began)

    def _log(self, scope: Scope, route: str, status: int, seconds: float) -> None:
        caller = scope.get(CALLER)
        who = {"subject": caller.actor} if isinstance(caller, Caller) else {}
        told = {"method": scope["method"], "route": route, "status": status, **who, **scope.get(CALL, {})}
        # Whoever runs it has it looked at every few seconds: that all is well is no news.
        level = logging.DEBUG if route in _PROBES and status < 400 else logging.INFO
        REQUESTS.log(level, "served", extra={FIELDS: {**told, "ms": round(seconds * 1_000, 2)}})


class CallObserver:
    """Measures the calls of tools, inside of whatever request they come in."""

    def __init__(self, measures: Measures, tools: Collection[str], clock: Callable[[], float] = time.monotonic) -> None:
        self._measures = measures
        self._tools = frozenset(tools)
        self._clock = clock

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Pass a call on and note how it ended."""
        if ctx.method != "tools/call":
            return await call_next(ctx)
        name = (ctx.params or {}).get("name")
        tool = name if isinstance(name, str) and name in self._tools else _STRANGE
        began, told = self._clock(), {"outcome": "abandoned"}
        self._measures.call_begins()
        try:
            result = await call_next(ctx)
            told = {"outcome": "answered"}
            return result
        except MCPError as refused:
            told = _ending(refused)
            raise
        finally:
            self._measures.call_ends(tool, told["outcome"], self._clock() - began)
            scope_of(ctx)[CALL] = {"tool": tool, **told}


_FAULTS = frozenset({StateKind.STORE_UNUSABLE, StateKind.STORE_UNREACHABLE, StateKind.WRITE_UNCERTAIN})
"""What a store that cannot be used is told as; the id is the fault's."""


def _ending(refused: MCPError) -> dict[str, Any]:
    """Return how a call ended that was not answered; a fault with the id under which the log tells of it."""
    data = refused.error.data
    told = data if isinstance(data, dict) else {}
    if told.get("kind") in _FAULTS:
        return {"outcome": "fault", "fault": told.get("id")}
    outcome = _OUTCOMES.get(refused.error.code, "refused")
    return {"outcome": outcome, **({"fault": told.get("fault")} if outcome == "fault" else {})}
