"""Recall receipts: a signed word on what was shown, made and checked without a write (O13).

A receipt is `rcpt-<body>.<signature>` (see `sealing`); the body is `[store, seq, [numbers]]`. Outside the default destination its
name stands before it, as before an id (D4), and what several destinations showed together has the receipt of each, joined.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recordance.answer.sealing import seal, unseal
from recordance.errors import InvalidArgument, MissingState, StateKind

PREFIX = "rcpt-"
_JOINT = "+"
_EXPECTED = "the receipt exactly as a recall of this store gave it"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a recall showed: these capsules, in this order, at this seq of this store."""

    store: str
    seq: int
    numbers: tuple[int, ...]


def sign_receipt(receipt: Receipt, key: bytes) -> str:
    """Return the receipt as text, signed with the store's key."""
    return seal(PREFIX, [receipt.store, receipt.seq, list(receipt.numbers)], key)


def open_receipt(text: str, key: bytes) -> tuple[Receipt, bool] | None:
    """Return what a receipt says, and whether its signature holds under `key`; None for what was never a receipt."""
    sealed = unseal(PREFIX, text)
    match None if sealed is None else sealed.parts:
        case [str(store), int(seq), list(numbers)] if sealed is not None:
            return Receipt(store, seq, tuple(numbers)), sealed.holds(key)
        case _:
            return None


def read_receipt(text: str, field: str, store: str, key: bytes) -> Receipt:
    """Return the receipt that `text` is.

    Raises InvalidArgument naming `field` when it is not a receipt or its signature does not hold, MissingState when it is a
    receipt of another store.
    """
    opened = open_receipt(text, key)
    if opened is None:
        raise InvalidArgument(field, text, _EXPECTED, "it cannot be read" if text.startswith(PREFIX) else "it is not a receipt")
    receipt, holds = opened
    if receipt.store != store:
        raise MissingState(StateKind.UNKNOWN_RECEIPT, text, "another store gave this receipt; send it there")
    if not holds:
        raise InvalidArgument(field, text, _EXPECTED, "its signature does not hold")
    return receipt


def join_receipts(receipts: Iterable[str]) -> str:
    """Return the receipts of several destinations, each under its name, as one."""
    return _JOINT.join(receipts)


def split_receipts(text: str) -> Sequence[tuple[str | None, str]]:
    """Return the destination and the receipt of each part of what a recall gave; None is the default destination."""
    parts = [part.rpartition(":") for part in text.split(_JOINT)]
    return [(name or None, receipt) for name, _, receipt in parts]
