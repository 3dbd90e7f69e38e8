"""The follower of a shared index: who writes, what a recall asks, and what it does where the index is late, wrong or gone."""

import copy

import pytest

from recordance.errors import Fault, StoreUnusable
from recordance.ports.truth import Truth
from recordance.usecases.shared_vector_follow import SharedVectorFollower
from recordance_adapters.driven.in_memory.shared_vectors import MemorySharedIndex
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from support.shared_indexes import Duties, MetIndex, an_epoch, scanned, sharing, unmet
from support.truths import IDENTITY, entombed, remember, write
from support.vector_views import SPACE, asks, embed, recall_holds, remember_embedded, view_holds

NORTH = asks(0.0, 1.0)


class Together:
    """Two processes with one truth and one index; `first` has filled it, and `second` has seen that."""

    def __init__(self) -> None:
        self.truth: Truth = MemoryTruth(IDENTITY)
        self.index = MemorySharedIndex()
        self.duties = Duties()
        self.seconds = 0.0
        self.clients = [MetIndex(self.index), MetIndex(self.index)]
        self.first, self.second = (self.process(client) for client in self.clients)
        remember_embedded(self.truth, 8, dimension=2)
        self.first.commit()
        self.second.commit()
        for client in self.clients:
            client.asked.clear()

    def process(self, client: MetIndex) -> SharedVectorFollower:
        return sharing(self.truth, client, self.duties, lambda: self.seconds)

    def saved(self) -> object:
        return copy.deepcopy((self.index._replica, self.index._position))

    def put_back(self, saved: object) -> None:
        self.index._replica, self.index._position = copy.deepcopy(saved)


@pytest.fixture
def both() -> Together:
    return Together()


def once(name: str, act: object) -> object:
    """Do something the first time that a client is at `name`."""
    left = [act]

    def met(at: str) -> None:
        if at == name and left:
            left.pop()()

    return met


def test_a_recall_asks_twice_and_finds_what_another_process_wrote(both: Together) -> None:
    """Decision 2: one search, and one look at the position that proves it; nobody waits for an index."""
    embed(both.truth, 3, 0.0, 1.0)
    write(both.truth, entombed(4))
    assert not scanned(recall_holds(both.second, both.truth, NORTH))  # not in the index yet: from the truth
    both.first.commit()
    both.second.commit()
    both.clients[1].asked.clear()
    with both.second.steady() as steady, both.truth.reading() as reader:
        view = steady.at(reader)
        view_holds(view, reader, NORTH, 2)
    assert not scanned(view)
    assert both.clients[1].asked == ["nearest", "position"]
    assert (both.clients[0].put_numbers[-1], both.clients[0].dropped_numbers[-1]) == ([3], [4])
    assert both.clients[1].put_numbers == []


def test_what_is_written_while_a_recall_searches_is_not_found_by_it(both: Together) -> None:
    """Decision 2, O11: the snapshot is older than the index by then; what changed in between is compared from the snapshot."""

    forgotten = [5, 6]

    def meanwhile() -> None:
        for number in (1, 2, 3):
            embed(both.truth, number, 0.0, 1.0 + number)
        write(both.truth, entombed(forgotten.pop()))
        both.first.commit()

    for moment in ("nearest", "nearest answered"):
        both.clients[1].met = once(moment, meanwhile)
        assert not scanned(recall_holds(both.second, both.truth, NORTH))
        both.clients[1].met = unmet


def test_between_any_two_steps_of_a_writer_a_recall_is_exact(both: Together) -> None:
    """Decision 2: an index that has some of what it will have answers as the truth does."""
    moments: list[str] = []

    def look(at: str) -> None:
        moments.append(at)
        assert not scanned(recall_holds(both.second, both.truth, NORTH))

    both.clients[0].met = look
    for number in (1, 2):
        embed(both.truth, number, 0.5, 1.0)
    write(both.truth, entombed(3))
    both.first.commit()
    assert [at for at in moments if "answered" not in at] == ["position", "position", "advance", "put", "count", "advance"]


def test_a_server_that_was_put_back_proves_nothing_by_what_it_was_before(both: Together) -> None:
    """Decision 2: less is applied than this process knew, and what was masked for that is not enough."""
    early = both.saved()
    embed(both.truth, 1, 0.0, 1.0)
    both.first.commit()
    both.second.commit()
    both.put_back(early)
    assert not scanned(recall_holds(both.second, both.truth, NORTH))


def test_a_server_that_was_put_back_and_brought_up_again_during_a_search_is_searched_again(both: Together) -> None:
    """Decision 2: all the numbers fit; it is the new epoch that tells."""
    early = both.saved()
    embed(both.truth, 1, 0.0, 1.0)
    both.first.commit()
    both.second.commit()
    both.put_back(early)
    third = both.process(MetIndex(both.index))
    both.clients[1].met = once("nearest answered", third.commit)
    both.clients[1].asked.clear()
    with both.second.steady() as steady, both.truth.reading() as reader:
        view = steady.at(reader)
        view_holds(view, reader, NORTH, 3)
    assert not scanned(view)
    assert both.clients[1].asked == ["nearest", "position"] * 2


@pytest.mark.parametrize("moment", ["nearest", "nearest answered", "position"])
def test_an_index_that_is_deleted_is_noticed_by_a_recall_and_filled_by_the_next_commit(both: Together, moment: str) -> None:
    """Decision 2, case D5: whoever deletes a collection, or loses a disk, loses no answer."""
    both.clients[1].met = once(moment, both.index.vanish)
    alarms = both.second.alarms
    assert scanned(recall_holds(both.second, both.truth, NORTH))
    assert both.second.alarms > alarms
    assert both.second.status().applied == 0
    both.second.commit()
    assert (both.second.held(), both.second.status().applied) == (8, both.second.status().head)
    assert not scanned(recall_holds(both.first, both.truth, NORTH))


def test_points_that_somebody_took_away_are_missed_when_a_writer_takes_over(both: Together) -> None:
    """case D5: an index that holds fewer points than the truth has vectors is made anew."""
    both.index.put((), [2])
    third = both.process(MetIndex(both.index))
    third.commit()
    assert both.index.count() == 8


def test_a_server_in_trouble_is_left_alone_and_found_again(both: Together) -> None:
    """Decision 2: one recall pays for the silence, the others scan at once; the commit that succeeds ends it for all."""

    def silent(_: str) -> None:
        raise Fault("no answer")

    both.clients[1].met = silent
    alarms = both.second.alarms
    for _ in range(5):
        assert scanned(recall_holds(both.second, both.truth, NORTH))
    assert both.clients[1].asked == ["nearest"]
    assert both.second.alarms == alarms + 1
    assert (both.second.status().applied, both.second.held()) == (0, None)
    with pytest.raises(Fault):
        both.second.commit()
    both.seconds += 3600.0
    for _ in range(5):
        assert scanned(recall_holds(both.second, both.truth, NORTH))
    assert both.clients[1].asked.count("nearest") == 2
    both.clients[1].met = unmet
    both.second.commit()
    assert both.second.status().applied == both.second.status().head
    assert not scanned(recall_holds(both.second, both.truth, NORTH))


def test_a_server_that_answers_again_is_found_by_recalls_alone(both: Together) -> None:
    """Decision 2: a process may have no background that asks."""

    def silent(_: str) -> None:
        raise Fault("no answer")

    both.clients[1].met = silent
    assert scanned(recall_holds(both.second, both.truth, NORTH))
    both.clients[1].met = unmet
    assert scanned(recall_holds(both.second, both.truth, NORTH))
    both.seconds += 1.0
    assert not scanned(recall_holds(both.second, both.truth, NORTH))


def test_one_process_writes_and_the_others_look(both: Together) -> None:
    """Decision 2: whoever does not get the duty writes nothing, and takes it when it is free again."""
    embed(both.truth, 1, 0.0, 1.0)
    with both.duties.duty() as ours:
        assert ours
        both.second.commit()
        assert both.second.status().applied < both.second.status().head
        with pytest.raises(Fault, match="another process"):
            both.second.rebuild(lambda _done, _total: None)
    assert set(both.clients[1].asked) == {"position"}
    both.second.commit()
    assert both.clients[1].put_numbers == [[1]]
    both.first.commit()
    assert both.first.status().applied == both.first.status().head
    assert "put" not in both.clients[0].asked


def test_a_writer_that_ended_midway_is_followed_by_another(both: Together) -> None:
    """Decision 2, case C6: of what it put any part may be there; the next one begins where the position is."""

    def dies(at: str) -> None:
        if at == "put answered":
            raise Fault("the process is gone")

    embed(both.truth, 1, 0.0, 1.0)
    both.clients[0].met = dies
    with pytest.raises(Fault):
        both.first.commit()
    embed(both.truth, 1, 1.0, 0.0)
    assert not scanned(recall_holds(both.second, both.truth, NORTH))
    both.second.commit()
    assert both.clients[1].put_numbers == [[1]]
    assert not scanned(recall_holds(both.second, both.truth, NORTH))


def test_a_writer_that_lost_its_duty_overwrites_no_position(both: Together) -> None:
    """Decision 2: a connection breaks, the duty is given to another process, and the first one still believes to have it."""
    other = sharing(both.truth, MetIndex(both.index), Duties())

    def overtaken() -> None:
        embed(both.truth, 2, 0.0, 1.0)
        other.commit()

    embed(both.truth, 1, 0.0, 1.0)
    both.clients[0].met = once("put", overtaken)
    with pytest.raises(Fault, match="another process"):
        both.first.commit()
    position = both.index.position()
    assert position is not None
    assert position.applied == other.status().head
    both.first.commit()
    assert both.first.status().applied == both.first.status().head
    for follower in (both.first, both.second, other):
        recall_holds(follower, both.truth, NORTH)


def test_an_index_with_another_vector_than_the_truth_is_begun_anew(both: Together) -> None:
    """case D5, L17: what proposes by a wrong score is asked no more until it was filled again."""
    with both.second.steady() as steady, both.truth.reading() as reader:
        view = steady.at(reader)
        view.disprove()
        view_holds(view, reader, NORTH, 3)
    assert scanned(view)
    assert both.second.status().applied == 0
    assert scanned(recall_holds(both.second, both.truth, NORTH))
    both.second.commit()
    assert "begin" in both.clients[1].asked
    assert not scanned(recall_holds(both.second, both.truth, NORTH))


def test_a_truth_that_was_put_back_has_its_index_begun_anew(both: Together) -> None:
    """Decision 2: the index is ahead of such a truth, or followed rows that are in it no more."""
    other = MemoryTruth(IDENTITY)
    remember_embedded(other, 4, dimension=2, seed=2)
    follower = sharing(other, MetIndex(both.index), both.duties)
    follower.open()
    assert scanned(recall_holds(follower, other, NORTH))
    follower.commit()
    assert (both.index.count(), follower.status().applied) == (4, follower.status().head)
    assert not scanned(recall_holds(follower, other, NORTH))


def test_a_space_that_was_never_used_opens_no_index() -> None:
    """Decision 9: a store without vectors pays nothing for a server."""
    truth, asked = MemoryTruth(IDENTITY), list[int]()

    def opening() -> MemorySharedIndex:
        asked.append(1)
        return MemorySharedIndex()

    follower = SharedVectorFollower(truth, SPACE, opening, Duties().duty, an_epoch, lambda: 0.0)
    remember(truth, "one")
    follower.commit()
    follower.open()
    follower.rebuild(lambda _done, _total: None)
    assert scanned(recall_holds(follower, truth, NORTH))
    assert (follower.status().applied, follower.held(), asked) == (1, None, [])
    embed(truth, 1, 0.0, 1.0)
    assert scanned(recall_holds(follower, truth, NORTH))  # opening takes longer than a scan of few
    assert asked == []
    follower.commit()
    assert (follower.held(), asked) == (1, [1])
    follower.close()
    assert scanned(recall_holds(follower, truth, NORTH))


def test_rows_that_tell_nothing_of_vectors_are_no_write(both: Together) -> None:
    """Decision 1: a store to which words are written all day does not write its vector index all day."""
    remember(both.truth, "one", "two")
    both.first.commit()
    assert both.first.status().applied == both.first.status().head
    assert set(both.clients[0].asked) == {"position"}


def test_a_collection_of_somebody_else_s_is_refused_and_a_silent_server_is_not(both: Together) -> None:
    """Decision 2: what is wrong for good is told at the start; what may pass is found out by recalls."""

    def foreign(_: str) -> None:
        raise StoreUnusable("not ours", lesson="give it another name")

    def silent(_: str) -> None:
        raise Fault("no answer")

    both.first.prove()
    both.clients[0].met = foreign
    with pytest.raises(StoreUnusable):
        both.first.prove()
    both.clients[0].met = silent
    both.first.prove()
    assert scanned(recall_holds(both.first, both.truth, NORTH))


def test_a_new_dimension_begins_the_index_anew(both: Together) -> None:
    """W4: a space that has lost all its vectors may take others; recalls in between scan."""
    write(both.truth, *(entombed(number) for number in range(1, 9)))
    (number,) = remember(both.truth, "of three components")
    embed(both.truth, number, 0.0, 0.0, 1.0)
    assert scanned(recall_holds(both.second, both.truth, asks(0.0, 0.0, 1.0)))
    both.first.commit()
    position = both.index.position()
    assert position is not None
    assert (position.dimension, both.index.count()) == (3, 1)
    assert not scanned(recall_holds(both.second, both.truth, asks(0.0, 0.0, 1.0)))
