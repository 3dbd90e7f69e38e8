"""Speaks to a Recordance server over HTTP as a host does: one JSON-RPC message a request, on one connection that is kept.

Standard library only.
"""

from __future__ import annotations

import http.client
import json
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PROTOCOL = "2025-11-25"
ANSWER_SECONDS = 60
END_SECONDS = 15


class HttpServer:
    """A server process on a free port of this machine and the conversation with it; a context manager. For one thread at a time.

    `command` starts it; it says on standard error where it listens, and that goes to `log`.
    """

    def __init__(self, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> None:
        with log.open("wb") as out:
            said = None if environment is None else dict(environment)
            self.process = subprocess.Popen([*command, "--port", "0"], stderr=out, stdout=out, env=said)
        self._last_id = 0
        try:
            place = urlsplit(self._url(log))
            self._path = place.path
            self._connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=ANSWER_SECONDS)
            self._headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
            self._shake_hands()
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise

    def __enter__(self) -> HttpServer:
        """Return the server, ready to be called."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the server as an operator does, and kill it only if it does not go."""
        self._connection.close()
        self.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(END_SECONDS)
        self.process.kill()
        self.process.wait()

    def encode(self, method: str, parameters: Mapping[str, Any]) -> bytes:
        """Return a request as the body that goes to the server, numbered."""
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": parameters}
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()

    def exchange_raw(self, body: bytes) -> bytes:
        """Post an encoded message and return what answers it, unparsed. Raises ConnectionError where the server refuses it."""
        self._connection.request("POST", self._path, body, self._headers)
        response = self._connection.getresponse()
        answer = response.read()
        if response.status >= 300:
            raise ConnectionError(f"the server answered {response.status}: {answer[:500].decode(errors='replace')}")
        if session := response.headers.get("Mcp-Session-Id"):
            self._headers["Mcp-Session-Id"] = session
        return answer

    def _shake_hands(self) -> None:
        asked = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "recordance-scripts", "version": "1"}}
        self.exchange_raw(self.encode("initialize", asked))
        self._headers["MCP-Protocol-Version"] = PROTOCOL
        self.exchange_raw(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def _url(self, log: Path) -> str:
        """Return where the server listens, once it says so; raises ConnectionError if it ends before."""
        with log.open(encoding="utf-8", errors="replace") as lines:
            said = ""
            while True:
                said += lines.readline()
                if said.endswith("\n"):
                    with suppress(ValueError, KeyError, TypeError):
                        return str(json.loads(said)["url"])
                    said = ""
                elif self.process.poll() is not None:
                    raise ConnectionError(f"the server ended with {self.process.returncode}: {log.read_text(errors='replace')}")
                else:
                    with suppress(subprocess.TimeoutExpired):
                        self.process.wait(0.02)
