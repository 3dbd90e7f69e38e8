"""A client that speaks raw JSON-RPC lines to a server process: no library stands between a test and the bytes."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from support import checkout

BOUND = 60.0
"""Seconds after which waiting is a failure; a bound against hanging, not a measure of speed."""
HANDSHAKE = "2025-11-25"
STATELESS = "2026-07-28"
_META = "io.modelcontextprotocol/"
_END = b""


def checkout_environment(**more: str) -> dict[str, str]:
    """Return an environment in which a Python finds this checkout."""
    paths = os.pathsep.join(str(checkout.ROOT / folder) for folder in ("service", "adapters", "tests"))
    return {**os.environ, "PYTHONPATH": paths, **more}


class Peer:
    """One server process with its pipes. What it prints is kept line by line."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=checkout_environment(**(environment or {})),
        )
        self.printed: list[bytes] = []
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._log: list[bytes] = []
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read_lines, self._read_log)]
        for reader in self._readers:
            reader.start()

    def send(self, *messages: Mapping[str, Any] | bytes) -> None:
        """Write messages, a line each; bytes go out as they are."""
        assert self.process.stdin is not None
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message, ensure_ascii=False).encode()
            self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """Return the next message; fails when the server has ended or stays silent beyond the bound."""
        line = self._lines.get(timeout=BOUND)
        assert line != _END, f"the server ended\n{self.log()}"
        message: dict[str, Any] = json.loads(line)
        return message

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and return its answer, passing over notifications."""
        self.send(request)
        while "id" not in (message := self.receive()):
            pass
        assert message["id"] == request["id"]
        return message

    def close_stdin(self) -> None:
        """End the server's input."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def rest(self) -> list[dict[str, Any]]:
        """Return every message up to the end of the server's output."""
        messages = []
        while (line := self._lines.get(timeout=BOUND)) != _END:
            messages.append(json.loads(line))
        return messages

    def exit_code(self) -> int:
        """Return how the process ended, once it has."""
        code = self.process.wait(BOUND)
        for reader in self._readers:
            reader.join(BOUND)
        return code

    def log(self) -> str:
        """Return what has come on stderr so far."""
        return b"".join(self._log).decode(errors="replace")

    def __enter__(self) -> Self:
        """Return the peer itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End the process, whatever state it is in."""
        if self.process.poll() is None:
            self.process.kill()
        self.exit_code()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                with suppress(BrokenPipeError):  # the process is gone, and what it did not read with it
                    pipe.close()

    def _read_lines(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.printed.append(line)
            self._lines.put(line)
        self._lines.put(_END)

    def _read_log(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._log.append(line)


class Era:
    """How requests look in one era of the protocol."""

    def __init__(self, version: str, client: str | None = "tester") -> None:
        self.version = version
        self._client = client

    def open(self, peer: Peer) -> dict[str, Any]:
        """Introduce the client as this era does, and return what the server says of itself."""
        if self.version == STATELESS:
            return peer.answer(self.request(0, "server/discover"))
        params = {"protocolVersion": self.version, "capabilities": {}, "clientInfo": {"name": self._client or "", "version": "1"}}
        answer = peer.answer({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def request(self, id: int | str, method: str, **params: Any) -> dict[str, Any]:
        """Return a request of this era."""
        meta = params.pop("_meta", {})
        if self.version == STATELESS:
            who = {} if self._client is None else {_META + "clientInfo": {"name": self._client, "version": "1"}}
            meta = {_META + "protocolVersion": self.version, _META + "clientCapabilities": {}, **who, **meta}
        whole = {**params, "_meta": meta} if meta else params
        return {"jsonrpc": "2.0", "id": id, "method": method, **({"params": whole} if whole else {})}

    def call(self, id: int | str, tool: str, arguments: Any = None, **meta: Any) -> dict[str, Any]:
        """Return the call of a tool."""
        return self.request(id, "tools/call", name=tool, arguments={} if arguments is None else arguments, _meta=meta)
