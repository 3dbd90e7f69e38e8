"""Vectors for capsules that are stored: attached, replaced, left as they are, or refused one by one."""

from dataclasses import replace
from typing import Any

import pytest

from recordance.domain.caller import Caller, Permission
from recordance.domain.capsule import Tombstone
from recordance.domain.change import ChangeSet, Entomb
from recordance.domain.embedding import DEFAULT_SPACE, Embedding, Space, Vector, vector_of
from recordance.domain.journal import Entry, Op
from recordance.domain.relation import RelationKind
from recordance.errors import InvalidArgument, MissingState, Refusal, StateKind
from recordance.usecases.archive import archive
from recordance.usecases.embed import Attachment, attach, attach_one
from recordance.usecases.judge import Verdict, review
from recordance.usecases.relate import relate
from support.stores import ANN, Bench, bench

EAST, NORTH = vector_of([1, 0]), vector_of([0, 1])
DEEP = vector_of([1, 0, 0])


def put(store: Bench, *items: Attachment | Refusal, caller: Caller = ANN) -> dict[str, Any]:
    return attach(store.destinations, caller, None, items)


def put_one(store: Bench, id: str, vector: Vector, model: str | None = None, caller: Caller = ANN) -> dict[str, Any]:
    return attach_one(store.destinations, caller, None, Attachment(id, vector, model))


def embeddings(store: Bench) -> dict[int, list[Embedding]]:
    with store.truth.reading() as reader:
        return {number: list(kept) for number, kept in reader.embeddings(range(1, reader.last_number() + 1)).items()}


def spaces(store: Bench) -> list[tuple[Space, int]]:
    with store.truth.reading() as reader:
        return [(each.space, each.vectors) for each in reader.spaces()]


def forget(store: Bench, number: int) -> None:
    """What a forget leaves of a capsule in the truth."""
    at = store.clock.now()
    with store.truth.writing() as writer:
        grave = Entomb(Tombstone(number, at, "asked", "ann", "mac"))
        writer.apply(ChangeSet((grave,), (Entry(Op.TOMBSTONED, number, 1, {}),)), "ann", at)


def test_a_vector_is_kept_with_the_digest_of_the_content_that_it_was_made_for() -> None:
    """W4, case D7: what the vector stands for is said with it, so that a changed content can drop it."""
    store = bench()
    store.learn("tokio is pinned")
    answer = put_one(store, "cap-1", EAST)
    assert answer == {
        "results": [{"status": "attached", "id": "cap-1"}],
        "attached": 1,
        "unchanged": 0,
        "rejected": 0,
        "space": {"dimension": 2},
    }
    with store.truth.reading() as reader:
        digest = reader.capsules([1])[1].content_digest
    assert embeddings(store) == {1: [Embedding(1, DEFAULT_SPACE, digest, EAST, store.clock.now())]}


def test_the_journal_says_that_a_vector_came_and_nothing_of_it() -> None:
    """W12, W4: followers look at the capsule again; its numbers stay in one place, which forgetting empties."""
    store = bench()
    store.learn("tokio is pinned")
    put_one(store, "cap-1", EAST, "minilm")
    row = store.journal()[-1]
    assert (row.op, row.capsule, row.revision) == (Op.EMBEDDED, 1, 1)
    assert row.values == {"space": "default", "dimension": 2, "model": "minilm"}


def test_another_vector_replaces_the_one_that_is_there_and_the_same_changes_nothing() -> None:
    """W4: a repetition is no write, and a better vector is no second one."""
    store = bench()
    store.learn("tokio is pinned")
    put_one(store, "cap-1", EAST)
    head = len(store.journal())
    assert put_one(store, "cap-1", EAST)["results"] == [{"status": "unchanged", "id": "cap-1"}]
    assert len(store.journal()) == head
    assert put_one(store, "cap-1", NORTH)["results"] == [{"status": "attached", "id": "cap-1", "replaced": True}]
    assert [each.vector for each in embeddings(store)[1]] == [NORTH]
    assert spaces(store) == [(Space("default", 2), 1)]


def test_the_first_vector_decides_the_dimension_and_another_is_refused_by_both() -> None:
    """L2, W4, case E1: whoever changed their model must read at once what the store has and what came."""
    store = bench()
    store.learn("one", "two")
    put_one(store, "cap-1", EAST)
    with pytest.raises(InvalidArgument) as refused:
        put_one(store, "cap-2", DEEP)
    assert refused.value.field == "embedding"
    assert "dimension 2," in refused.value.message
    assert "dimension 3;" in refused.value.message
    assert embeddings(store).keys() == {1}


def test_inside_a_batch_the_order_of_items_decides_the_dimension() -> None:
    """W4, W1: a batch does what its items would do one by one, and no bad one blocks its siblings."""
    store = bench()
    store.learn("one", "two", "three")
    answer = put(store, Attachment("cap-1", EAST), Attachment("cap-2", DEEP), Attachment("cap-3", NORTH))
    assert [result["status"] for result in answer["results"]] == ["attached", "rejected", "attached"]
    assert answer["results"][1]["error"].startswith("items[1].embedding: ")
    assert (answer["attached"], answer["rejected"], answer["space"]) == (2, 1, {"dimension": 2})
    assert embeddings(store).keys() == {1, 3}


def test_an_item_that_is_refused_decides_nothing() -> None:
    """W4: a vector for a capsule that is not there must not fix the dimension of a store."""
    store = bench()
    store.learn("one")
    answer = put(store, Attachment("cap-9", DEEP), Attachment("cap-1", EAST))
    assert [result["status"] for result in answer["results"]] == ["rejected", "attached"]
    assert spaces(store) == [(Space("default", 2), 1)]


def test_a_batch_in_which_all_are_refused_writes_nothing() -> None:
    """W12: what changed nothing leaves no row, and a store without vectors has no dimension to tell."""
    store = bench()
    store.learn("one")
    before = store.journal()
    lesson = InvalidArgument("items[1].embedding", [], "numbers", "it is empty")
    answer = put(store, Attachment("cap-9", EAST), lesson)
    assert answer["results"][1] == {"status": "rejected", "error": lesson.message}
    assert answer.keys() == {"results", "attached", "unchanged", "rejected"}
    assert store.journal() == before
    assert spaces(store) == []


def test_a_capsule_named_twice_keeps_the_last_vector() -> None:
    """W1, W4: items are judged by what the ones before them did."""
    store = bench()
    store.learn("one")
    answer = put(store, Attachment("cap-1", EAST), Attachment("cap-1", NORTH), Attachment("cap-1", NORTH))
    assert [result["status"] for result in answer["results"]] == ["attached", "attached", "unchanged"]
    assert [each.vector for each in embeddings(store)[1]] == [NORTH]


def test_the_first_model_that_is_named_binds_the_store_and_another_is_refused_by_both() -> None:
    """W4: vectors of two models have equal dimensions often, and nothing to do with each other ever."""
    store = bench()
    store.learn("one", "two")
    assert put_one(store, "cap-1", EAST)["space"] == {"dimension": 2}
    assert put_one(store, "cap-1", EAST, "minilm") == {
        "results": [{"status": "unchanged", "id": "cap-1"}], "attached": 0, "unchanged": 1, "rejected": 0,
        "space": {"dimension": 2, "model": "minilm"},
    }  # fmt: skip
    with pytest.raises(InvalidArgument) as refused:
        put_one(store, "cap-2", NORTH, "bge")
    assert refused.value.field == "model"
    assert "'minilm'" in refused.value.message
    assert "'bge'" in refused.value.message
    assert put_one(store, "cap-2", NORTH)["space"]["model"] == "minilm"


def test_a_store_without_vectors_may_take_another_dimension_and_model() -> None:
    """W4: when the last vector is gone, nothing is left that a new one would have to fit."""
    store = bench()
    store.learn("one", "two")
    put_one(store, "cap-1", EAST, "minilm")
    forget(store, 1)
    assert put_one(store, "cap-2", DEEP, "bge")["space"] == {"dimension": 3, "model": "bge"}
    assert spaces(store) == [(Space("default", 3, "bge"), 1)]


@pytest.mark.parametrize("id", ["cap-9", "cap-01", "CAP-1", "epic", ""])
def test_a_vector_for_nothing_that_is_there_is_refused(id: str) -> None:
    """W4: ids are exact, and a vector without its capsule would answer for nothing."""
    store = bench()
    store.learn("one")
    with pytest.raises(MissingState) as missing:
        put_one(store, id, EAST)
    assert (missing.value.kind, missing.value.id) == (StateKind.UNKNOWN_CAPSULE, id)


def test_a_forgotten_capsule_takes_no_vector() -> None:
    """W6, W4: a vector says much of its text, and that text is to be gone."""
    store = bench()
    store.learn("one")
    forget(store, 1)
    with pytest.raises(MissingState) as missing:
        put_one(store, "cap-1", EAST)
    assert missing.value.kind is StateKind.TOMBSTONED_CAPSULE
    assert embeddings(store) == {}


def test_capsules_that_may_not_ground_take_vectors_and_their_state_is_told() -> None:
    """W4, F6: what is excluded today may ground tomorrow, and is counted meanwhile."""
    store = bench()
    store.learn("one", "two", "three")
    relate(store.destinations, ANN, None, RelationKind.SUPERSEDES, "cap-2", "cap-1")
    archive(store.destinations, ANN, None, "cap-2")
    review(store.destinations, ANN, None, "cap-3", Verdict.PROPOSE, None)
    answer = put(store, *(Attachment(f"cap-{number}", EAST) for number in (1, 2, 3)))
    assert [(result["status"], result["state"]) for result in answer["results"]] == [
        ("attached", "superseded"),
        ("attached", "archived"),
        ("attached", "proposed"),
    ]


def test_a_capsule_outside_the_callers_fence_is_unknown_to_them() -> None:
    """F13, W4: a vector would move what others recall, and the refusal must not tell that there is something."""
    store = bench()
    store.learn("one", project_id="nott")
    store.learn("two", project_id="other")
    fenced = replace(ANN, projects=frozenset({"nott"}))
    answer = put(store, Attachment("cap-2", EAST), Attachment("cap-9", EAST), Attachment("cap-1", EAST), caller=fenced)
    hidden, unknown, own = answer["results"]
    assert hidden["error"].replace("cap-2", "cap-9") == unknown["error"]
    assert own["status"] == "attached"
    assert embeddings(store).keys() == {1}


def test_a_caller_who_may_not_write_attaches_nothing() -> None:
    """F13: reading is no leave to change what others find."""
    store = bench()
    store.learn("one")
    with pytest.raises(MissingState) as missing:
        put_one(store, "cap-1", EAST, caller=replace(ANN, permissions=frozenset({Permission.READ})))
    assert missing.value.kind is StateKind.NOT_PERMITTED
