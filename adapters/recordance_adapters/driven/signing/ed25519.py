"""Ed25519 signatures, verified by the library that verifies access tokens too (F11, O8).

The library is imported when the first signature is met: most stores have none, and every start would pay for it.
"""

from functools import lru_cache

REMEMBERED = 65_536
"""How many verdicts are kept: a signature proves the same for ever, and a store that is all signed asks again at each recall."""


class Ed25519Verifier:
    """See SignatureVerifier."""

    def verifies(self, key: bytes, message: bytes, signature: bytes) -> bool:
        """See SignatureVerifier."""
        return _verifies(key, message, signature)


@lru_cache(REMEMBERED)
def _verifies(key: bytes, message: bytes, signature: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
