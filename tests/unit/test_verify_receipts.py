"""Checking receipts: what a store says of one that it gave, of one that was changed, of one that is another's (O13, W6, F13)."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordance.answer.erasure import Erasure, open_erasure, sign_erasure
from recordance.answer.receipt import Receipt, sign_receipt
from recordance.domain.caller import Caller
from recordance.domain.instant import Instant
from recordance.domain.place import Place, PlaceState
from recordance.errors import InvalidArgument, MissingState, StateKind
from recordance.usecases.forget import forget
from recordance.usecases.verify import verify_receipt
from support.stores import ANN, Bench, bench
from support.truths import IDENTITY, NOON

FENCED = Caller(actor="fay", projects=frozenset({"nott"}))
PLACES = (Place("truth", PlaceState.PURGED), Place("write-ahead log", PlaceState.PENDING, "somebody reads"))
ERASURE = Erasure(IDENTITY.store, 17, 3, NOON, PLACES)
SIGNED = sign_erasure(ERASURE, IDENTITY.key)


def forgotten(*contents: str, **given: str) -> tuple[Bench, dict[str, object]]:
    """A store whose first capsule is forgotten, and what was answered to that."""
    store = bench()
    store.learn(*contents, **given)
    return store, forget(store.destinations, ANN, None, "cap-1", "asked for")


def test_an_erasure_receipt_is_a_word_that_anybody_can_check_with_the_key() -> None:
    """W6: its format is what its module says it is; it names places and states, and neither content, reason nor note."""
    body = SIGNED.removeprefix("ersr-").partition(".")[0]
    assert json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))) == [
        IDENTITY.store, 17, 3, NOON, [["truth", "purged"], ["write-ahead log", "pending"]],
    ]  # fmt: skip
    opened = open_erasure(SIGNED, IDENTITY.key)
    assert opened is not None
    assert opened[1]
    assert [place.note for place in opened[0].places] == [None, None]


@given(
    st.integers(0, 2**60), st.integers(1, 10**17), st.integers(-(2**60), 2**60), st.sampled_from(PlaceState), st.text(max_size=20)
)
def test_an_erasure_comes_back_as_it_was_signed(seq: int, number: int, at: int, state: PlaceState, name: str) -> None:
    """W6: what was stated is what can be read again."""
    erasure = Erasure("store-a", seq, number, Instant(at), (Place(name, state),))
    assert open_erasure(sign_erasure(erasure, IDENTITY.key), IDENTITY.key) == (erasure, True)


def test_a_store_tells_what_it_stated_and_how_the_places_are_now() -> None:
    """W6: what was pending then may be purged by now; the capsule is forgotten still."""
    store, answer = forgotten("the secret")
    told = verify_receipt(store.destinations, ANN, None, str(answer["receipt"]))
    assert list(told) == ["kind", "signature", "store", "seq", "id", "forgotten_at", "state", "stated", "now"]
    assert (told["kind"], told["signature"], told["store"], told["seq"]) == ("erasure", "holds", IDENTITY.store, 2)
    assert (told["id"], told["state"], told["forgotten_at"]) == ("cap-1", "tombstoned", answer["forgotten_at"])
    assert told["now"] == answer["places"]
    assert [(place["place"], place["state"]) for place in told["stated"]] == [
        (place["place"], place["state"]) for place in told["now"]
    ]


def test_an_erasure_that_an_older_copy_of_the_store_has_undone_is_told() -> None:
    """W6: a receipt still proves what was done; that the capsule lives again must not look like a purge."""
    store = bench()
    store.learn("one", "two", "the secret")
    told = verify_receipt(store.destinations, ANN, None, SIGNED)
    assert (told["id"], told["state"], told["now"]) == ("cap-3", "live", [])


def test_a_recall_receipt_tells_what_was_shown() -> None:
    """O13: the same command checks both; the ids come in the order in which they were shown."""
    store = bench()
    store.learn("one", "two")
    receipt = sign_receipt(Receipt(IDENTITY.store, 2, (2, 1)), IDENTITY.key)
    assert verify_receipt(store.destinations, ANN, None, receipt) == {
        "kind": "recall", "signature": "holds", "store": IDENTITY.store, "seq": 2, "ids": ["cap-2", "cap-1"],
    }  # fmt: skip


@pytest.mark.parametrize(("kind", "signed"), [
    ("erasure", sign_erasure(ERASURE, bytes(32))),
    ("erasure", SIGNED[:-1] + ("A" if SIGNED[-1] != "A" else "B")),
    ("recall", sign_receipt(Receipt(IDENTITY.store, 2, (1,)), bytes(32))),
])  # fmt: skip
def test_a_receipt_that_was_changed_or_made_by_somebody_else_is_broken(kind: str, signed: str) -> None:
    """W6, O13: nothing of what it claims is repeated, as if it were true."""
    store = bench()
    store.learn("one")
    assert verify_receipt(store.destinations, ANN, None, signed) == {"kind": kind, "signature": "broken"}


def test_every_changed_character_breaks_an_erasure_receipt() -> None:
    """W6: no place can be added, taken out or given another state afterwards."""
    for place, character in enumerate(SIGNED):
        changed = SIGNED[:place] + ("A" if character != "A" else "B") + SIGNED[place + 1 :]
        opened = open_erasure(changed, IDENTITY.key)
        assert opened is None or not opened[1], changed


@pytest.mark.parametrize(
    "text", ["", "ersr-", "ersr-.", "cap-1", "receipt", SIGNED.replace("ersr-", "rcpt-"), "ersr-é.é", "ersr-\ud800.x"]
)
def test_what_was_never_a_receipt_is_refused_with_a_lesson(text: str) -> None:
    """O13: one kind under the other's name is none either."""
    store = bench()
    with pytest.raises(InvalidArgument, match="it is no receipt") as refused:
        verify_receipt(store.destinations, ANN, None, text)
    assert "rcpt-" in refused.value.expected


@pytest.mark.parametrize(
    "body", ["[]", '["s",1,2,3]', '["s",1,2,3,[["truth"]]]', '["s",1,2,3,[["truth","gone"]]]', '["s",1,2,3,4]', "[" * 9]
)
def test_a_body_that_is_no_erasure_s_is_none_even_if_it_was_signed(body: str) -> None:
    """W6: a caller's mistake is answered with a lesson, never with an internal fault."""
    packed = base64.urlsafe_b64encode(body.encode()).decode().rstrip("=")
    assert open_erasure(f"ersr-{packed}.{packed}", IDENTITY.key) is None


def test_another_store_s_receipt_says_so() -> None:
    """O13: the lesson is where to verify it, not that it is broken."""
    store = bench()
    for receipt in (
        sign_erasure(Erasure("store-b", 1, 1, NOON, ()), bytes(32)),
        sign_receipt(Receipt("store-b", 1, (1,)), bytes(32)),
    ):
        with pytest.raises(MissingState) as refused:
            verify_receipt(store.destinations, ANN, None, receipt)
        assert refused.value.kind is StateKind.UNKNOWN_RECEIPT


def test_a_receipt_tells_a_fenced_caller_of_nothing_outside() -> None:
    """F13: whoever finds a receipt learns no id, instant or state that they could not ask for."""
    store, answer = forgotten("one", "two", project_id="other")
    store.learn("three", project_id="nott")
    with pytest.raises(MissingState) as refused:
        verify_receipt(store.destinations, FENCED, None, str(answer["receipt"]))
    assert refused.value.kind is StateKind.UNKNOWN_CAPSULE
    shown = sign_receipt(Receipt(IDENTITY.store, 3, (2, 3)), IDENTITY.key)
    assert verify_receipt(store.destinations, FENCED, None, shown)["ids"] == ["cap-3"]
