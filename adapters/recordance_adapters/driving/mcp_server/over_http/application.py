"""All routes of the server, each behind the guard: MCP, its health, its numbers, and what OAuth clients ask."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import anyio
import anyio.to_thread
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from recordance.domain.caller import Caller, Permission
from recordance_adapters.driving.mcp_server.over_http.bodies import Bodies
from recordance_adapters.driving.mcp_server.over_http.configuration import MCP_PATH, Listening
from recordance_adapters.driving.mcp_server.over_http.guard import LOOPBACK_NAMES, Guard, address
from recordance_adapters.driving.mcp_server.over_http.measures import CONTENT_TYPE, Measures
from recordance_adapters.driving.mcp_server.over_http.observing import Observer
from recordance_adapters.driving.mcp_server.over_http.readiness import Readiness
from recordance_adapters.driving.mcp_server.over_http.visitors import CALLER, NotAdmitted, Visitors

METADATA_PATH = "/.well-known/oauth-protected-resource"
_STATUS: Mapping[str | None, int] = {"invalid_request": 400, "insufficient_scope": 403}
"""How RFC 6750 answers what is not 401."""
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")

Route = Callable[[Scope, Receive, Send], Awaitable[None]]


class Drain:
    """Whether the server is at its end: no new work is begun, and streams that only wait are closed."""

    def __init__(self) -> None:
        self.begun = anyio.Event()


@dataclass(frozen=True, slots=True)
class Parts:
    """What the routes need."""

    listening: Listening
    visitors: Visitors
    sessions: StreamableHTTPSessionManager
    readiness: Readiness
    measures: Measures
    drain: Drain


def build_application(parts: Parts) -> ASGIApp:
    """Return the application; its session manager is run by whoever serves it."""
    routes = _Routes(parts)
    paths = routes.by_path()
    return Observer(Guard(_Dispatch(paths), parts.listening), parts.measures, list(paths), parts.listening.bounds.answer_seconds)


class _Dispatch:
    def __init__(self, routes: Mapping[str, Route]) -> None:
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = self._routes.get(scope["path"])
        if route is None:
            await JSONResponse({"error": f"There is nothing here; MCP is at {MCP_PATH}."}, 404)(scope, receive, send)
        else:
            await route(scope, receive, send)


class _Routes:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._mcp = Bodies(parts.sessions.handle_request, parts.listening.bounds)
        self._probes, self._counts = anyio.CapacityLimiter(2), anyio.CapacityLimiter(2)

    def by_path(self) -> dict[str, Route]:
        listening = self._parts.listening
        routes: dict[str, Route] = {
            MCP_PATH: self._serve_mcp,
            "/healthz": self._only_get(self._alive),
            "/readyz": self._only_get(self._ready),
        }
        if listening.metrics:
            routes["/metrics"] = self._only_get(self._numbers)
        if listening.authorization_servers:
            routes[METADATA_PATH] = routes[METADATA_PATH + MCP_PATH] = self._only_get(self._metadata)
        return routes

    async def _serve_mcp(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            caller = await self._admitted(scope)
        except NotAdmitted as refused:
            await self._unauthorized(refused)(scope, receive, send)
            return
        if caller is not None:
            scope[CALLER] = caller
            scope["user"] = _user(caller)
        if scope["method"] == "GET":
            await self._until_drained(scope, receive, send)
        else:
            await self._mcp(scope, receive, send)

    async def _admitted(self, scope: Scope) -> Caller | None:
        return await self._parts.visitors.admitted(Headers(scope=scope).getlist("authorization"))

    async def _until_drained(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a stream on which the server would speak first, until the server's end: it waits for nothing."""
        async with anyio.create_task_group() as both:

            async def end() -> None:
                await self._parts.drain.begun.wait()
                both.cancel_scope.cancel()

            both.start_soon(end)
            await self._mcp(scope, receive, send)
            both.cancel_scope.cancel()

    def _unauthorized(self, refused: NotAdmitted) -> Response:
        told = {"error": refused.error or "invalid_request", "error_description": refused.lesson}
        parts = [f'{name}="{text}"' for name, text in told.items()] if refused.error is not None else []
        if self._parts.listening.authorization_servers:
            parts.append(f'resource_metadata="{self._public_url}{METADATA_PATH}{MCP_PATH}"')
        challenge = "Bearer " + ", ".join(parts) if parts else "Bearer"
        return JSONResponse(told, _STATUS.get(refused.error, 401), {"WWW-Authenticate": challenge})

    @property
    def _public_url(self) -> str:
        listening = self._parts.listening
        return (listening.public_url or f"http://{listening.host}:{listening.port}").rstrip("/")

    def _only_get(self, answer: Callable[[Scope], Awaitable[Response]]) -> Route:
        async def route(scope: Scope, receive: Receive, send: Send) -> None:
            readable = scope["method"] in ("GET", "HEAD")
            response = await answer(scope) if readable else Response(status_code=405, headers={"Allow": "GET, HEAD"})
            await response(scope, receive, send)

        return route

    async def _alive(self, _: Scope) -> Response:
        return JSONResponse({"alive": True})

    async def _ready(self, scope: Scope) -> Response:
        if self._parts.drain.begun.is_set():
            return JSONResponse({"ready": False, "why": "the server is ending"}, 503)
        verdict = await anyio.to_thread.run_sync(self._parts.readiness.verdict, limiter=self._probes)
        named = {} if verdict.ready or not await self._sees_all(scope) else {"failures": dict(verdict.failures)}
        return JSONResponse({"ready": verdict.ready, **named}, 200 if verdict.ready else 503)

    async def _numbers(self, scope: Scope) -> Response:
        if not await self._sees_all(scope):
            lesson = "Numbers tell of every project and destination: ask from this machine, or with a token without fences."
            return self._unauthorized(NotAdmitted(lesson, "insufficient_scope"))
        text = await anyio.to_thread.run_sync(self._parts.measures.text, limiter=self._counts)
        return Response(text, media_type=CONTENT_TYPE)

    async def _metadata(self, _: Scope) -> Response:
        return JSONResponse(
            {
                "resource": self._public_url + MCP_PATH,
                "resource_name": "Recordance",
                "authorization_servers": list(self._parts.listening.authorization_servers),
                "scopes_supported": [permission.value for permission in Permission],
                "bearer_methods_supported": ["header"],
            }
        )

    async def _sees_all(self, scope: Scope) -> bool:
        """Whether a request comes from this machine itself, or with a token that no fence narrows (F13)."""
        if _is_local(scope):
            return True
        try:
            caller = await self._admitted(scope)
        except NotAdmitted:
            return False
        return caller is not None and caller.projects is None and caller.destinations is None


def _is_local(scope: Scope) -> bool:
    """Whether a request was made on this machine, and not by somebody whom a proxy on it stands before."""
    headers, client = Headers(scope=scope), scope.get("client")
    if client is None or any(name in headers for name in _FORWARDED):
        return False
    name = headers.get("host", "").lower()
    named_so = any(name == each or name.startswith(each + ":") for each in LOOPBACK_NAMES)
    peer = address(str(client[0]))
    return named_so and peer is not None and peer.is_loopback


def _user(caller: Caller) -> AuthenticatedUser:
    """Return the caller as the SDK compares it, so that a session is its opener's alone."""
    fences = repr((caller.fence_key, None if caller.destinations is None else sorted(caller.destinations)))
    return AuthenticatedUser(AccessToken(token="", client_id=caller.actor, scopes=[], subject=fences))
