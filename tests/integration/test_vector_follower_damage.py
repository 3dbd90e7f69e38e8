"""A vector index that is damaged, short, ahead, or of another history: recalls scan, and the next commit makes it anew."""

from collections.abc import Callable, Sequence

import pytest

from recordance.domain.instant import Instant
from recordance.errors import Fault, ReplicaDamaged
from recordance.ports.truth import Truth
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica
from support.truths import IDENTITY, NOON, captured, entombed, make_capture, write
from support.vector_views import (
    MetReplica,
    Swapped,
    asks,
    embed,
    embedding_of,
    following,
    is_scan,
    recall_holds,
    remember_embedded,
    vector,
    view_holds,
)

NORTH, EAST = asks(0.0, 1.0), asks(1.0, 0.0)


@pytest.fixture
def truth() -> Truth:
    return MemoryTruth(IDENTITY)


class Damage:
    """A byte under one of a replica's methods is flipped while a test says so."""

    def __init__(self) -> None:
        self.under: str | None = None

    def met(self, name: str) -> None:
        if name == self.under:
            raise ReplicaDamaged(f"a byte is flipped under {name}")


@pytest.mark.parametrize("question", [1, 2, 3])
def test_a_recall_that_meets_damage_amid_its_questions_goes_on_by_scanning(truth: Truth, question: int) -> None:
    """Decision 1: what an index said before and what the truth says after are one answer; nobody hears of it but the commit."""
    damage = Damage()
    replica = MetReplica(MemoryVectorReplica(), damage.met)
    follower = following(truth, replica)
    remember_embedded(truth, 8, dimension=2)
    follower.commit()
    with follower.steady() as steady, truth.reading() as reader:
        view = steady.at(reader)
        for place, query in enumerate([NORTH, EAST, NORTH], 1):
            damage.under = "nearest" if place == question else damage.under
            view_holds(view, reader, query, 10)
        damage.under = None
        view_holds(view, reader, EAST, 10)
    assert follower.alarms == 1
    assert follower.status().applied == 0
    assert is_scan(recall_holds(follower, truth, NORTH))
    follower.commit()
    assert replica.cleared == [2, 2]
    assert not is_scan(recall_holds(follower, truth, NORTH))
    assert follower.status().applied == follower.status().head


def test_a_recall_that_falls_back_lets_the_index_go_at_once(truth: Truth) -> None:
    """Decision 1: a scan takes its time, and the index is made anew meanwhile."""
    damage = Damage()
    follower = following(truth, MetReplica(MemoryVectorReplica(), damage.met))
    remember_embedded(truth, 8, dimension=2)
    follower.commit()
    with follower.steady() as steady, truth.reading() as reader:
        view = steady.at(reader)
        damage.under = "nearest"
        view.nearest(NORTH, 3)
        damage.under = None
        follower.commit()
        assert not is_scan(recall_holds(follower, truth, NORTH))
        view_holds(view, reader, EAST, 10)


@pytest.mark.parametrize("method", ["count", "nearest"])
def test_damage_before_the_first_question_is_a_scan_and_an_alarm(truth: Truth, method: str) -> None:
    """Decision 1: the same holds while a recall looks whether an index that was just opened is whole."""
    damage = Damage()
    replica = MetReplica(MemoryVectorReplica(), damage.met)
    remember_embedded(truth, 8, dimension=2)
    following(truth, replica).commit()
    embed(truth, 3, 0.5, 0.5)
    follower = following(truth, replica)
    follower.open()
    damage.under = method
    assert is_scan(recall_holds(follower, truth, NORTH))
    damage.under = None
    assert is_scan(recall_holds(follower, truth, NORTH))
    assert follower.alarms == 1
    follower.commit()
    assert replica.cleared == [2, 2]
    assert not is_scan(recall_holds(follower, truth, NORTH))


@pytest.mark.parametrize("method", ["put", "count", "settle"])
def test_a_commit_that_meets_damage_begins_anew_once_and_then_says_so(truth: Truth, method: str) -> None:
    """Decision 1: damage that comes back at once is a fault of the machine, and no reason to loop."""
    damage = Damage()
    replica = MetReplica(MemoryVectorReplica(), damage.met)
    follower = following(truth, replica)
    remember_embedded(truth, 8, dimension=2)
    follower.commit()
    embed(truth, 3, 0.5, 0.5)
    damage.under = method
    with pytest.raises(ReplicaDamaged):
        follower.commit()
    assert replica.cleared == [2, 2]
    assert follower.status().applied < follower.status().head
    recall_holds(follower, truth, NORTH)
    damage.under = None
    follower.commit()
    assert follower.status().applied == follower.status().head
    assert not is_scan(recall_holds(follower, truth, NORTH))


class Unreadable(MemoryVectorReplica):
    """A replica whose position cannot be read until it is emptied."""

    def __init__(self) -> None:
        super().__init__()
        self.emptied = 0

    @property
    def applied(self) -> int:
        if not self.emptied:
            raise ReplicaDamaged("the position cannot be read")
        return super().applied

    def clear(self, dimension: int) -> None:
        self.emptied += 1
        super().clear(dimension)


def test_a_replica_that_opens_damaged_is_emptied_and_filled(truth: Truth) -> None:
    """case C6: what a crash left in ruins fails no start."""
    replica = Unreadable()
    follower = following(truth, replica)
    remember_embedded(truth, 3, dimension=2)
    follower.commit()
    assert replica.emptied == 1
    assert not is_scan(recall_holds(follower, truth, NORTH))


def short(replica: MemoryVectorReplica) -> None:
    """It lost a point."""
    replica.put((), [2])


def long(replica: MemoryVectorReplica) -> None:
    """It never lost what a crash should have taken from it."""
    other = MemoryTruth(IDENTITY)
    remember_embedded(other, 9, dimension=2)
    extra = MemoryVectorReplica()
    following(other, extra).commit()
    replica.put((point for point, _ in extra._points.values() if point.number == 9), ())


@pytest.mark.parametrize("spoil", [short, long])
@pytest.mark.parametrize("later", [(), (1,), (1, 2), (2, 3, 4)])
def test_an_index_that_holds_other_points_than_its_position_says_is_made_anew(
    truth: Truth, spoil: Callable[[MemoryVectorReplica], None], later: Sequence[int]
) -> None:
    """case D3, case D5: counts are compared by the first recall or commit, under an overlay too, which masks what is wrong."""
    replica = MemoryVectorReplica()
    remember_embedded(truth, 8, dimension=2)
    following(truth, replica).commit()
    spoil(replica)
    for number in later:
        embed(truth, number, 0.5, 0.5)
    write(truth, entombed(5))
    follower = following(truth, replica)
    follower.open()
    masked = spoil is short and 2 in later
    assert is_scan(recall_holds(follower, truth, NORTH)) is not masked
    assert follower.alarms == (not masked)
    follower.commit()
    assert not is_scan(recall_holds(follower, truth, NORTH))
    assert replica.count == 7


@pytest.mark.parametrize("spoil", [short, long])
@pytest.mark.parametrize("later", [(), (1,)])
def test_a_commit_compares_the_counts_before_any_recall_does(
    truth: Truth, spoil: Callable[[MemoryVectorReplica], None], later: Sequence[int]
) -> None:
    """case D5: an index that is not whole is made anew at the start, with and without rows to put."""
    replica = MemoryVectorReplica()
    remember_embedded(truth, 8, dimension=2)
    following(truth, replica).commit()
    spoil(replica)
    for number in later:
        embed(truth, number, 0.5, 0.5)
    follower = following(truth, replica)
    follower.commit()
    assert not is_scan(recall_holds(follower, truth, NORTH))
    assert (replica.count, follower.alarms) == (8, 0)


def test_an_index_that_is_ahead_of_its_truth_begins_anew(truth: Truth) -> None:
    """Decision 1: a truth put back from a backup has another history; what the index holds of it is worth nothing."""
    other, replica = MemoryTruth(IDENTITY), MemoryVectorReplica()
    remember_embedded(other, 8, dimension=2)
    remember_embedded(truth, 3, dimension=2, seed=2)
    for mark in (None, ""):
        following(other, replica).commit()
        if mark is not None:
            replica.settle(replica.applied, mark)
        follower = following(truth, replica)
        assert is_scan(recall_holds(follower, truth, NORTH))
        follower.commit()
        assert (replica.count, replica.applied) == (3, follower.status().head)
        assert not is_scan(recall_holds(follower, truth, NORTH))


def test_an_index_of_another_history_begins_anew_even_where_the_counts_agree() -> None:
    """Decision 1, case D3: the truth went back and grew past the index, to as many vectors as before."""
    lost, truth, replica = MemoryTruth(IDENTITY), MemoryTruth(IDENTITY), MemoryVectorReplica()
    remember_embedded(lost, 4, dimension=2)
    following(lost, replica).commit()
    captures = [make_capture(number, f"statement {number}") for number in range(1, 5)]
    # No two histories are written at the same instants.
    write(truth, captured(*captures), at=Instant(NOON + 1))
    write(truth, *(embedding_of(each.capsule, vector(-1.0, 0.5)) for each in captures), at=Instant(NOON + 1))
    follower = following(truth, replica)
    follower.open()
    assert is_scan(recall_holds(follower, truth, NORTH))
    follower.commit()
    assert not is_scan(recall_holds(follower, truth, NORTH, asks(-1.0, 0.0)))


@pytest.mark.parametrize("later", [0, 3, 30])
def test_a_truth_put_back_while_a_follower_looks_is_scanned_and_then_followed(later: int) -> None:
    """Decision 1: whether it went on to fewer or to more rows than the index has seen, lost vectors answer nobody."""
    truth, earlier = MemoryTruth(IDENTITY), MemoryTruth(IDENTITY)
    remember_embedded(truth, 8, dimension=2)
    remember_embedded(earlier, 2, dimension=2, seed=2)
    for number in range(later):
        write(earlier, captured(make_capture(3 + number, f"later {number}")), at=Instant(NOON + 1))
    swapped = Swapped(truth)
    follower = following(swapped, MemoryVectorReplica())
    follower.commit()
    assert not is_scan(recall_holds(follower, swapped, NORTH))
    swapped.truth = earlier
    assert is_scan(recall_holds(follower, swapped, NORTH))
    assert follower.status().applied < follower.status().head
    follower.commit()
    assert not is_scan(recall_holds(follower, swapped, NORTH))
    embed(earlier, 1, 0.5, 0.5)
    write(earlier, entombed(2))
    assert not is_scan(recall_holds(follower, swapped, NORTH))


class Draining(MemoryVectorReplica):
    """A replica that fails once it has been emptied, as often as a test says."""

    def __init__(self) -> None:
        super().__init__()
        self.failing = 0

    def clear(self, dimension: int) -> None:
        super().clear(dimension)
        if self.failing:
            self.failing -= 1
            raise Fault("the disk is full")


def test_an_index_that_could_not_be_emptied_whole_is_not_used() -> None:
    """Decision 1: not even if the truth comes back for which it was good."""
    truth, earlier, replica = MemoryTruth(IDENTITY), MemoryTruth(IDENTITY), Draining()
    remember_embedded(truth, 8, dimension=2)
    remember_embedded(earlier, 2, dimension=2, seed=2)
    swapped = Swapped(truth)
    follower = following(swapped, replica)
    follower.commit()
    swapped.truth, replica.failing = earlier, 1
    with pytest.raises(Fault, match="full"):
        follower.commit()
    swapped.truth = truth
    assert is_scan(recall_holds(follower, swapped, NORTH))
    follower.commit()
    assert not is_scan(recall_holds(follower, swapped, NORTH))


def test_a_truth_put_back_to_before_its_first_vector_leaves_an_empty_index(truth: Truth) -> None:
    """Decision 1: there is no dimension to begin with, and nothing to hold."""
    remember_embedded(truth, 2, dimension=2)
    swapped, replica = Swapped(truth), MemoryVectorReplica()
    follower = following(swapped, replica)
    follower.commit()
    swapped.truth = MemoryTruth(IDENTITY)
    write(swapped.truth, captured(make_capture(1, "alone")))
    follower.commit()
    assert replica.count == 0
    assert follower.status().applied == follower.status().head == 1
    embed(swapped.truth, 1, 0.0, 0.5)
    follower.commit()
    assert not is_scan(recall_holds(follower, swapped, NORTH))


def test_a_truth_that_cannot_be_read_is_no_damage_of_the_index(truth: Truth) -> None:
    """Decision 1: what the truth raises goes through, and the index stays as it is."""
    replica = MetReplica(MemoryVectorReplica())
    swapped = Swapped(truth)
    follower = following(swapped, replica)
    remember_embedded(truth, 2, dimension=2)
    follower.commit()
    swapped.truth = Lost()
    for use in (follower.commit, follower.status, lambda: recall_holds(follower, swapped)):
        with pytest.raises(OSError, match="the store is gone"):
            use()
    swapped.truth = truth
    assert not is_scan(recall_holds(follower, swapped, NORTH))
    assert (replica.cleared, follower.alarms) == ([2], 0)


class Lost:
    """A truth whose file went away."""

    def reading(self) -> None:
        raise OSError("the store is gone")
