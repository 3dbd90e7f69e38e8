"""Storing a single capsule: what cannot be stored is an error to its caller, not an answer."""

from typing import Any

import pytest

from recordance.domain.draft import CapsuleDraft
from recordance.errors import InvalidArgument, MissingState, Refusal, StateKind
from recordance.usecases.remember import Idempotency, remember_one
from support.stores import ANN, Bench, bench, draft

ONCE = Idempotency("k1", "digest")


def tell_one(store: Bench, item: CapsuleDraft, once: Idempotency | None = None) -> dict[str, Any]:
    return remember_one(store.destinations, ANN, None, item, once)


def test_one_capsule_is_answered_like_a_batch_of_one() -> None:
    """W1: the answer has one shape, whichever way a capsule came."""
    one, batch = bench(), bench()
    for item in (draft("pin tokio", key="k"), draft("pin tokio", key="k"), draft("pin tokio again", key="k")):
        assert tell_one(one, item) == batch.tell(item)
    assert one.journal() == batch.journal()


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"content": " "}, "content"),
        ({"content": "a\0b"}, "content"),
        ({"content": "a", "supersedes": (1,)}, "supersedes"),
        ({"content": "b", "staged": True, "key": "k"}, "key"),
    ],
)
def test_a_refused_capsule_raises_its_refusal_with_the_field_as_it_was_sent(given: dict[str, Any], field: str) -> None:
    """W1, T1: a client that looks for errors alone must not take a refusal for a success."""
    store = bench()
    store.learn("a")
    before = store.journal()
    with pytest.raises(InvalidArgument) as refusal:
        tell_one(store, draft(**given), ONCE)
    assert refusal.value.field == field
    assert store.journal() == before


def test_state_that_is_missing_is_raised_as_such() -> None:
    """W3: what is to be superseded must be there."""
    with pytest.raises(MissingState) as missing:
        tell_one(bench(), draft("a", supersedes=(9,)))
    assert (missing.value.kind, missing.value.id) == (StateKind.UNKNOWN_CAPSULE, "cap-9")


def test_a_refused_write_may_be_mended_under_its_key() -> None:
    """W1: a key stands for what was written; a refusal wrote nothing that a repetition could double."""
    store, mended = bench(), Idempotency("k1", "other")
    with pytest.raises(Refusal):
        tell_one(store, draft(" "), ONCE)
    first = tell_one(store, draft("mended"), mended)
    assert first["captured"] == 1
    assert tell_one(store, draft("mended"), mended) == first


def test_a_batch_that_stored_nothing_may_be_mended_under_its_key() -> None:
    """W1: what may be sent as one capsule or as a batch of one ends the same way."""
    store = bench()
    assert store.tell(draft(" "), once=ONCE)["rejected"] == 1
    assert tell_one(store, draft("mended"), Idempotency("k1", "other"))["captured"] == 1


def test_the_first_answer_comes_again_even_if_the_capsule_could_not_be_stored_now() -> None:
    """W1: whoever lost the answer to a write gets that answer, not the objections of a later hour."""
    store = bench()
    item = draft("holds for a second", valid_to=store.clock.now() + 1_000_000)
    first = tell_one(store, item, ONCE)
    store.clock.advance(2_000_000)
    assert tell_one(store, item, ONCE) == first
