"""Vector indexes in slots: one shares the slot with the terms of its process, and a new one starts as a copy of an idle one's."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from recordance_adapters.driven.qdrant_vectors.opening import open_vectors
from recordance_adapters.driven.qdrant_vectors.replica import EdgeReplica
from recordance_adapters.driven.replica_slots import Slot, adopt_slot
from support.documents import document, put
from support.slots import STORE, adopted_slot, left_of, terms_in
from support.vector_indexes import asking_near, embedded, numbers_near, quick_folder

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]


@pytest.fixture
def folder() -> Iterator[Path]:
    with quick_folder() as folder:
        yield folder


@pytest.fixture
def slots(folder: Path) -> Iterator[list[Slot]]:
    """Three slots, as of three processes; each is released at the end."""
    with ExitStack() as held:
        yield [held.enter_context(adopted_slot(folder)) for _ in range(3)]


def vectors_in(slot: Slot, store: str = STORE) -> EdgeReplica:
    return open_vectors(slot.path, store, slot.others())


def leave(slot: Slot, seq: int, *numbers: int) -> None:
    """Settle these numbers in a slot, close its index and release it, as a process does that ends."""
    with closing(vectors_in(slot)) as replica:
        replica.clear(2)
        replica.put([embedded(number, EAST).point for number in numbers], ())
        replica.settle(seq, f"mark {seq}")
    slot.release()


def test_a_new_index_starts_as_a_copy_of_the_freshest_idle_one(folder: Path, slots: list[Slot]) -> None:
    """Decision 2: a session that is started anew need not build what an earlier one has left; the copy goes its own way."""
    leave(slots[0], 3, 1, 2)
    leave(slots[1], 8, 1, 2, 3)
    with closing(vectors_in(slots[2])) as copy:
        assert (copy.applied, copy.mark, copy.dimension, copy.count) == (8, "mark 8", 2, 3)
        copy.put([embedded(9, NORTH).point], [1])
        copy.settle(9)
        assert numbers_near(copy, asking_near(NORTH))[0] == 9
    again = adopt_slot(folder, 0.0)
    assert again.path == slots[0].path
    with closing(vectors_in(again)) as source:
        assert (source.applied, sorted(numbers_near(source, asking_near(EAST)))) == (3, [1, 2])
    again.release()


def test_an_index_that_another_process_holds_is_not_copied(slots: list[Slot]) -> None:
    """Decision 2: the engine changes its files in place, so that a copy of one in use would be of no moment at all."""
    busy = vectors_in(slots[0])
    with closing(busy):
        busy.clear(2)
        busy.put([embedded(1, EAST).point], ())
        busy.settle(20)
        with closing(vectors_in(slots[2])) as anew:
            assert (anew.applied, anew.dimension) == (0, 0)
        leave(slots[1], 8, 1, 2, 3)
        with closing(vectors_in(slots[2])) as copy:
            assert (copy.applied, copy.count) == (8, 3)


def test_a_copy_is_never_taken_of_a_damaged_index_or_of_another_store_s(slots: list[Slot]) -> None:
    """Decision 2, case D5: the next freshest is as good; with none there is, it starts empty."""
    leave(slots[0], 3, 1, 2)
    leave(slots[1], 8, 1, 2, 3)
    next(slots[1].path.rglob("segment.json")).unlink()
    with closing(vectors_in(slots[2])) as copy:
        assert (copy.applied, copy.count) == (3, 2)
        copy.clear(2)
    with closing(vectors_in(slots[2], "another")) as anew:
        assert (anew.applied, anew.dimension) == (0, 0)


def test_a_copy_that_was_not_finished_counts_for_nothing(folder: Path, slots: list[Slot]) -> None:
    """Decision 1: the position is written last, so that a process that dies while it copies leaves no half of an index."""
    leave(slots[0], 3, 1, 2)
    with closing(vectors_in(slots[2])) as copy:
        assert copy.count == 2
    (slots[2].path / "vectors.applied").unlink()
    assert left_of(slots[2]) == ["1"]
    with closing(vectors_in(slots[2])) as anew:
        assert (anew.applied, anew.dimension, anew.count) == (0, 0, 0)
    assert list(slots[2].path.iterdir()) == []


def test_terms_and_vectors_share_a_slot_and_go_with_it(folder: Path, slots: list[Slot]) -> None:
    """Decision 2, W6: one lock for both; an idle slot is removed with both, whichever of them knew of a forget."""
    with closing(terms_in(slots[0])) as terms:
        put(terms, [document(1, "tokio")], seq=4)
        leave(slots[1], 8, 1)
        with closing(vectors_in(slots[0])) as vectors:
            assert (terms.applied, vectors.applied) == (4, 8)
            vectors.clear(2)
            assert (terms.applied, terms.snapshot().document_count) == (4, 1)
    assert sorted(path.name for path in slots[0].path.iterdir()) == ["applied", "terms", "vectors"]
    slots[0].release()
    assert left_of(slots[2]) == []
    assert not slots[0].path.exists()
