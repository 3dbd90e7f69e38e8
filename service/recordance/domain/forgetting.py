"""What keeps forgotten content out: a keyed hash that refuses it without telling what it was (W6)."""

import hashlib
import hmac
from collections.abc import Iterable

from recordance.domain.capsule import CapsuleText
from recordance.domain.identity import content_digest


def content_mac(digest: str, key: bytes) -> str:
    """Return HMAC-SHA256 of a content digest (see `identity.content_digest`) with the store's key, as 64 hex digits.

    The digest alone would not do: whoever reads it could try contents until one fits.
    """
    return hmac.digest(key, digest.encode(), hashlib.sha256).hex()


def former_macs(revisions: Iterable[CapsuleText], current: str, key: bytes) -> tuple[str, ...]:
    """Return, sorted, the keyed hashes of what these revisions say, but for `current`, which is that of the last (W6, W13)."""
    macs = {content_mac(content_digest(text.content), key) for text in revisions}
    return tuple(sorted(macs - {current}))
