"""The vector follower: what it puts and settles, when it opens its index, and when a recall scans the truth instead."""

import pytest

from recordance.domain.journal import Op
from recordance.errors import Fault
from recordance.ports.truth import Truth
from recordance.usecases.vector_follow import (
    ALWAYS_OVERLAID,
    SCANNED_AT_ONCE,
    SETTLED_POINTS,
    SETTLED_ROWS,
    VectorFollower,
)
from recordance.usecases.vector_steps import ROWS_READ, STEP_POINTS
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica
from support.stores import standing_still
from support.truths import IDENTITY, entombed, remember, stands, told, write
from support.vector_views import (
    SPACE,
    MetReplica,
    asks,
    embed,
    expected_near,
    following,
    is_scan,
    recall_holds,
    remember_embedded,
    view_holds,
)

NORTH = asks(0.0, 1.0)


@pytest.fixture
def truth() -> Truth:
    return MemoryTruth(IDENTITY)


@pytest.fixture
def replica() -> MetReplica:
    return MetReplica(MemoryVectorReplica())


def test_a_space_that_was_never_used_opens_no_index_and_is_not_behind(truth: Truth) -> None:
    """Decision 7: an index costs memory, and a store without vectors pays nothing for it."""
    opened_indexes: list[MemoryVectorReplica] = []

    def opening() -> MemoryVectorReplica:
        opened_indexes.append(MemoryVectorReplica())
        return opened_indexes[-1]

    follower = VectorFollower(truth, SPACE, opening, standing_still)
    remember(truth, "one", "two")
    follower.commit()
    assert (follower.status().head, follower.status().applied) == (2, 2)
    assert is_scan(recall_holds(follower, truth, NORTH))
    follower.rebuild(lambda _done, _total: None)
    assert not opened_indexes
    embed(truth, 1, 0.0, 1.0)
    assert (follower.status().head, follower.status().applied) == (3, 0)
    follower.commit()
    follower.commit()
    assert len(opened_indexes) == 1
    assert (follower.status().head, follower.status().applied) == (3, 3)


def test_until_the_index_is_open_a_recall_scans_the_truth(truth: Truth, replica: MetReplica) -> None:
    """Decision 2: nobody waits for an index to be opened or built."""
    follower = following(truth, replica)
    remember_embedded(truth, 20, dimension=2)
    with follower.steady() as steady, truth.reading() as reader:
        scan = steady.at(reader)
        assert is_scan(scan)
        follower.commit()  # a recall that scans keeps nobody from the index
        view_holds(scan, reader, NORTH, 3, 100)
    assert not is_scan(recall_holds(follower, truth, NORTH))


def test_a_recall_sees_what_the_index_lacks_and_leaves_the_writing_to_a_commit(truth: Truth, replica: MetReplica) -> None:
    """Decision 1: every write that was answered is seen by the next recall; the index is written by the background."""
    follower = following(truth, replica)
    remember_embedded(truth, 3, dimension=2)
    follower.commit()
    settled, puts = list(replica.settled), list(replica.put_numbers)
    embed(truth, 2, 0.5, 0.5)
    write(truth, entombed(1))
    assert not is_scan(recall_holds(follower, truth, NORTH))
    assert (replica.settled, replica.put_numbers) == (settled, puts)
    assert follower.status().applied < follower.status().head
    follower.commit()
    assert (replica.put_numbers[-1], replica.dropped_numbers[-1]) == ([2], [1])
    assert replica.settled == [*settled, follower.status().head]
    assert follower.status().applied == follower.status().head
    assert not is_scan(recall_holds(follower, truth, NORTH))


def test_an_index_is_asked_again_where_most_of_what_it_proposes_has_changed(truth: Truth, replica: MetReplica) -> None:
    """L4: capsules that are masked use up no place."""
    follower = following(truth, replica)
    remember_embedded(truth, 90, dimension=2)
    follower.commit()
    with truth.reading() as reader:
        north = [near.number for near in expected_near(reader, NORTH)]
    for number in north[:30]:
        embed(truth, number, 0.0, -1.0)
    assert not is_scan(recall_holds(follower, truth, NORTH))


def test_rows_that_tell_nothing_of_vectors_count_as_applied_without_a_write(truth: Truth, replica: MetReplica) -> None:
    """Decision 1: a store to which words are written all day does not write its vector index all day."""
    follower = following(truth, replica)
    remember_embedded(truth, 3, dimension=2)
    follower.commit()
    settled, puts = list(replica.settled), len(replica.put_numbers)
    for content in ("one", "two", "three"):
        remember(truth, content)
        assert follower.status().applied < follower.status().head
        follower.commit()
        assert follower.status().applied == follower.status().head
    write(truth, stands(1, archived_at=1), told(Op.FED_BACK, 1))
    assert not is_scan(recall_holds(follower, truth, NORTH))
    assert follower.status().applied == follower.status().head
    assert (replica.settled, len(replica.put_numbers)) == (settled, puts)


def test_very_many_such_rows_are_worth_a_write_since_the_next_process_would_read_them_all(
    truth: Truth, replica: MetReplica
) -> None:
    """Decision 9: what a start has to read of the journal is bounded."""
    follower = following(truth, replica)
    remember_embedded(truth, 1, dimension=2)
    follower.commit()
    write(truth, *(told(Op.FED_BACK, 1) for _ in range(SETTLED_ROWS + 1)))
    follower.commit()
    assert replica.applied == follower.status().head


def test_a_forgotten_capsule_is_settled_even_if_it_never_had_a_vector(truth: Truth, replica: MetReplica) -> None:
    """W6: the position on disk is how others learn that this process has purged what was forgotten."""
    follower = following(truth, replica)
    remember_embedded(truth, 2, dimension=2)
    (bare,) = remember(truth, "bare")
    follower.commit()
    seq = write(truth, entombed(bare))
    follower.commit()
    assert replica.applied == seq


def test_the_position_passes_a_forgotten_capsule_that_was_dropped_before_its_row_came(truth: Truth, replica: MetReplica) -> None:
    """W6: a long catch-up drops it at its first row, and settles on the way; the position must pass its last row all the same."""
    follower = following(truth, replica)
    first, *_ = remember_embedded(truth, SETTLED_POINTS + STEP_POINTS, dimension=2)
    write(truth, *(told(Op.FED_BACK, 1) for _ in range(2 * ROWS_READ)))
    seq = write(truth, entombed(first))
    follower.commit()
    assert first in replica.dropped_numbers[0]
    assert sum(first in dropped for dropped in replica.dropped_numbers) == 1
    assert replica.applied == seq


@pytest.mark.parametrize(
    ("held", "missing", "scans"),
    [
        (1, ALWAYS_OVERLAID, False),
        (1, ALWAYS_OVERLAID + 1, True),
        (2 * ALWAYS_OVERLAID, 2 * ALWAYS_OVERLAID, False),
        (2 * ALWAYS_OVERLAID, 3 * ALWAYS_OVERLAID, True),
    ],
)
def test_a_recall_that_the_index_would_spare_little_scans_everything(
    truth: Truth, replica: MetReplica, held: int, missing: int, scans: object
) -> None:
    """Decision 2: behind a large import elsewhere, the overlay never costs more than the scan that it replaces."""
    follower = following(truth, replica)
    remember_embedded(truth, held, dimension=2)
    follower.commit()
    write(truth, *(told(Op.FED_BACK, 1) for _ in range(ROWS_READ)))
    remember_embedded(truth, missing, dimension=2)
    write(truth, *(told(Op.FED_BACK, 1) for _ in range(ROWS_READ)))
    assert is_scan(recall_holds(follower, truth, NORTH)) is scans
    follower.commit()
    assert not is_scan(recall_holds(follower, truth))
    assert replica.cleared == [2]


def test_a_capsule_with_many_rows_is_put_once(truth: Truth, replica: MetReplica) -> None:
    """Decision 1: a catch-up costs what changed, not how often it changed."""
    numbers = remember_embedded(truth, 3, dimension=2)
    for _ in range(3):
        write(truth, *(told(Op.FED_BACK, 1) for _ in range(ROWS_READ)))
        embed(truth, 1, 0.5, 0.25)
    follower = following(truth, replica)
    follower.commit()
    assert [number for put in replica.put_numbers for number in put] == numbers
    assert not is_scan(recall_holds(follower, truth, NORTH))


def test_a_long_catch_up_goes_in_steps_and_is_settled_on_the_way(truth: Truth, replica: MetReplica) -> None:
    """Decision 1: memory stays flat, and a sudden end loses the last part of it only."""
    remember_embedded(truth, SETTLED_POINTS + 3 * STEP_POINTS, dimension=2)
    follower = following(truth, replica)
    follower.commit()
    assert max(map(len, replica.put_numbers)) == STEP_POINTS
    assert len(replica.settled) == 2
    assert replica.settled[0] < replica.settled[1] == follower.status().head
    assert not is_scan(recall_holds(follower, truth))


def test_an_index_goes_on_from_where_another_process_settled_it(truth: Truth, replica: MetReplica) -> None:
    """Decision 2: an adopted index is not built anew."""
    remember_embedded(truth, 10, dimension=2)
    following(truth, replica).commit()
    remember_embedded(truth, 2, dimension=2, seed=2)
    follower = following(truth, replica)
    follower.commit()
    assert replica.cleared == [2]
    assert replica.put_numbers[-1] == [11, 12]
    assert not is_scan(recall_holds(follower, truth, NORTH))


def test_a_rebuild_tells_how_far_it_is_and_ends_with_the_same_answers(truth: Truth, replica: MetReplica) -> None:
    """Decision 1: whoever waits sees that it goes on, and an index that is not open yet is rebuilt as well."""
    remember_embedded(truth, 3 * STEP_POINTS, dimension=2)
    following(truth, replica).commit()
    follower = following(truth, replica)
    progress: list[tuple[int, int]] = []
    follower.rebuild(lambda done, total: progress.append((done, total)))
    head = follower.status().head
    assert len(progress) > 2
    assert progress == sorted(progress)
    assert progress[-1] == (head, head)
    assert replica.cleared == [2, 2]
    assert follower.status().applied == replica.applied == head
    assert not is_scan(recall_holds(follower, truth, NORTH))


def test_a_space_that_takes_another_dimension_begins_its_index_anew(truth: Truth, replica: MetReplica) -> None:
    """W4: once no vector is left in a space, vectors of another model may come."""
    follower = following(truth, replica)
    numbers = remember_embedded(truth, 2, dimension=2)
    (bare,) = remember(truth, "bare")
    follower.commit()
    write(truth, *map(entombed, numbers))
    assert recall_holds(follower, truth, NORTH).nearest(asks(1.0, 0.0, 0.0), 3) == []
    embed(truth, bare, 0.0, 1.0, 0.0)
    recall_holds(follower, truth, asks(0.0, 1.0, 0.0))
    assert follower.alarms == 0
    follower.commit()
    assert replica.cleared == [2, 3]
    assert not is_scan(recall_holds(follower, truth, asks(0.0, 1.0, 0.0)))


def test_other_spaces_leave_the_index_as_it_is(truth: Truth, replica: MetReplica) -> None:
    """W4: an embedder's space beside the callers' has its own vectors, of its own dimension."""
    follower = following(truth, replica)
    remember_embedded(truth, 2, dimension=2)
    embed(truth, 1, 1.0, 0.0, 0.5, space="other")
    follower.commit()
    assert (replica.dimension, replica.count) == (2, 2)
    assert not is_scan(recall_holds(follower, truth, NORTH))


def test_a_closed_follower_scans_and_opens_nothing_any_more(truth: Truth, replica: MetReplica) -> None:
    """Decision 2: a recall that is still under way when its server stops is answered all the same."""
    calls: list[str] = []
    met = MetReplica(MemoryVectorReplica(), calls.append)
    follower = following(truth, met)
    remember_embedded(truth, 2, dimension=2)
    follower.commit()
    follower.close()
    assert calls[-1] == "close"
    follower.commit()
    follower.close()
    assert is_scan(recall_holds(follower, truth, NORTH))
    assert calls[-1] == "close"
    assert calls.count("close") == 1


def test_an_index_that_takes_no_writes_is_asked_all_the_same_and_not_emptied(truth: Truth) -> None:
    """Decision 1: a full disk is the commit's trouble; what was not put is overlaid, and put when it can be."""
    full: list[str] = []

    def met(name: str) -> None:
        if name in full:
            raise Fault("the disk is full")

    replica = MetReplica(MemoryVectorReplica(), met)
    follower = following(truth, replica)
    remember_embedded(truth, 2, dimension=2)
    follower.commit()
    embed(truth, 1, 0.5, 0.5)
    full.append("put")
    with pytest.raises(Fault, match="full"):
        follower.commit()
    assert not is_scan(recall_holds(follower, truth, NORTH))
    full[:] = ["settle"]
    assert not is_scan(recall_holds(follower, truth, NORTH))
    with pytest.raises(Fault, match="full"):
        follower.commit()
    assert follower.status().applied < follower.status().head
    full.clear()
    follower.commit()
    assert follower.status().applied == replica.applied == follower.status().head
    assert (replica.cleared, follower.alarms) == ([2], 0)


@pytest.mark.parametrize("vectors", [2, SCANNED_AT_ONCE + 1])
def test_an_index_that_cannot_be_opened_is_the_commits_trouble_and_tried_again(truth: Truth, vectors: int) -> None:
    """Decision 2: recalls scan meanwhile, and hear nothing of it, nor try again and again."""
    troubles, tries = [Fault("no room")] * 4, 0

    def opening() -> MemoryVectorReplica:
        nonlocal tries
        tries += 1
        if troubles:
            raise troubles.pop()
        return MemoryVectorReplica()

    follower = VectorFollower(truth, SPACE, opening, standing_still)
    remember_embedded(truth, vectors, dimension=2)
    for _ in range(3):
        assert is_scan(recall_holds(follower, truth))
    recalls = tries
    assert recalls == (vectors > SCANNED_AT_ONCE)
    for _ in range(4 - recalls):
        with pytest.raises(Fault, match="room"):
            follower.commit()
        assert follower.status().applied == 0
        assert is_scan(recall_holds(follower, truth))
    follower.commit()
    assert not is_scan(recall_holds(follower, truth))


def test_a_view_of_an_index_says_how_far_its_scores_may_be_off(truth: Truth, replica: MetReplica) -> None:
    """L17: the index proposes, within a bound that is told."""
    follower = following(truth, replica)
    remember_embedded(truth, 2, dimension=2)
    follower.commit()
    assert 0.0 < recall_holds(follower, truth, NORTH).tolerance < 1e-5
