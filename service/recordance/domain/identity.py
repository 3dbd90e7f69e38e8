"""How capsules and contents are named: `cap-<n>` by append order (W1), contents by a hash of their normal form."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass

_ID = re.compile(r"cap-([1-9][0-9]{0,17})", re.ASCII)


def capsule_id(number: int) -> str:
    """Return the id that callers see: `cap-<n>`."""
    return f"cap-{number}"


def capsule_number(text: str) -> int | None:
    """Return the number of an exact id `cap-<n>`, or None for anything else (a slug, `CAP-3`, `cap-03`)."""
    found = _ID.fullmatch(text)
    return int(found[1]) if found else None


def content_digest(content: str) -> str:
    """Return the SHA-256 of the content's NFC form in UTF-8, as 64 hex digits (W1): equal digests are equal content."""
    return hashlib.sha256(unicodedata.normalize("NFC", content).encode()).hexdigest()


def source_digest(content: str) -> str:
    """Return the SHA-256 of the content exactly as stored, as 64 hex digits; the envelope's `source_hash` (O4)."""
    return hashlib.sha256(content.encode()).hexdigest()


def label_digest(label: str) -> str:
    """Return 32 hex digits that stand for a label in an index.

    Labels are indexed by digest (W14), so that their length, their script and a database's collation never matter.
    """
    return hashlib.blake2b(label.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class StoreIdentity:
    """Who a store is: a random id, and the key that signs receipts (O13). Both live in the truth."""

    store: str
    key: bytes
