"""Signatures: whether a key has signed a message (F11, O8)."""

from typing import Protocol


class SignatureVerifier(Protocol):
    """Verifies Ed25519 signatures. Safe for threads."""

    def verifies(self, key: bytes, message: bytes, signature: bytes) -> bool:
        """Whether `signature` is that of `message` by the owner of the public `key`; whatever is malformed is not."""
        ...
