"""Trust: on whose signature or word a service relies, and what a signature is (F11, O8).

A capsule's `signature` reads `ed25519:<public key>:<signature>`, both in base64. What is signed is the UTF-8 text of two lines,
`recordance-capsule-1` and the SHA-256 of the content's NFC form in 64 hex digits, without a line feed at the end: it vouches for
the content, and for nothing that is said about it.
"""

import base64
import binascii
import unicodedata
from dataclasses import dataclass

from recordance.domain.draft import DEFAULT_SOURCE

SCHEME = "ed25519"
KEY_BYTES = 32
SIGNATURE_BYTES = 64
_FIRST_LINE = "recordance-capsule-1"


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature as it is written, unproven: the public key in its one base64 form, and the signature's bytes."""

    key: str
    signature: bytes

    @property
    def key_bytes(self) -> bytes:
        """The public key's bytes."""
        return base64.b64decode(self.key)


@dataclass(frozen=True, slots=True)
class TrustRoot:
    """The public keys, in base64, and the sources, character by character, that a service trusts."""

    keys: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()

    @property
    def configured(self) -> bool:
        """Whether there is anything to trust."""
        return bool(self.keys or self.sources)


NO_ROOT = TrustRoot()
"""Nothing is trusted."""


def read_key(text: str) -> str:
    """Return a public key, with or without its scheme before it, in its one base64 form; raises ValueError for what is none."""
    raw = _decoded(text.removeprefix(f"{SCHEME}:"))
    if raw is None or len(raw) != KEY_BYTES:
        raise ValueError(f"a key is {SCHEME}: and {KEY_BYTES} bytes in base64")
    return base64.b64encode(raw).decode()


def read_signature(text: str | None) -> Signature | None:
    """Return the signature that a capsule's field spells; None where it is no such signature, which is then none at all."""
    scheme, _, rest = (text or "").partition(":")
    key, _, signed = rest.partition(":")
    key_bytes, signature = _decoded(key), _decoded(signed)
    if scheme != SCHEME or key_bytes is None or signature is None:
        return None
    if len(key_bytes) != KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return None
    plain = base64.b64encode(key_bytes).decode()
    return Signature(plain, signature) if plain == key else None


def signed_by(key: str) -> str:
    """Return how the signature of everything that a key has signed begins."""
    return f"{SCHEME}:{key}:"


def signed_message(content_digest: str) -> bytes:
    """Return what is signed for a content with this digest (see `content_digest`)."""
    return f"{_FIRST_LINE}\n{content_digest}".encode()


def canonical_source(source: str) -> str | None:
    """Return the form in which two sources are told apart: case, width, spaces and closing marks aside; None for no source."""
    plain = " ".join(unicodedata.normalize("NFKC", source).casefold().split()).rstrip("/.,;:")
    return None if plain in ("", DEFAULT_SOURCE) else plain


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
