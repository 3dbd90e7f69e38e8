"""Putting capsules away, and taking them back."""

import pytest

from recordance.domain.caller import Caller
from recordance.domain.journal import Op
from recordance.domain.review import Ruling
from recordance.errors import InvalidArgument, MissingState, StateKind
from recordance.usecases.archive import archive, restore
from recordance.usecases.judge import Verdict, review
from support.stores import ANN, bench
from support.truths import NOON, entombed, write

FENCED = Caller(actor="fay", projects=frozenset({"nott"}))


def test_an_archived_capsule_is_told_so_and_comes_back_as_it_was() -> None:
    """W7: archive and restore; nothing else of its standing changes."""
    store = bench()
    store.learn("one")
    review(store.destinations, ANN, None, "cap-1", Verdict.PROPOSE, None)
    assert archive(store.destinations, ANN, None, "cap-1") == {"id": "cap-1", "status": "archived", "state": "archived"}
    assert restore(store.destinations, ANN, None, "cap-1") == {"id": "cap-1", "status": "restored", "state": "proposed"}
    assert [(row.op, row.values.get("archived_at")) for row in store.journal()][-2:] == [(Op.ARCHIVED, NOON), (Op.RESTORED, None)]


def test_archiving_twice_is_archiving_once() -> None:
    """W7: idempotent; the first time stands."""
    store = bench()
    store.learn("one")
    archive(store.destinations, ANN, None, "cap-1")
    rows = len(store.journal())
    store.clock.advance(5)
    assert archive(store.destinations, ANN, None, "cap-1")["status"] == "already"
    assert len(store.journal()) == rows


def test_what_is_not_in_the_archive_cannot_be_restored() -> None:
    """W7: an honest word beats a success that did nothing."""
    store = bench()
    store.learn("one")
    with pytest.raises(MissingState) as refused:
        restore(store.destinations, ANN, None, "cap-1")
    assert refused.value.kind is StateKind.NOT_ARCHIVED


def test_neither_the_unknown_nor_the_forgotten_nor_the_unseen_is_archived() -> None:
    """W7, F13: each says what is missing."""
    store = bench()
    store.learn("one", "two", project_id="other")
    write(store.truth, entombed(2))
    for id, caller, kind in (
        ("cap-9", ANN, StateKind.UNKNOWN_CAPSULE),
        ("cap-2", ANN, StateKind.TOMBSTONED_CAPSULE),
        ("cap-1", FENCED, StateKind.UNKNOWN_CAPSULE),
        ("cap-2", FENCED, StateKind.UNKNOWN_CAPSULE),
    ):
        for act in (archive, restore):
            with pytest.raises(MissingState) as refused:
                act(store.destinations, caller, None, id)
            assert refused.value.kind is kind


def test_the_history_keeps_why_a_capsule_was_put_away_and_taken_back() -> None:
    """W7, W12: who, when and why stand in the history; the journal holds no free text."""
    store = bench()
    store.learn("one")
    answer = archive(store.destinations, ANN, None, "cap-1", "old")
    assert answer == {"id": "cap-1", "status": "archived", "state": "archived"}
    assert archive(store.destinations, ANN, None, "cap-1", "older")["status"] == "already"
    restore(store.destinations, ANN, None, "cap-1", "needed")
    with store.truth.reading() as reader:
        kept = [(event.verdict, event.reason) for event in reader.reviews(1)]
    assert kept == [(Ruling.ARCHIVED, "old"), (Ruling.RESTORED, "needed")]
    with pytest.raises(InvalidArgument, match="reason"):
        archive(store.destinations, ANN, None, "cap-1", "\0")
