"""Receipts: what was shown, signed; anything else is refused with a lesson and never a fault."""

import base64
import hashlib
import hmac
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordance.answer.receipt import Receipt, read_receipt, sign_receipt
from recordance.errors import InvalidArgument, MissingState, Refusal, StateKind

KEY, OTHER_KEY = bytes(range(32)), bytes(32)
SHOWN = Receipt("store-a", 17, (3, 1, 2))
SIGNED = sign_receipt(SHOWN, KEY)


def read(text: str, store: str = "store-a", key: bytes = KEY) -> Receipt:
    return read_receipt(text, "receipt", store, key)


def packed(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def self_signed(body: str) -> str:
    """A receipt's text around any body, signed with the store's key as the format says."""
    name = packed(body.encode())
    return f"rcpt-{name}.{packed(hmac.new(KEY, name.encode(), hashlib.sha256).digest()[:16])}"


@given(st.text(max_size=40).filter(str.isascii), st.integers(0, 2**62), st.lists(st.integers(1, 10**17), max_size=40))
def test_a_receipt_says_what_was_shown_in_its_order(store: str, seq: int, numbers: list[int]) -> None:
    """O13: the store, the seq and the ids come back as they were signed."""
    receipt = Receipt(store, seq, tuple(numbers))
    assert read(sign_receipt(receipt, KEY), store) == receipt


def test_a_receipt_is_a_word_that_anybody_can_check_with_the_key() -> None:
    """O13: its format is what its module says it is, so that a receipt outlives the program that gave it."""
    name, _, signature = SIGNED.removeprefix("rcpt-").partition(".")
    assert json.loads(base64.urlsafe_b64decode(name + "=" * (-len(name) % 4))) == ["store-a", 17, [3, 1, 2]]
    assert self_signed('["store-a",17,[3,1,2]]') == SIGNED
    assert len(base64.urlsafe_b64decode(signature + "==")) == 16


def test_equal_recalls_give_equal_receipts() -> None:
    """O11: no chance and no clock in a receipt."""
    assert sign_receipt(SHOWN, KEY) == sign_receipt(Receipt("store-a", 17, (3, 1, 2)), KEY)


def test_every_changed_character_breaks_a_receipt() -> None:
    """O13: what was shown cannot be added to, taken from or reordered afterwards."""
    for place, character in enumerate(SIGNED):
        changed = SIGNED[:place] + ("A" if character != "A" else "B") + SIGNED[place + 1 :]
        with pytest.raises(Refusal):
            read(changed)


@pytest.mark.parametrize(
    "tampered", [SIGNED + "A", SIGNED[:-1], " " + SIGNED, SIGNED + "\n", SIGNED.replace(".", "=."), SIGNED + "="]
)
def test_a_receipt_with_more_or_less_than_was_given_is_refused(tampered: str) -> None:
    """O13: exactly as a recall gave it."""
    with pytest.raises(InvalidArgument) as refused:
        read(tampered)
    assert refused.value.field == "receipt"
    assert "exactly as a recall" in refused.value.message


def test_a_receipt_signed_with_another_key_is_refused() -> None:
    """O13: the signature is the store's and nobody else's."""
    with pytest.raises(InvalidArgument, match="signature does not hold"):
        read(sign_receipt(SHOWN, OTHER_KEY))


def test_a_receipt_of_another_store_says_so() -> None:
    """O13: the lesson is where to send it, not that it is broken."""
    with pytest.raises(MissingState) as refused:
        read(sign_receipt(Receipt("store-b", 17, (1,)), OTHER_KEY))
    assert refused.value.kind is StateKind.UNKNOWN_RECEIPT
    assert "another store" in refused.value.message


@pytest.mark.parametrize(
    "body",
    ["1", "null", "[]", '{"a":1,"b":2,"c":3}', '["store-a",17]', '["store-a","17",[1]]', '["store-a",17,null]', "[[", "9" * 5_000,
     '["store-a",17,[1],4]', '[["store-a"],17,[1]]', "[" * 100_000],
    ids=lambda body: body[:24],
)  # fmt: skip
def test_a_body_that_is_no_receipts_is_refused_even_if_signed(body: str) -> None:
    """O13: a caller's mistake is answered with a lesson, never with an internal fault."""
    with pytest.raises(InvalidArgument, match="cannot be read"):
        read(self_signed(body))


@pytest.mark.parametrize(
    "text", ["", "rcpt-", "rcpt-.", "rcpt-MQ", "receipt", "rcpt-é.é", SIGNED + "é", "rcpt-\ud800.x", SIGNED.upper()]
)
def test_what_is_no_receipt_is_refused(text: str) -> None:
    """O13: whatever a caller sends in its place."""
    with pytest.raises(InvalidArgument):
        read(text)


@given(st.text() | st.binary().map(lambda data: f"rcpt-{packed(data)}.{packed(data[:16])}"))
def test_nothing_drawn_is_ever_taken_for_a_receipt(text: str) -> None:
    """O13: forging one needs the key."""
    with pytest.raises(Refusal):
        read(text)
