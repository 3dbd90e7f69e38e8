"""Whole servers over one store, each a process of its own, called as a host calls them."""

import itertools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from support.stdio_peer import HANDSHAKE, Era, Peer

_ERA = Era(HANDSHAKE)


class Server:
    """A running server and the calls to it; for one thread at a time."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._ids = itertools.count(1)
        _ERA.open(peer)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return a tool's answer; fails when it is refused."""
        message = self.peer.answer(_ERA.call(next(self._ids), tool, arguments))
        assert "result" in message, message
        answer: dict[str, Any] = message["result"]["structuredContent"]
        return answer

    def said(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the message that answers a call, be it an answer or an error."""
        return self.peer.answer(_ERA.call(next(self._ids), tool, arguments))

    def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the error that a call is refused with; fails when it is answered."""
        message = self.peer.answer(_ERA.call(next(self._ids), tool, arguments))
        assert "error" in message, message
        error: dict[str, Any] = message["error"]
        return error

    def send(self, tool: str, **arguments: Any) -> None:
        """Send a call without waiting for what comes of it."""
        self.peer.send(_ERA.call(next(self._ids), tool, arguments))

    def store(self, content: str) -> str:
        """Store a statement and return its id."""
        (result,) = self.call("memory_store", content=content)["results"]
        assert result["status"] == "captured", result
        return str(result["id"])

    def found(self, *terms: str) -> list[str]:
        """Return the ids that a recall shows."""
        answer = self.call("memory_retrieve", terms=list(terms), token_budget=1_000_000)
        return [result["id"] for result in answer["results"]]


@contextmanager
def servers(store: Path, count: int = 1, *words: str) -> Iterator[list[Server]]:
    """So many servers over one store, started with further words; each is ended at the end, whatever state it is in."""
    command = ["-m", "recordance_adapters", "mcp", "--store", str(store), *words]
    with ExitStack() as ending:
        peers = [ending.enter_context(Peer(command)) for _ in range(count)]
        yield [Server(peer) for peer in peers]
