"""Signed contents, as whoever has a key makes them."""

import base64

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from recordance.domain.identity import content_digest
from recordance.domain.trust import signed_message


def public_key(key: Ed25519PrivateKey) -> str:
    """The public key in base64."""
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


def signature_of(key: Ed25519PrivateKey, content: str) -> str:
    """The `signature` field of a capsule with this content."""
    signed = key.sign(signed_message(content_digest(content)))
    return f"ed25519:{public_key(key)}:{base64.b64encode(signed).decode()}"
