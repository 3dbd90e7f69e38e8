"""Recall receipts: a signed word on what was shown, made and checked without a write (O13).

A receipt is `rcpt-<body>.<signature>`; the body is base64url of compact JSON `[store, seq, [numbers]]`, the signature the first
16 bytes of HMAC-SHA256 over the body with the store's key.
"""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass

from recordance.errors import InvalidArgument, MissingState, StateKind

_PREFIX = "rcpt-"
_SIGNATURE_BYTES = 16
_EXPECTED = "the receipt exactly as a recall of this store gave it"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a recall showed: these capsules, in this order, at this seq of this store."""

    store: str
    seq: int
    numbers: tuple[int, ...]


def sign_receipt(receipt: Receipt, key: bytes) -> str:
    """Return the receipt as text, signed with the store's key."""
    body = json.dumps([receipt.store, receipt.seq, list(receipt.numbers)], separators=(",", ":")).encode()
    packed = _pack(body)
    return f"{_PREFIX}{packed}.{_pack(_signature(packed, key))}"


def read_receipt(text: str, field: str, store: str, key: bytes) -> Receipt:
    """Return the receipt that `text` is.

    Raises InvalidArgument naming `field` when it is not a receipt or its signature does not hold, MissingState when it is a
    receipt of another store.
    """
    body, dot, signature = text.removeprefix(_PREFIX).partition(".")
    if not text.startswith(_PREFIX) or not dot or not text.isascii():
        raise InvalidArgument(field, text, _EXPECTED, "it is not a receipt")
    receipt = _opened(body)
    if receipt is None:
        raise InvalidArgument(field, text, _EXPECTED, "it cannot be read")
    if receipt.store != store:
        raise MissingState(StateKind.UNKNOWN_RECEIPT, text, "another store gave this receipt; send it there")
    if not hmac.compare_digest(_pack(_signature(body, key)), signature):
        raise InvalidArgument(field, text, _EXPECTED, "its signature does not hold")
    return receipt


def _opened(body: str) -> Receipt | None:
    """Return what the body says, signed or not; None for whatever was never a receipt's, however deep or odd."""
    try:
        match json.loads(_unpack(body)):
            case [str(store), int(seq), list(numbers)]:
                return Receipt(store, seq, tuple(numbers))
    except (ValueError, RecursionError):
        pass
    return None


def _signature(packed: str, key: bytes) -> bytes:
    return hmac.new(key, packed.encode(), hashlib.sha256).digest()[:_SIGNATURE_BYTES]


def _pack(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _unpack(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
