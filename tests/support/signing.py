"""An authorization server of its own: keys, tokens signed with them, and tokens that only look so."""

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from recordance_adapters.driving.mcp_server.over_http.configuration import TrustedIssuer
from recordance_adapters.driving.mcp_server.over_http.key_set import KEPT_SECONDS, RETRY_SECONDS, KeySet, KeysUnavailable

FAR = 2**34
"""A moment in seconds that no test will see pass."""


@contextmanager
def answering(pages: Mapping[str, tuple[int, bytes]]) -> Iterator[str]:
    """Serve these pages by their paths, with their status, and give the URL below which they are."""

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = pages.get(self.path, (404, b""))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Location", "/keys")
            self.end_headers()
            with suppress(OSError):  # whoever has read enough goes
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def digest_of(token: str) -> str:
    """Return a token as the settings hold it."""
    return hashlib.sha256(token.encode()).hexdigest()


class Authority:
    """Signs access tokens for one audience."""

    def __init__(self, issuer: str, audience: str) -> None:
        self._issuer = issuer
        self._audience = audience
        self._key = ec.generate_private_key(ec.SECP256R1())

    def trusted(self, keys: Path) -> TrustedIssuer:
        """Return what a server is told of this one; the claim `teams` is the project fence."""
        return TrustedIssuer(issuer=self._issuer, audience=self._audience, keys_file=keys, project_claim="teams")

    def publish(self, path: Path) -> None:
        """Write the key set."""
        path.write_bytes(_key_set({"one": self._key}))

    def token(self, **claims: Any) -> str:
        """Return a signed token; a claim of None is left out."""
        return jwt.encode(self._claims(claims), self._key, "ES256", {"kid": "one"})

    def forgeries(self, **claims: Any) -> Iterator[str]:
        """Yield tokens with these claims that this server did not sign."""
        yield jwt.encode(self._claims(claims), "", "none", {"kid": "one"})
        yield jwt.encode(self._claims(claims), ec.generate_private_key(ec.SECP256R1()), "ES256", {"kid": "one"})
        yield jwt.encode(self._claims(claims), self._key, "ES256", {"kid": "other"})
        yield _with_secret(self._claims(claims), _key_set({"one": self._key}))
        genuine = self.token(**claims)
        yield genuine[:-8] + "AAAAAAAA"
        head, _, signature = genuine.split(".")
        yield f"{head}.{_coded(self._claims({**claims, 'sub': 'root'}))}.{signature}"

    def check_rotation(self) -> None:
        """Show what a server does while the keys turn."""
        now, sets, readings = [0.0], [_key_set({"one": self._key})], [0]

        def read_set() -> bytes:
            readings[0] += 1
            return sets[-1]

        keys = KeySet(read_set, lambda: now[0])
        assert keys.key("one") is not None
        for _ in range(50):
            assert keys.key("two") is None
        assert readings[0] == 1, "an unknown name asked again at once"
        sets.append(_key_set({"two": ec.generate_private_key(ec.SECP256R1())}))
        now[0] += RETRY_SECONDS + 1
        assert keys.key("two") is not None
        assert keys.key("one") is None
        sets.append(b"<html>")
        now[0] += KEPT_SECONDS + 1
        read = readings[0]
        for _ in range(50):
            assert keys.key("two") is not None, "an issuer that is away for a while locks nobody out"
        assert readings[0] == read + 1, "an issuer that is away is asked again and again"
        now[0] += KEPT_SECONDS
        with pytest.raises(KeysUnavailable):
            keys.key("two")

    def _claims(self, claims: dict[str, Any]) -> dict[str, Any]:
        whole = {"iss": self._issuer, "aud": self._audience, "exp": FAR, **claims}
        return {name: value for name, value in whole.items() if value is not None}


def _key_set(keys: dict[str, ec.EllipticCurvePrivateKey]) -> bytes:
    coder = jwt.algorithms.ECAlgorithm
    each = [{**coder.to_jwk(key.public_key(), as_dict=True), "kid": name, "alg": "ES256"} for name, key in keys.items()]
    return json.dumps({"keys": each}).encode()


def _coded(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def _with_secret(claims: dict[str, Any], secret: bytes) -> str:
    """Return a token that is signed with what everybody knows of the key, as if it were a shared secret."""
    signed = f"{_coded({'alg': 'HS256', 'typ': 'JWT', 'kid': 'one'})}.{_coded(claims)}"
    signature = hmac.new(secret, signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"
