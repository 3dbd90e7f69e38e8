"""Proving who has signed a capsule's content, and signing it."""

from recordance_adapters.driven.signing.ed25519 import Ed25519Verifier
from recordance_adapters.driven.signing.keys import SigningKey, make_key, read_signing_key

__all__ = ["Ed25519Verifier", "SigningKey", "make_key", "read_signing_key"]
