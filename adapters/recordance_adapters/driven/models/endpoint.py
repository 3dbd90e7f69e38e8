"""One call of a model's endpoint: JSON there and JSON back, within a time, and nothing of it in any error.

No proxy is used, whatever the environment says, and no redirect is followed: what is sent is what people remember, and goes to
the one address that was configured. A call that fails is not repeated: whoever asks decides that, and has a deadline.
"""

import http.client
import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from recordance.errors import Json, ModelFailed

LARGEST_ANSWER = 64 * 2**20
"""Bytes that an answer may have: far more than the largest batch of the longest vectors takes."""
_CODE = re.compile("[A-Za-z0-9_.-]{1,60}")
_WHY = {
    401: "was refused its key",
    403: "was refused its key",
    404: "is not known at its address",
    413: "was sent more than it takes",
    429: "is asked too often",
}

Key = Callable[[], str | None]
"""Returns the key of an endpoint, read anew so that it can be changed; None where it needs none. May raise ModelFailed."""


def no_key() -> str | None:
    """Return no key."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An address that takes a JSON object by POST and answers JSON. Safe for threads."""

    url: str
    key: Key = no_key
    ca_file: Path | None = None

    def ask(self, body: Mapping[str, Json], seconds: float) -> Json:
        """Return what the endpoint answers. Raises ModelFailed, at the latest some time after `seconds` that a resolver takes."""
        end, headers = time.monotonic() + seconds, self._headers()
        connection = self._connection(seconds)
        try:
            with _Bound(connection, self._connected(end), end) as bound:
                status, text = bound.exchanged(urlsplit(self.url), json.dumps(body).encode(), headers)
        except TimeoutError:
            raise ModelFailed("no answer in time", why=f"did not answer within {seconds:g} s") from None
        except (OSError, http.client.HTTPException, ValueError) as problem:
            raise ModelFailed(f"not reached ({type(problem).__name__})", why="cannot be reached") from None
        return _read(status, text)

    def _headers(self) -> dict[str, str]:
        key = self.key()
        if key is not None and not (key.isascii() and key.isprintable()):
            raise ModelFailed("the key has characters that no header takes", why="has a key that cannot be sent")
        bearing = {} if key is None else {"Authorization": f"Bearer {key}"}
        return {"Content-Type": "application/json", "Accept": "application/json", **bearing}

    def _connection(self, seconds: float) -> http.client.HTTPConnection:
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        if parts.scheme == "https":
            return http.client.HTTPSConnection(host, parts.port, timeout=seconds)
        return http.client.HTTPConnection(host, parts.port, timeout=seconds)

    def _connected(self, end: float) -> Callable[[], socket.socket]:
        """Return what connects, encrypted where that is asked for."""
        parts = urlsplit(self.url)
        host, encrypted = parts.hostname or "", parts.scheme == "https"
        port = parts.port or (443 if encrypted else 80)

        def plain() -> socket.socket:
            failure: OSError = OSError("no address")
            for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                try:
                    return socket.create_connection((str(address[0]), port), _left(end))
                except TimeoutError:
                    raise
                except OSError as problem:
                    failure = problem
            raise failure

        def over_tls() -> socket.socket:
            context = ssl.create_default_context(cafile=None if self.ca_file is None else str(self.ca_file))
            return context.wrap_socket(plain(), server_hostname=host)

        return over_tls if encrypted else plain


class _Bound:
    """One exchange, which ends when its time is over, however slowly the other side sends byte after byte."""

    def __init__(self, connection: http.client.HTTPConnection, connect: Callable[[], socket.socket], end: float) -> None:
        self._connection = connection
        self._socket = connect()
        self._connection.sock = self._socket
        self._over = threading.Event()
        self._timer = threading.Timer(_left(end), self._expire)
        self._timer.daemon = True

    def __enter__(self) -> "_Bound":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._connection.close()
        self._socket.close()

    def exchanged(self, parts: SplitResult, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """Return the status and the text of the answer; TimeoutError once the time is over, whatever came of it."""
        try:
            path = parts.path or "/"
            self._connection.request("POST", f"{path}?{parts.query}" if parts.query else path, body, dict(headers))
            response = self._connection.getresponse()
            text = response.read(LARGEST_ANSWER + 1)
        except (OSError, http.client.HTTPException, ValueError):
            if self._over.is_set():
                raise TimeoutError from None
            raise
        if self._over.is_set():
            raise TimeoutError
        return response.status, text

    def _expire(self) -> None:
        self._over.set()
        with suppress(OSError):  # of the plain socket: what encrypts is in use by whoever reads
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


def _left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _read(status: int, text: bytes) -> Json:
    if len(text) > LARGEST_ANSWER:
        raise ModelFailed("the answer is too large", why="answered more than can be read")
    if 300 <= status < 400:
        raise ModelFailed(f"status {status}", why="wants to be asked elsewhere, which is not followed")
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        told = None
    if status != 200:
        raise ModelFailed(f"status {status}{_code_of(told)}", why=_WHY.get(status, f"answered with status {status}"))
    if told is None:
        raise ModelFailed("the answer is no JSON", why="answered what is no JSON")
    return told


def _code_of(told: Json) -> str:
    """Return the code of an error, for the log; never its sentence, which may repeat what was sent, or the key."""
    error = told.get("error") if isinstance(told, dict) else None
    codes = [error.get(name) for name in ("type", "code")] if isinstance(error, dict) else []
    named = [code for code in codes if isinstance(code, str) and _CODE.fullmatch(code)]
    return f" ({', '.join(named)})" if named else ""
