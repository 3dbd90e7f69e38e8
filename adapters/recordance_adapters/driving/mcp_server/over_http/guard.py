"""Stands before every route: a request must name this server as its Host, and a web page must be one that may ask (case L1).

Without it any web page could have its own name lead to the loopback address and read the store through its visitor's browser.
"""

import ipaddress
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recordance_adapters.driving.mcp_server.over_http.configuration import Listening

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
MISDIRECTED, FORBIDDEN = 421, 403
_PREFLIGHT = {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": "*, Authorization",
    "access-control-max-age": "600",
}


class Guard:
    """Lets pass what is addressed to this server and comes from no strange web page."""

    def __init__(self, app: ASGIApp, listening: Listening) -> None:
        self._app = app
        self._hosts = frozenset(_hosts(listening))
        self._origins = frozenset(origin.rstrip("/").lower() for origin in listening.allowed_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 421 or 403, or pass the request on."""
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self.takes_host(host, _own_address(scope)):
            await _refused(MISDIRECTED, _STRANGE_HOST)(scope, receive, send)
        elif origin is None and headers.get("sec-fetch-site") == "cross-site":
            await _refused(FORBIDDEN, _STRANGE_ORIGIN)(scope, receive, send)
        elif origin is None:
            await self._app(scope, receive, send)
        elif not self.takes_origin(origin):
            await _refused(FORBIDDEN, _STRANGE_ORIGIN)(scope, receive, send)
        elif scope["method"] == "OPTIONS":
            await Response(status_code=204, headers={**_readable_by(origin), **_PREFLIGHT})(scope, receive, send)
        else:
            await self._app(scope, receive, _telling(send, origin))

    def takes_host(self, host: str, own_address: str | None) -> bool:
        """Whether a Host header names this server; a name without a port in the list goes with every port.

        The address at which the connection came in is taken too: it is no name that somebody else could point here.
        """
        host = host.lower()
        name = _without_port(host)
        if host in self._hosts or name in self._hosts:
            return True
        called = address(name)
        return called is not None and own_address is not None and called == address(own_address)

    def takes_origin(self, origin: str) -> bool:
        """Whether a web page of this origin may ask: one of this machine's own, or one on the list."""
        origin = origin.lower()
        try:
            parts = urlsplit(origin)
        except ValueError:  # no page has such an origin
            return False
        local = parts.scheme in ("http", "https") and _without_port(parts.netloc) in LOOPBACK_NAMES
        return local or origin in self._origins


_STRANGE_HOST = (
    "This server does not go by the name in the request's Host header; call it as localhost, or put the name into allowed_hosts."
)
_STRANGE_ORIGIN = "Web pages of this origin may not ask here; put the origin into allowed_origins if they should."


def _hosts(listening: Listening) -> Iterable[str]:
    yield from LOOPBACK_NAMES
    yield from (host.lower() for host in listening.allowed_hosts)
    if (bound := address(listening.host)) is None or not bound.is_unspecified:
        yield _bracketed(listening.host.lower())
    if listening.public_url is not None:
        yield urlsplit(listening.public_url).netloc.rpartition("@")[2].lower()


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() and (name.endswith("]") or ":" not in name) else host


def _own_address(scope: Scope) -> str | None:
    server = scope.get("server")
    return None if server is None else str(server[0])


def address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an IP address in its one form, with or without brackets, or None for a name."""
    try:
        found = ipaddress.ip_address(text.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, ipaddress.IPv6Address) else found


def _refused(status: int, lesson: str) -> Response:
    return JSONResponse({"error": lesson}, status_code=status)


def _readable_by(origin: str) -> Mapping[str, str]:
    return {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate, X-Request-Id",
        "vary": "Origin",
    }


def _telling(send: Send, origin: str) -> Send:
    """Return a `send` that lets a web page of `origin` read the answer."""

    async def tell(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(_readable_by(origin))
        await send(message)

    return tell
