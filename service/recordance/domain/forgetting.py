"""What keeps forgotten content out: a keyed hash that refuses it without telling what it was (W6)."""

import hashlib
import hmac


def content_mac(content_digest: str, key: bytes) -> str:
    """Return HMAC-SHA256 of a content digest (see `identity.content_digest`) with the store's key, as 64 hex digits.

    The digest alone would not do: whoever reads it could try contents until one fits.
    """
    return hmac.digest(key, content_digest.encode(), hashlib.sha256).hex()
