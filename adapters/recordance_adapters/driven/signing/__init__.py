"""Proving who has signed a capsule's content."""

from recordance_adapters.driven.signing.ed25519 import Ed25519Verifier

__all__ = ["Ed25519Verifier"]
