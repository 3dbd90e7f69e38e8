"""Spaces and the vectors in them: as they were sent, of what a capsule says now, or not at all (W4)."""

import math
import random
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from recordance.domain.capsule import Standing
from recordance.domain.change import ChangeSet, PutSpace
from recordance.domain.embedding import DEFAULT_SPACE, Embedding, Space, Vector, vector_of
from recordance.domain.identity import content_digest
from recordance.domain.journal import VECTOR_OPS, Op
from recordance.errors import Fault
from recordance.ports.truth import IndexedChange, OccupiedSpace, Truth
from recordance.query.fence import Scope
from support.truths import (
    ADAPTERS,
    NOON,
    embedded,
    entombed,
    entry,
    opened,
    placed,
    read_everything,
    remember,
    revised,
    stands,
    write,
)

FLAT = Space(DEFAULT_SPACE, 2)
EAST, NORTH = vector_of([1, 0]), vector_of([0, 1])


@pytest.fixture(params=ADAPTERS)
def truth(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Truth]:
    with opened(request.param, tmp_path) as truth:
        yield truth


def test_a_store_without_vectors_has_no_space(truth: Truth) -> None:
    """W4: the first vector makes its space; until then there is nothing that has a dimension."""
    remember(truth, "a")
    with truth.reading() as reader:
        assert (list(reader.spaces()), reader.space(DEFAULT_SPACE)) == ([], None)
        assert dict(reader.vectors(DEFAULT_SPACE, [1])) == dict(reader.embeddings([1])) == {}
        assert list(reader.embedded_within(DEFAULT_SPACE, Scope())) == []


def test_spaces_come_by_name_with_how_many_vectors_are_in_each(truth: Truth) -> None:
    """W4: a count is of vectors that are there now, however they came and went."""
    remember(truth, "a", "b", "c")
    other = Space("ünï space", 1, "a model")
    write(truth, placed(other, FLAT))
    write(truth, embedded(1, "a", EAST), embedded(2, "b", EAST), embedded(2, "b", vector_of([9]), other.name))
    write(truth, embedded(2, "b", NORTH))
    with truth.reading() as reader:
        assert reader.spaces() == [OccupiedSpace(FLAT, 2), OccupiedSpace(other, 1)]
        assert reader.space(other.name) == OccupiedSpace(other, 1)
    write(truth, entombed(2), revised(1, "another"))
    with truth.reading() as reader:
        assert reader.spaces() == [OccupiedSpace(FLAT, 0), OccupiedSpace(other, 0)]


def test_a_batch_counts_each_capsule_once(truth: Truth) -> None:
    """W4: two vectors of one capsule in one change set are one vector, the later one."""
    remember(truth, "a")
    write(truth, placed(FLAT).then(embedded(1, "a", EAST)).then(embedded(1, "a", NORTH)))
    with truth.reading() as reader:
        assert reader.space(DEFAULT_SPACE) == OccupiedSpace(FLAT, 1)
        assert reader.vectors(DEFAULT_SPACE, [1]) == {1: NORTH}


def test_a_space_without_vectors_takes_another_dimension(truth: Truth) -> None:
    """W4, case E1: nobody is bound to what a first try left behind; a model can be named at any time."""
    remember(truth, "a")
    write(truth, placed(FLAT), embedded(1, "a", EAST), revised(1, "another"))
    write(truth, placed(Space(DEFAULT_SPACE, 3)), embedded(1, "another", vector_of([1, 2, 3])))
    write(truth, placed(Space(DEFAULT_SPACE, 3, "a model")))
    with truth.reading() as reader:
        assert reader.spaces() == [OccupiedSpace(Space(DEFAULT_SPACE, 3, "a model"), 1)]


def test_the_capsule_its_space_and_its_vector_can_come_in_one_write(truth: Truth) -> None:
    """W4: a capsule that is stored with its embedding is there with it or not at all."""
    with truth.writing() as writer:
        assert writer.last_number() == 0
    remember(truth, "a")
    write(truth, embedded(1, "b", EAST).then(placed(FLAT)).then(revised(1, "b")))
    with truth.reading() as reader:
        assert reader.vectors(DEFAULT_SPACE, [1]) == {1: EAST}, "whatever the order in the change set"


@pytest.mark.parametrize("dimension", [1, 3, 384, 4_096])
def test_vectors_come_back_byte_for_byte(truth: Truth, dimension: int) -> None:
    """L17: the cosine is of the float32 values as stored; a store that touches a bit of them changes answers."""
    odd = struct.pack("<6f", math.nan, -0.0, math.inf, 1e-45, 3.4e38, 0.1) + b"\x00\xff\x27\x5c"
    chance = random.Random(dimension)
    vectors = [Vector((odd * dimension)[: 4 * dimension]), *(Vector(chance.randbytes(4 * dimension)) for _ in range(3))]
    remember(truth, "a")
    write(truth, placed(Space(DEFAULT_SPACE, dimension)))
    for vector in vectors:
        write(truth, embedded(1, "a", vector, at=NOON + 1))
        with truth.reading() as reader:
            assert reader.embeddings([1])[1] == [Embedding(1, DEFAULT_SPACE, content_digest("a"), vector, NOON + 1)]
            assert type(reader.vectors(DEFAULT_SPACE, [1])[1].packed) is bytes


def test_vectors_are_read_for_any_number_of_capsules_at_once(truth: Truth) -> None:
    """W14: what a database takes in one statement is no limit of the port; unknown capsules and spaces are left out."""
    contents = [f"note {place}" for place in range(1_100)]
    remember(truth, *contents)
    vectors = {number: vector_of([number, 1]) for number in range(1, 1_101) if number % 2}
    changes = [embedded(number, contents[number - 1], vector) for number, vector in vectors.items()]
    write(truth, placed(FLAT), *changes)
    asked = range(-3, 5_000)
    with truth.reading() as reader:
        assert reader.vectors(DEFAULT_SPACE, asked) == vectors
        assert reader.vectors("none", asked) == {}
        assert {number: [each.vector for each in found] for number, found in reader.embeddings(asked).items()} == {
            number: [vector] for number, vector in vectors.items()
        }
        assert reader.embedded_within(DEFAULT_SPACE, Scope()) == list(vectors)


def test_embeddings_of_a_capsule_come_by_space(truth: Truth) -> None:
    """W10: an export says the same however they were put."""
    remember(truth, "a")
    names = ["z", "Z", "ä", DEFAULT_SPACE]
    write(truth, placed(*(Space(name, 2) for name in names)), *(embedded(1, "a", EAST, name) for name in names))
    with truth.reading() as reader:
        assert [each.space for each in reader.embeddings([1, 2])[1]] == sorted(names)
        assert [each.space.name for each in reader.spaces()] == sorted(names)


def test_a_vector_is_dropped_when_its_capsule_says_something_else(truth: Truth) -> None:
    """W4, case D7: the vector of "cats" must not answer for "databases"."""
    remember(truth, "cats", "dogs")
    write(truth, placed(FLAT), embedded(1, "cats", EAST), embedded(2, "dogs", NORTH))
    write(truth, revised(1, "databases"))
    with truth.reading() as reader:
        assert reader.vectors(DEFAULT_SPACE, [1, 2]) == {2: NORTH}
        assert reader.embedded_within(DEFAULT_SPACE, Scope()) == [2]


def test_a_vector_stays_when_a_revision_says_the_same(truth: Truth) -> None:
    """W4, case D7: other tags, another source or headline are no other content."""
    remember(truth, "cats")
    write(truth, placed(FLAT), embedded(1, "cats", EAST))
    write(truth, revised(1, "cats", tags=("t",), source="a book", headline="of cats"))
    with truth.reading() as reader:
        assert reader.vectors(DEFAULT_SPACE, [1]) == {1: EAST}


def test_a_decision_about_a_capsule_leaves_its_vector(truth: Truth) -> None:
    """L4: a dead capsule is judged, not unseen: it is counted under its reason."""
    remember(truth, "cats")
    write(truth, placed(FLAT), embedded(1, "cats", EAST), stands(1, archived_at=NOON))
    with truth.reading() as reader:
        assert reader.embedded_within(DEFAULT_SPACE, Scope()) == [1]
        assert reader.capsules([1])[1].standing == Standing(archived_at=NOON)


def test_forgetting_drops_every_vector_of_the_capsule(truth: Truth) -> None:
    """As W6 asks: a vector tells much of what it was made from."""
    remember(truth, "secret", "other")
    spaces = (FLAT, Space("second", 2))
    write(truth, placed(*spaces), *(embedded(1, "secret", EAST, space.name) for space in spaces), embedded(2, "other", EAST))
    write(truth, entombed(1))
    with truth.reading() as reader:
        assert list(reader.embeddings([1, 2])) == [2]
        assert reader.spaces() == [OccupiedSpace(spaces[0], 1), OccupiedSpace(spaces[1], 0)]


@pytest.mark.parametrize(
    "change",
    [
        embedded(1, "what it does not say", EAST),
        embedded(1, "cats", vector_of([1, 2, 3])),
        embedded(1, "cats", EAST, "no such space"),
        embedded(9, "cats", EAST),
        embedded(2, "gone", EAST),
        ChangeSet((PutSpace(Space(DEFAULT_SPACE, 3), NOON),)),
    ],
    ids=["another content", "another dimension", "another space", "no capsule", "forgotten capsule", "space with vectors"],
)
def test_what_does_not_fit_is_put_nowhere(truth: Truth, change: ChangeSet) -> None:
    """W4, case D7, case E1: the truth keeps this rule whatever it is told, and undoes the write."""
    remember(truth, "cats", "gone", "third")
    write(truth, placed(FLAT), embedded(3, "third", EAST), entombed(2))
    with truth.reading() as reader:
        before = read_everything(reader)
    with pytest.raises(Fault):
        write(truth, embedded(1, "cats", NORTH).then(change))
    with truth.reading() as reader:
        assert read_everything(reader) == before


def test_a_vector_follower_is_told_of_what_changes_vectors(truth: Truth) -> None:
    """W12: of the operations that were asked about, each capsule once with its last seq."""
    remember(truth, "a", "b")
    write(truth, placed(FLAT), embedded(1, "a", EAST), embedded(2, "b", EAST), stands(2, archived_at=NOON))
    write(truth, ChangeSet(entries=(entry(Op.FED_BACK, 1),)), revised(1, "another"), entombed(2))
    with truth.reading() as reader:
        assert reader.changes_after(0, 100, VECTOR_OPS) == [IndexedChange(1, 7), IndexedChange(2, 8)]
        assert reader.changes_after(0, 4, VECTOR_OPS) == [IndexedChange(1, 3), IndexedChange(2, 4)]
        assert list(reader.changes_after(4, 2, VECTOR_OPS)) == []
        assert reader.changes_after(0, 100, frozenset({Op.FED_BACK})) == [IndexedChange(1, 6)]
        assert list(reader.changes_after(0, 100, frozenset())) == []
