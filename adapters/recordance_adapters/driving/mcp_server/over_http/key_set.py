"""The keys with which an issuer signs: read from a file or fetched, kept for a while, read again when an unknown one is named."""

import http.client
import json
import logging
import math
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path

import jwt

KEPT_SECONDS = 600.0
"""How long keys are believed without asking again; one that was withdrawn is believed no longer than that."""
RETRY_SECONDS = 10.0
"""How often an unknown key may make the set be read again: names of keys come from whoever sends a token."""
_FETCH_SECONDS = 5.0
_LARGEST = 1 << 20

Read = Callable[[], bytes]
log = logging.getLogger(__name__)


class KeysUnavailable(Exception):
    """The issuer's keys cannot be read now; the text says why, and holds nothing of any token."""


class KeySet:
    """The keys by their ids. Safe for threads; whoever has a key does not wait for those that read the set again."""

    def __init__(self, read: Read, clock: Callable[[], float] = time.monotonic) -> None:
        self._read = read
        self._clock = clock
        self._turn = threading.Lock()
        self._keys: Mapping[str | None, jwt.PyJWK] = {}
        self._read_at = self._tried_at = -math.inf

    def key(self, id: str | None) -> jwt.PyJWK | None:
        """Return the key of this id; without an id the only one. Raises KeysUnavailable when there are none to believe."""
        if self._is_due(id) and self._turn.acquire(blocking=self._named(id) is None):
            try:
                if self._is_due(id):
                    self._renew()
            finally:
                self._turn.release()
        if self._clock() - self._read_at > 2 * KEPT_SECONDS:
            raise KeysUnavailable("the issuer's keys cannot be read")
        return self._named(id)

    def _is_due(self, id: str | None) -> bool:
        now = self._clock()
        wanted = now - self._read_at > KEPT_SECONDS or self._named(id) is None
        return wanted and now - self._tried_at > RETRY_SECONDS

    def _named(self, id: str | None) -> jwt.PyJWK | None:
        if id is None:
            return next(iter(self._keys.values())) if len(self._keys) == 1 else None
        return self._keys.get(id)

    def _renew(self) -> None:
        self._tried_at = self._clock()
        try:
            keys = jwt.PyJWKSet.from_dict(json.loads(self._read())).keys
        except (OSError, ValueError, http.client.HTTPException, jwt.PyJWTError, AttributeError, TypeError) as problem:
            log.warning("the issuer's keys cannot be read (%s); those read before are believed a while", type(problem).__name__)
            return
        self._keys, self._read_at = {key.key_id: key for key in keys}, self._clock()


def from_file(path: Path) -> Read:
    """Return a reading of a file."""
    return path.read_bytes


def from_url(url: str) -> Read:
    """Return a reading of a URL, bounded in time and size; it follows no redirect."""
    opener = urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler())

    def read() -> bytes:
        with opener.open(url, timeout=_FETCH_SECONDS) as answer:
            found: bytes = answer.read(_LARGEST + 1)
        if len(found) > _LARGEST:
            raise ValueError("the key set is too large")
        return found

    return read


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, ARG002
        raise urllib.error.HTTPError(req.full_url, code, "the key set is elsewhere", headers, fp)
