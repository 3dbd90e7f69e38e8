"""Sealed texts: `<prefix><body>.<signature>`, made and checked with a store's key, without a write (O13, W6).

The body is base64url of compact JSON, the signature the first 16 bytes of HMAC-SHA256 over the body with the store's key, as
base64url too; neither is padded. Prefixes are not signed: what a body means must show in its own shape.
"""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass

from recordance.errors import Json

_SIGNATURE_BYTES = 16


@dataclass(frozen=True, slots=True)
class Sealed:
    """A sealed text taken apart; `parts` is what its body says, whether the signature holds or not."""

    parts: Json
    body: str
    signature: str

    def holds(self, key: bytes) -> bool:
        """Whether it was sealed with `key` and is exactly as it was then."""
        return hmac.compare_digest(_signature(self.body, key), self.signature)


def seal(prefix: str, parts: Json, key: bytes) -> str:
    """Return `parts` as a text that whoever has the key can check."""
    body = _pack(json.dumps(parts, separators=(",", ":")).encode())
    return f"{prefix}{body}.{_signature(body, key)}"


def unseal(prefix: str, text: str) -> Sealed | None:
    """Return what `text` seals; None for whatever was never sealed under this prefix, however deep or odd."""
    body, dot, signature = text.removeprefix(prefix).partition(".")
    if not text.startswith(prefix) or not dot or not text.isascii():
        return None
    try:
        return Sealed(json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))), body, signature)
    except (ValueError, RecursionError):
        return None


def _signature(body: str, key: bytes) -> str:
    return _pack(hmac.digest(key, body.encode(), hashlib.sha256)[:_SIGNATURE_BYTES])


def _pack(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
