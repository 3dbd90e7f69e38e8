"""A client that speaks HTTP by itself to a server in a thread of this process: no library stands between a test and the bytes."""

import http.client
import itertools
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import anyio
import anyio.from_thread

from recordance_adapters.driving.mcp_server.options import Options
from recordance_adapters.driving.mcp_server.over_http.configuration import MCP_PATH, Listening
from recordance_adapters.driving.mcp_server.over_http.serving import Running, listen
from support.golden import Calls, Outcome, text_of
from support.stdio_peer import BOUND, HANDSHAKE, STATELESS, Era

ACCEPT = "application/json, text/event-stream"
EVENT = "data: "


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back over HTTP."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The JSON-RPC messages of the body, one alone or those of a stream of events."""
        text = self.body.decode()
        if not self.headers.get("content-type", "").startswith("text/event-stream"):
            return [json.loads(text)]
        return [json.loads(line.removeprefix(EVENT)) for line in text.splitlines() if line.startswith(EVENT) and line != EVENT]

    @property
    def answer(self) -> dict[str, Any]:
        """The last message: the answer, after whatever was told of its progress."""
        return self.messages[-1]


class Site:
    """A running server, at `address`."""

    def __init__(self, running: Running, address: tuple[str, int]) -> None:
        self.running = running
        self.address = address
        self.portal: Any = None

    @property
    def url(self) -> str:
        """Where MCP is."""
        return f"http://{self.address[0]}:{self.address[1]}{MCP_PATH}"

    def end(self) -> None:
        """Ask for the end, as a signal does."""
        self.portal.call(self.running.end)

    def get(self, path: str, method: str = "GET", **headers: str) -> Reply:
        """Ask for a path on a connection of its own."""
        return self.send(method, path, b"", {name.replace("_", "-"): value for name, value in headers.items()})

    def send(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        """Send a request on a connection of its own."""
        connection = http.client.HTTPConnection(*self.address, timeout=BOUND)
        try:
            return exchange(connection, method, path, body, headers)
        finally:
            connection.close()


def exchange(connection: http.client.HTTPConnection, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Reply:
    """Send a request on a connection and read the answer."""
    connection.request(method, path, body or None, dict(headers))
    response = connection.getresponse()
    return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


class HttpPeer:
    """One client of a site, in one era of the protocol, over one connection that is kept."""

    def __init__(self, site: Site, version: str, token: str | None = None, client: str | None = "tester") -> None:
        self.era = Era(version, client)
        self._bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._session: dict[str, str] = {}
        self._site = site
        self._connection = http.client.HTTPConnection(*site.address, timeout=BOUND)

    def open(self) -> dict[str, Any]:
        """Introduce the client as its era does, and return what the server says of itself."""
        if self.era.version == STATELESS:
            return self.post(self.era.request(0, "server/discover")).answer
        reply = self.post(self.introduction())
        if "mcp-session-id" in reply.headers:
            self._session = {"Mcp-Session-Id": reply.headers["mcp-session-id"]}
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return reply.answer

    def introduction(self) -> dict[str, Any]:
        """Return the first message of a session."""
        params = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"}}
        return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}

    def send_alone(self, message: Mapping[str, Any]) -> Reply:
        """Post a message as somebody who has no session, on a connection of its own."""
        headers = {name: value for name, value in self.headers(message).items() if name not in self._session}
        return self._site.send("POST", MCP_PATH, json.dumps(message).encode(), headers)

    def post(self, message: Mapping[str, Any] | bytes, **more: str) -> Reply:
        """Post a message; bytes go out as they are."""
        body = message if isinstance(message, bytes) else json.dumps(message, ensure_ascii=False).encode()
        named = {name.replace("_", "-"): value for name, value in more.items()}
        return exchange(self._connection, "POST", MCP_PATH, body, {**self.headers(message), **named})

    def headers(self, message: Mapping[str, Any] | bytes) -> dict[str, str]:
        """Return what a client of this era sends with a message."""
        told = {"Content-Type": "application/json", "Accept": ACCEPT, **self._bearer, **self._session}
        if isinstance(message, bytes):
            message = {"method": "tools/call", "params": {"name": "echo"}}
        method = str(message.get("method", ""))
        if method == "initialize":
            return told
        told["MCP-Protocol-Version"] = self.era.version
        if self.era.version == STATELESS:
            name = message.get("params", {}).get("name")
            told |= {"Mcp-Method": method, **({"Mcp-Name": name} if isinstance(name, str) else {})}
        return told

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Post a request and return its answer."""
        answer = self.post(message).answer
        assert answer["id"] == message["id"], answer
        return answer

    def call(self, tool: str, arguments: Any = None, id: int = 1) -> dict[str, Any]:
        """Call a tool and return the JSON-RPC answer."""
        return self.answer(self.era.call(id, tool, arguments))

    def __enter__(self) -> Self:
        """Return the peer, introduced."""
        self.open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the connection."""
        self._connection.close()


@contextmanager
def serving(service: Any, options: Options, listening: Listening | None = None) -> Iterator[Site]:
    """Serve in a thread of this process, on a free port of the loopback address."""
    given = listening or Listening(port=0)
    listener = listen(given)
    site = Site(Running(service, options, given), listener.getsockname()[:2])
    with anyio.from_thread.start_blocking_portal() as portal:
        site.portal = portal
        done = portal.start_task_soon(site.running.serve, listener)
        try:
            yield site
        finally:
            site.end()
            done.result(BOUND)
            listener.close()


def calls_over_http(peer: HttpPeer) -> Calls:
    """Return a caller that posts each call; the text copy must be the same object."""
    ids = itertools.count(1)

    def call(name: str, arguments: dict[str, Any]) -> Outcome:
        message = peer.call(name, arguments, next(ids))
        if "error" in message:
            return {"error": message["error"]}
        (block,) = message["result"]["content"]
        assert block["text"] == text_of(name, message["result"]["structuredContent"], arguments)
        return {"answer": message["result"]["structuredContent"]}

    return call
