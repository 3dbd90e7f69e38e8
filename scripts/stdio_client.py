"""Speaks to a Recordance server over stdio as a host does: one JSON-RPC message a line. Standard library only."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PROTOCOL = "2025-11-25"
ANSWER_SECONDS = 60
END_SECONDS = 10


class Refused(Exception):
    """The server refused a call; `error` is the JSON-RPC error object, whose message says what to send instead."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(error.get("message", "refused"))
        self.error = error


class StdioServer:
    """A server process and the conversation with it; a context manager. For one thread at a time."""

    def __init__(self, command: Sequence[str], log: Path | None = None, environment: Mapping[str, str] | None = None) -> None:
        self._log = log.open("wb") if log else None
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log or subprocess.DEVNULL,
            env=None if environment is None else dict(environment),
        )
        if self.process.stdin is None or self.process.stdout is None:
            raise ConnectionError("the server was started without pipes")
        self._input, self._output = self.process.stdin, self.process.stdout
        self._last_id = 0
        self.server = self.request(
            "initialize",
            {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "recordance-scripts", "version": "1"}},
        )
        self.send_line(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def __enter__(self) -> StdioServer:
        """Return the server, ready to be called."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close its input, as a host does to end it, and wait for it to go."""
        self.close()

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer object of a tool call; raises Refused with the server's lesson."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        answer: dict[str, Any] = result["structuredContent"]
        return answer

    def request(self, method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Send one request and return its result; notifications that come before it are passed over."""
        return self.exchange(self.encode(method, parameters))

    def encode(self, method: str, parameters: Mapping[str, Any]) -> bytes:
        """Return a request as the line that goes to the server, numbered."""
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": parameters}
        return (json.dumps(message, ensure_ascii=False, separators=(",", ":")) + "\n").encode()

    def exchange(self, line: bytes) -> dict[str, Any]:
        """Send an encoded request and return its result; raises Refused."""
        answer = json.loads(self.exchange_raw(line))
        if "error" in answer:
            raise Refused(answer["error"])
        result: dict[str, Any] = answer["result"]
        return result

    def exchange_raw(self, line: bytes) -> bytes:
        """Send an encoded request and return the line that answers it, unparsed."""
        watch = threading.Timer(ANSWER_SECONDS, self.process.kill)
        watch.start()
        try:
            self.send_line(line)
            while True:
                answer = self.read_line()
                if not answer:
                    raise ConnectionError(f"the server ended or gave no answer within {ANSWER_SECONDS} s")
                if b'"method":' not in answer[:120]:
                    return answer
        finally:
            watch.cancel()

    def send_line(self, line: bytes) -> None:
        """Send one encoded message."""
        self._input.write(line)
        self._input.flush()

    def read_line(self) -> bytes:
        """Return the next message from the server; empty at its end."""
        return self._output.readline()

    def close(self) -> None:
        """End the server by closing its input; kill it only if it does not go."""
        self._input.close()
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._output.close()
        if self._log:
            self._log.close()
