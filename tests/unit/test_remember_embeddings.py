"""Capsules that come with a vector: stored together, or neither."""

from typing import Any

import pytest

from recordance.domain.embedding import DEFAULT_SPACE, Space, Vector, vector_of
from recordance.domain.identity import content_digest
from recordance.domain.journal import Op
from recordance.errors import InvalidArgument
from recordance.usecases.archive import archive
from recordance.usecases.remember import Idempotency, remember_one
from support.stores import ANN, Bench, bench, draft

EAST, NORTH = vector_of([1, 0]), vector_of([0, 1])
DEEP = vector_of([1, 0, 0])


def vectors(store: Bench) -> dict[int, Vector]:
    with store.truth.reading() as reader:
        return dict(reader.vectors(DEFAULT_SPACE, range(1, reader.last_number() + 1)))


def space(store: Bench) -> list[Space]:
    with store.truth.reading() as reader:
        return [each.space for each in reader.spaces()]


def statuses(answer: dict[str, Any]) -> list[str]:
    return [result["status"] for result in answer["results"]]


def test_a_capsule_and_its_vector_are_stored_in_one_write() -> None:
    """W4, W1: nobody ever sees the one without the other."""
    store = bench()
    assert statuses(store.tell(draft("tokio", embedding=EAST), draft("serde"))) == ["captured", "captured"]
    assert vectors(store) == {1: EAST}
    assert [(row.op, row.capsule) for row in store.journal()] == [(Op.CAPTURED, 1), (Op.EMBEDDED, 1), (Op.CAPTURED, 2)]
    with store.truth.reading() as reader:
        assert reader.embeddings([1])[1][0].content_digest == content_digest("tokio")


def test_an_item_with_a_vector_of_another_dimension_is_rejected_whole() -> None:
    """L2, case E1, W1: a capsule that would never be found by meaning must not look stored; its siblings are."""
    store = bench()
    answer = store.tell(draft("one", embedding=EAST), draft("two", embedding=DEEP), draft("three", embedding=NORTH))
    assert statuses(answer) == ["captured", "rejected", "captured"]
    assert answer["results"][1]["error"].startswith("items[1].embedding: ")
    assert "dimension 2," in answer["results"][1]["error"]
    assert "dimension 3;" in answer["results"][1]["error"]
    assert [result["id"] for result in answer["results"] if "id" in result] == ["cap-1", "cap-2"]
    assert vectors(store) == {1: EAST, 2: NORTH}


def test_one_capsule_with_such_a_vector_raises_its_refusal() -> None:
    """L2, W1: an error is seen by every client."""
    store = bench()
    store.tell(draft("one", embedding=EAST))
    before = store.journal()
    with pytest.raises(InvalidArgument) as refused:
        remember_one(store.destinations, ANN, None, draft("two", embedding=DEEP), None)
    assert refused.value.field == "embedding"
    assert store.journal() == before


@pytest.mark.parametrize("fault", [{"content": " "}, {"content": "x", "supersedes": (9,)}])
def test_a_rejected_item_does_not_decide_the_dimension(fault: dict[str, Any]) -> None:
    """W4: what was not stored leaves no trace that later vectors would have to fit."""
    store = bench()
    content = fault.pop("content")
    assert statuses(store.tell(draft(content, embedding=DEEP, **fault), draft("one", embedding=EAST))) == ["rejected", "captured"]
    assert space(store) == [Space("default", 2)]


def test_equal_content_takes_a_vector_that_it_does_not_have() -> None:
    """W4, W1: whoever embeds after all sends the same statements again."""
    store = bench()
    store.learn("tokio")
    assert store.tell(draft("tokio", embedding=EAST))["results"] == [{"status": "deduplicated", "id": "cap-1"}]
    assert vectors(store) == {1: EAST}


def test_equal_content_keeps_its_vector_and_the_other_one_is_named_as_not_taken() -> None:
    """W4, W1: only memory_vector replaces; a repetition must not change what others find, nor hide that it did not."""
    store = bench()
    store.tell(draft("tokio", embedding=EAST))
    head = len(store.journal())
    assert store.tell(draft("tokio", embedding=NORTH, tags=("x",)))["results"][0]["differs"] == ["tags", "embedding"]
    assert "differs" not in store.tell(draft("tokio", embedding=EAST))["results"][0]
    assert statuses(store.tell(draft("tokio", embedding=DEEP))) == ["rejected"]
    assert vectors(store) == {1: EAST}
    assert len(store.journal()) == head


def test_equal_content_inside_a_batch_is_judged_by_what_came_before() -> None:
    """W1: a batch is judged item by item."""
    store = bench()
    answer = store.tell(draft("a"), draft("a", embedding=EAST), draft("a", embedding=NORTH))
    assert statuses(answer) == ["captured", "deduplicated", "deduplicated"]
    assert "differs" not in answer["results"][1]
    assert answer["results"][2]["differs"] == ["embedding"]
    assert vectors(store) == {1: EAST}


def test_a_dead_capsule_takes_a_vector_too() -> None:
    """W4, W7: it is not brought back, and it is counted where its vector would have answered."""
    store = bench()
    store.learn("tokio")
    archive(store.destinations, ANN, None, "cap-1")
    assert store.tell(draft("tokio", embedding=EAST))["results"] == [
        {"status": "deduplicated", "id": "cap-1", "state": "archived"}
    ]
    assert vectors(store) == {1: EAST}


def test_the_first_answer_comes_again_with_nothing_attached_twice() -> None:
    """W1: a write that is one and the same is done once, its vectors too."""
    store, once = bench(), Idempotency("k", "digest")
    first = store.tell(draft("tokio", embedding=EAST), once=once)
    head = len(store.journal())
    assert store.tell(draft("tokio", embedding=EAST), once=once) == first
    assert len(store.journal()) == head
