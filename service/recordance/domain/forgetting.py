"""What keeps forgotten content out: a keyed hash that refuses it without telling what it was (W6)."""

import hashlib
import hmac
from collections.abc import Iterable


def content_mac(digest: str, key: bytes) -> str:
    """Return HMAC-SHA256 of a content digest (see `identity.content_digest`) with the store's key, as 64 hex digits.

    The digest alone would not do: whoever reads it could try contents until one fits.
    """
    return hmac.digest(key, digest.encode(), hashlib.sha256).hex()


def former_macs(digests: Iterable[str], current: str, key: bytes) -> tuple[str, ...]:
    """Return, sorted, the keyed hashes of these content digests, but for `current`, which is that of the last (W6, W13)."""
    return tuple(sorted({content_mac(digest, key) for digest in digests} - {current}))
