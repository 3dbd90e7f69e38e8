"""Recalls, commits and writes at once: each recall has its own snapshot, none waits for long, and nothing is put out of order."""

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from recordance.errors import ReplicaDamaged
from recordance.ports.truth import Truth
from recordance.usecases.vector_follow import SCANNED_AT_ONCE, VectorFollower
from recordance.usecases.vector_steps import STEP_POINTS
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica
from support.stores import standing_still
from support.truths import IDENTITY, entombed, remember, write
from support.vector_views import (
    SPACE,
    MetReplica,
    Swapped,
    VectorScene,
    asks,
    embed,
    following,
    is_scan,
    recall_holds,
    remember_embedded,
)
from support.watching import WatchedTruth

BOUND = 60.0
NORTH = asks(0.0, 1.0)


@pytest.fixture
def truth() -> Truth:
    return MemoryTruth(IDENTITY)


class Gate:
    """Holds one of a replica's methods up until a test lets it go."""

    def __init__(self, method: str) -> None:
        self._method = method
        self.reached, self.let_go = threading.Event(), threading.Event()

    def met(self, name: str) -> None:
        if name == self._method:
            self.reached.set()
            assert self.let_go.wait(BOUND)


def test_a_recall_gets_in_between_the_steps_of_a_long_catch_up(truth: Truth) -> None:
    """Decision 1: the background gives its turn back after each step, to whoever waits."""
    gate, asked = Gate("put"), threading.Event()

    def now() -> float:
        if threading.current_thread() is not threading.main_thread():
            asked.set()
        return 0.0

    replica = MetReplica(MemoryVectorReplica(), gate.met)
    follower = VectorFollower(truth, SPACE, lambda: replica, now, BOUND)
    remember_embedded(truth, 40 * STEP_POINTS, dimension=2)

    def recall() -> int:
        with follower.steady(), truth.reading():
            return len(replica.put_numbers)

    with ThreadPoolExecutor(2) as pool:
        commit = pool.submit(follower.commit)
        try:
            assert gate.reached.wait(BOUND)
            recalled = pool.submit(recall)
            assert asked.wait(BOUND)
        finally:
            gate.let_go.set()
        assert recalled.result(BOUND) < 40
        commit.result(BOUND)
    assert len(replica.put_numbers) == 40
    assert not is_scan(recall_holds(follower, truth))


@pytest.mark.parametrize("method", ["put", "settle", "clear"])
def test_a_recall_that_cannot_get_its_turn_in_time_scans(truth: Truth, method: str) -> None:
    """Decision 2: however long a disk takes, a recall waits no longer than its patience."""
    gate = Gate(method)
    follower = following(truth, MetReplica(MemoryVectorReplica(), gate.met), patience=0.0)
    remember_embedded(truth, 8, dimension=2)
    with ThreadPoolExecutor(1) as pool:
        commit = pool.submit(follower.commit)
        try:
            assert gate.reached.wait(BOUND)
            assert is_scan(recall_holds(follower, truth, NORTH))
            assert follower.status().applied < follower.status().head
        finally:
            gate.let_go.set()
        commit.result(BOUND)
    assert not is_scan(recall_holds(follower, truth, NORTH))


def test_patience_is_for_everything_that_a_recall_waits_for(truth: Truth) -> None:
    """Decision 2: what it has spent on the opening of the index is not spent again on its turn."""
    gate, clock = Gate("settle"), iter([0.0, 2 * BOUND])
    follower = VectorFollower(truth, SPACE, lambda: MetReplica(MemoryVectorReplica(), gate.met), lambda: next(clock), BOUND)
    remember_embedded(truth, 8, dimension=2)
    with ThreadPoolExecutor(1) as pool:
        commit = pool.submit(follower.commit)
        try:
            assert gate.reached.wait(BOUND)
            assert is_scan(recall_holds(follower, truth, NORTH))
        finally:
            gate.let_go.set()
        commit.result(BOUND)


def test_recalls_do_not_wait_for_an_index_that_is_being_opened(truth: Truth) -> None:
    """Decision 7: to open 100,000 vectors takes most of a second, and the recalls of that second scan."""
    begun, let_go = threading.Event(), threading.Event()

    def opening() -> MemoryVectorReplica:
        begun.set()
        assert let_go.wait(BOUND)
        return MemoryVectorReplica()

    follower = VectorFollower(truth, SPACE, opening, standing_still, BOUND)
    remember_embedded(truth, 8, dimension=2)
    with ThreadPoolExecutor(1) as pool:
        commit = pool.submit(follower.commit)
        try:
            assert begun.wait(BOUND)
            assert is_scan(recall_holds(follower, truth, NORTH))
        finally:
            let_go.set()
        commit.result(BOUND)
    assert not is_scan(recall_holds(follower, truth, NORTH))


def test_where_many_would_be_scanned_the_first_recall_opens_the_index_and_others_wait_for_it(truth: Truth) -> None:
    """Decision 9: a first recall that scans everything takes longer than to open an index that lies there."""
    begun, let_go = threading.Event(), threading.Event()
    replica = MemoryVectorReplica()
    remember_embedded(truth, SCANNED_AT_ONCE + 1, dimension=2)
    following(truth, replica).commit()

    def opening() -> MemoryVectorReplica:
        assert not begun.is_set(), "it is opened once"
        begun.set()
        assert let_go.wait(BOUND)
        return replica

    follower = VectorFollower(truth, SPACE, opening, standing_still, BOUND)
    hasty = VectorFollower(truth, SPACE, opening, standing_still, 0.0)
    hasty._opens = follower._opens
    with ThreadPoolExecutor(2) as pool:
        try:
            recalls = [pool.submit(recall_holds, follower, truth)]
            assert begun.wait(BOUND)
            recalls.append(pool.submit(recall_holds, follower, truth, NORTH))
            assert is_scan(recall_holds(hasty, truth, NORTH))
        finally:
            let_go.set()
        assert not any(is_scan(each.result(BOUND)) for each in recalls)


def test_an_index_is_closed_once_the_recall_that_uses_it_is_over(truth: Truth) -> None:
    """Decision 2: a server that stops does not take the index away under an answer."""
    closing = threading.Event()
    replica = MetReplica(MemoryVectorReplica(), lambda name: closing.set() if name == "close" else None)
    follower = following(truth, replica)
    remember_embedded(truth, 8, dimension=2)
    follower.commit()
    with ThreadPoolExecutor(1) as pool:
        with follower.steady() as steady, truth.reading() as reader:
            view = steady.at(reader)
            closed = pool.submit(follower.close)
            view.nearest(NORTH, 3)
            assert not closing.is_set()
        closed.result(BOUND)
    assert closing.is_set()


class Interrupted:
    """Does something in the midst of what a commit reads, the last deed first, and never amid another."""

    def __init__(self, at: str) -> None:
        self._at = at
        self._amid = False
        self.deeds: list[Callable[[], object]] = []

    def told(self, name: str, _: tuple[object, ...]) -> None:
        if name == self._at and self.deeds and not self._amid:
            self._amid = True
            self.deeds.pop()()
            self._amid = False


@pytest.mark.parametrize("at", ["TruthReader.head", "TruthReader.changes_after", "TruthReader.vectors", "TruthReader.space"])
@pytest.mark.parametrize("others", ["write", "write and recall"])
def test_what_a_commit_has_read_never_replaces_what_a_recall_has_put_since(truth: Truth, at: str, others: str) -> None:
    """Decision 1: the commit reads outside its turn; if a recall moved the index meanwhile, it reads again."""
    interrupted, replica = Interrupted(at), MetReplica(MemoryVectorReplica())
    follower = following(WatchedTruth(truth, interrupted.told), replica)
    remember_embedded(truth, 4, dimension=2)
    follower.commit()
    embed(truth, 1, 0.5, 0.5)
    embed(truth, 2, 0.5, 0.5)

    def meanwhile() -> None:
        embed(truth, 1, -0.5, 1.0)
        write(truth, entombed(3))
        if others == "write and recall":
            assert not is_scan(recall_holds(follower, truth, NORTH))

    interrupted.deeds = [meanwhile]
    follower.commit()
    assert not interrupted.deeds
    assert not is_scan(recall_holds(follower, truth, NORTH, asks(-0.5, 1.0)))
    follower.commit()
    assert follower.status().applied == follower.status().head
    assert not is_scan(recall_holds(follower, truth, NORTH, asks(-0.5, 1.0)))
    assert replica.cleared == [2]


def test_a_commit_that_recalls_overtake_again_and_again_comes_to_an_end(truth: Truth) -> None:
    """Decision 1: it has nothing left to do once they have brought the index to where the truth was when it began."""
    interrupted = Interrupted("TruthReader.changes_after")
    follower = following(WatchedTruth(truth, interrupted.told), MemoryVectorReplica())
    remember_embedded(truth, 4, dimension=2)
    follower.commit()
    remember(truth, "bare")

    def meanwhile() -> None:
        remember(truth, "bare")
        assert not is_scan(recall_holds(follower, truth))

    interrupted.deeds = [meanwhile] * 50
    follower.commit()
    assert len(interrupted.deeds) == 49


def test_a_commit_comes_to_an_end_though_others_write_faster_than_it_puts(truth: Truth) -> None:
    """Decision 1: what came after its beginning is the next commit's, so that what was put is settled in between."""
    interrupted, replica = Interrupted("TruthReader.changes_after"), MetReplica(MemoryVectorReplica())
    follower = following(WatchedTruth(truth, interrupted.told), replica)
    remember_embedded(truth, 4, dimension=2)
    follower.commit()
    interrupted.deeds = [lambda: remember_embedded(truth, 2 * STEP_POINTS, dimension=2)] * 20
    remember_embedded(truth, 2 * STEP_POINTS, dimension=2)
    follower.commit()
    assert len(interrupted.deeds) > 10
    assert replica.settled[-1] == replica.applied < follower.status().head
    assert not is_scan(recall_holds(follower, truth))


def test_a_commit_comes_to_an_end_though_the_truth_was_put_back_while_it_went_on(truth: Truth) -> None:
    """Decision 1: there is no getting to where it was when the commit began."""
    earlier = MemoryTruth(IDENTITY)
    for each in (truth, earlier):
        remember_embedded(each, 4, dimension=2)
    swapped, interrupted = Swapped(truth), Interrupted("TruthReader.last_number")
    follower = following(WatchedTruth(swapped, interrupted.told), MemoryVectorReplica())
    follower.commit()
    embed(truth, 1, 0.5, 0.5)

    def put_back() -> None:
        swapped.truth = earlier

    interrupted.deeds = [put_back]
    follower.commit()
    assert not interrupted.deeds
    assert follower.status().applied == follower.status().head
    assert not is_scan(recall_holds(follower, swapped, NORTH))


def test_a_capsule_that_changes_again_while_a_commit_goes_on_is_put_again(truth: Truth) -> None:
    """Decision 1: what the commit put in an earlier step is old news by then."""
    replica = MetReplica(MemoryVectorReplica(), lambda name: change() if name == "put" and replica.put_numbers else None)
    follower = following(truth, replica)
    remember_embedded(truth, 2 * STEP_POINTS + STEP_POINTS // 2, dimension=2)

    def change() -> None:
        if len(replica.put_numbers) == 1:
            embed(truth, 1, 0.0, 1.0)
            write(truth, entombed(2))

    follower.commit()
    assert replica.put_numbers[0][:2] == [1, 2]
    assert (replica.put_numbers[-1][-1:], replica.dropped_numbers[-1]) == ([1], [2])
    assert replica.cleared == [2]
    assert not is_scan(recall_holds(follower, truth, NORTH))


def test_a_recall_that_finds_damage_in_the_midst_of_a_commit_has_it_begin_anew_once(truth: Truth) -> None:
    """Decision 1: what was put before the index was emptied counts for nothing."""
    damaged: list[str] = []

    def met(name: str) -> None:
        if name in damaged:
            raise ReplicaDamaged(f"a byte is flipped under {name}")

    interrupted, replica = Interrupted("TruthReader.vectors"), MetReplica(MemoryVectorReplica(), met)
    follower = following(WatchedTruth(truth, interrupted.told), replica)
    remember_embedded(truth, 2 * STEP_POINTS, dimension=2)

    def meanwhile() -> None:
        damaged.append("nearest")
        recall_holds(follower, truth, NORTH)
        damaged.clear()

    interrupted.deeds = [meanwhile, lambda: None]
    follower.commit()
    assert replica.cleared == [2, 2]
    assert follower.alarms == 1
    assert not is_scan(recall_holds(follower, truth, NORTH))


@pytest.mark.parametrize("often", [0.0, 0.02])
def test_threads_that_write_commit_rebuild_and_recall_at_once_each_see_their_own_snapshot(truth: Truth, often: float) -> None:
    """Decision 1: in any interleaving, with and without damage; nothing deadlocks."""
    weather, turn = random.Random(1), threading.Lock()

    def met(name: str) -> None:
        with turn:
            struck = weather.random() < often
        if struck and name != "close":
            raise ReplicaDamaged(f"a byte is flipped under {name}")

    follower = VectorFollower(truth, SPACE, lambda: MetReplica(MemoryVectorReplica(), met), time.monotonic, BOUND)
    scene, done = VectorScene(1), threading.Event()
    write(truth, *(scene.write() for _ in range(30)))

    def keep(deed: Callable[[], object]) -> int:
        times = 0
        while not done.is_set():
            try:
                deed()
            except ReplicaDamaged:
                assert often
            times += 1
        return times

    def write_on() -> None:
        for _ in range(300):
            write(truth, scene.write())

    def recall() -> None:
        recall_holds(follower, truth, *(query for query in questions if query.vector.dimension == 3))

    questions = [VectorScene(seed).query() for seed in range(3)]
    with ThreadPoolExecutor(7) as pool:
        others = [pool.submit(keep, deed) for deed in (recall, recall, recall, follower.commit, follower.status)]
        others.append(pool.submit(keep, lambda: follower.rebuild(lambda _done, _total: None)))
        try:
            pool.submit(write_on).result(BOUND)
        finally:
            done.set()
        assert all(each.result(BOUND) for each in others)
    follower.close()
    assert is_scan(recall_holds(follower, truth, *questions))
