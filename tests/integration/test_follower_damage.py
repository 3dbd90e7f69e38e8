"""A replica that is behind, damaged, emptied or of another history: the follower puts it right by itself, or says so in time."""

import threading
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recordance.domain.change import ChangeSet
from recordance.domain.instant import Instant
from recordance.errors import Fault, MissingState, ReplicaDamaged, StateKind
from recordance.ports.terms import TermReplica, TermSnapshot
from recordance.ports.truth import Truth
from recordance.query.document import TermDocument
from recordance.usecases.follow import CATCH_UP_ROWS, OVERLAY_ROWS, TermFollower
from recordance_adapters.driven.in_memory.terms import MemoryReplica
from support.documents import REPLICAS, adopted, asking, document, put
from support.replicas import Faults, FaultyReplica, holds
from support.stores import standing_still
from support.truths import NOON, captured, entombed, make_capture, opened, remember, stands, write

TOKIO = asking("tokio")
BOUND = 60.0


@pytest.fixture
def truth(tmp_path: Path) -> Iterator[Truth]:
    with opened("in_memory", tmp_path) as truth:
        yield truth


@pytest.fixture(params=REPLICAS)
def replica(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TermReplica]:
    with adopted(request.param, tmp_path) as replica:
        yield replica


class Ticking:
    """A monotonic clock of which each reading costs so many seconds."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._now = 0.0

    def __call__(self) -> float:
        self._now += self.seconds
        return self._now


def shown(follower: TermFollower) -> int:
    """How many capsules a recall finds; it must be what the truth has."""
    with follower.at_head() as view:
        holds(view, TOKIO)
        return view.terms.tally(TOKIO).eligible


def many(truth: Truth, count: int) -> None:
    captures = [make_capture(number + 1, f"tokio {number}") for number in range(count)]
    write(truth, ChangeSet().then(captured(*captures)))


def test_a_catch_up_beyond_the_patience_is_an_honest_error_and_goes_on_next_time(truth: Truth) -> None:
    """Decision 1: the recall says how far the index is; what was caught up stays."""
    many(truth, 3 * CATCH_UP_ROWS)
    follower = TermFollower(truth, MemoryReplica(), Ticking(seconds=15.0), patience=20.0)
    applied = []
    for _ in range(2):
        with pytest.raises(MissingState) as refused, follower.at_head():
            pytest.fail("there is nothing to show yet")
        assert refused.value.kind is StateKind.INDEX_BEHIND
        assert (refused.value.data["head"], refused.value.data["applied"]) == (3 * CATCH_UP_ROWS, follower.status().applied)
        assert "ask again" in refused.value.message
        applied.append(refused.value.data["applied"])
    assert applied == [CATCH_UP_ROWS, 2 * CATCH_UP_ROWS]
    with follower.at_head() as view:
        assert view.terms.tally(TOKIO).eligible == 3 * CATCH_UP_ROWS


class Held(MemoryReplica):
    """A replica whose writes wait until a test lets them go."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.let_go = threading.Event(), threading.Event()

    def replace(self, numbers: Collection[int], documents: Iterable[TermDocument], seq: int, mark: str = "") -> None:
        self.begun.set()
        assert self.let_go.wait(BOUND)
        super().replace(numbers, documents, seq, mark)


def test_a_recall_waits_no_longer_than_its_patience_for_another_that_writes(truth: Truth) -> None:
    """Decision 1: a large import elsewhere cannot hang a recall; a small lag is shown from the overlay without waiting."""
    replica = Held()
    follower = TermFollower(truth, replica, standing_still, patience=0.0)
    remember(truth, "tokio")
    with ThreadPoolExecutor(1) as pool:
        commit = pool.submit(follower.commit)
        try:
            assert replica.begun.wait(BOUND)
            assert shown(follower) == 1
            remember(truth, *(f"tokio {place}" for place in range(OVERLAY_ROWS)))
            with pytest.raises(MissingState) as refused, follower.at_head():
                pytest.fail("the overlay must not grow without bound")
            assert refused.value.kind is StateKind.INDEX_BEHIND
        finally:
            replica.let_go.set()
        commit.result(BOUND)
    assert shown(follower) == OVERLAY_ROWS + 1


def test_what_is_written_while_a_commit_is_under_way_stays_in_the_overlay(truth: Truth) -> None:
    """Decision 1: the commit takes from the overlay what it wrote and nothing else, whether changed, new or gone."""
    replica = Held()
    follower = TermFollower(truth, replica, standing_still)
    remember(truth, "tokio one", "tokio two", "tokio three")
    with follower.at_head() as before, ThreadPoolExecutor(1) as pool:
        commit = pool.submit(follower.commit)
        try:
            assert replica.begun.wait(BOUND)
            write(truth, entombed(1), stands(2, archived_at=1))
            remember(truth, "tokio four")
            assert shown(follower) == 2
        finally:
            replica.let_go.set()
        commit.result(BOUND)
        status = follower.status()
        assert (status.applied, status.overlay) == (3, 3)
        assert shown(follower) == 2
        holds(before, TOKIO)


def test_a_rebuild_that_a_recall_could_not_finish_is_gone_on_with(truth: Truth) -> None:
    """Decision 1: damage in a large store costs several recalls their answer at worst, and none of them a wrong one."""
    many(truth, 2 * CATCH_UP_ROWS)
    faults, clock = Faults(), Ticking(seconds=0.0)
    follower = TermFollower(truth, FaultyReplica(MemoryReplica(), faults), clock, patience=20.0)
    follower.commit()
    remember(truth, "tokio later")
    with follower.at_head() as view:
        faults.unreadable = True
        clock.seconds = 15.0
        with pytest.raises(MissingState) as refused:
            view.terms.tally(TOKIO)
    assert refused.value.kind is StateKind.INDEX_BEHIND
    clock.seconds = 0.0
    assert shown(follower) == 2 * CATCH_UP_ROWS + 1
    assert faults.clears == 1


def test_an_index_that_lost_documents_is_filled_again_by_the_first_recall(truth: Truth, replica: TermReplica) -> None:
    """case D3, case D5: an empty index is not "consistent" when the table is full; counts are compared."""
    remember(truth, "tokio one", "tokio two", "other")
    TermFollower(truth, replica, standing_still).commit()
    replica.replace([1, 2, 3], (), replica.applied)
    assert replica.snapshot().document_count == 0
    assert shown(TermFollower(truth, replica, standing_still)) == 2
    assert replica.snapshot().document_count == 3


def test_lost_documents_are_noticed_under_an_overlay_too(truth: Truth, replica: TermReplica) -> None:
    """case D5: a store that is written to all the time is held to its counts as well."""
    remember(truth, "tokio one", "tokio two", "other")
    TermFollower(truth, replica, standing_still).commit()
    replica.replace([2], (), replica.applied)
    remember(truth, "tokio three")
    write(truth, entombed(1))
    assert shown(TermFollower(truth, replica, standing_still)) == 2


def test_a_replica_that_is_ahead_of_its_truth_begins_anew(truth: Truth, replica: TermReplica) -> None:
    """Decision 1: a truth put back from a backup has another history; what the index holds of it is worth nothing."""
    put(replica, [document(1, "tokio of another history")], seq=7)
    remember(truth, "tokio", "other")
    assert shown(TermFollower(truth, replica, standing_still)) == 1
    assert (replica.applied, replica.snapshot().document_count) == (2, 2)


def test_a_replica_of_another_history_begins_anew_even_where_the_counts_agree(tmp_path: Path, replica: TermReplica) -> None:
    """Decision 1, case D3: a truth put back from a backup that then grew past the replica shows none of the lost rows' words."""
    with opened("in_memory", tmp_path) as lost, opened("in_memory", tmp_path) as truth:
        remember(lost, "tokio", "tokio", "other")
        TermFollower(lost, replica, standing_still).commit()
        later = [make_capture(2 + place, content) for place, content in enumerate(("other", "another", "third"))]
        remember(truth, "tokio")
        write(truth, captured(*later), at=Instant(NOON + 1))  # no two histories are written at the same instants
        follower = TermFollower(truth, replica, standing_still)
        assert replica.snapshot().document_count == 3 < follower.status().head
        assert shown(follower) == 1
        assert replica.snapshot().document_count == 4


def test_a_truth_put_back_while_a_follower_looks_is_followed_from_there(tmp_path: Path, replica: TermReplica) -> None:
    """Decision 1: the overlay of rows that no longer exist goes as well."""
    with opened("in_memory", tmp_path) as truth, opened("in_memory", tmp_path) as earlier:
        remember(truth, "tokio", "tokio", "other")
        remember(earlier, "tokio")
        swapped = Swapped(truth)
        follower = TermFollower(swapped, replica, standing_still)
        assert shown(follower) == 2
        swapped.truth = earlier
        assert shown(follower) == 1
        follower.commit()
        assert shown(follower) == 1


@pytest.mark.parametrize("first", ["a recall", "a commit", "a purge"])
@pytest.mark.parametrize("lost_rows", ["in the index", "in the overlay"])
def test_a_truth_put_back_that_grew_past_a_running_follower_is_followed_anew(
    tmp_path: Path, replica: TermReplica, first: str, lost_rows: str
) -> None:
    """Decision 1, case D3: a standby that takes over without the last rows goes on from there, and counts may agree."""
    with opened("in_memory", tmp_path) as lost, opened("in_memory", tmp_path) as truth:
        for each in (lost, truth):
            remember(each, "tokio")
        remember(lost, "other", "other")
        write(truth, captured(*(make_capture(2 + place, "tokio") for place in range(4))), at=Instant(NOON + 1))
        swapped = Swapped(lost)
        follower = TermFollower(swapped, replica, standing_still)
        assert shown(follower) == 1
        if lost_rows == "in the index":
            follower.commit()
        swapped.truth = truth
        {"a recall": lambda: None, "a commit": follower.commit, "a purge": follower.purge}[first]()
        assert shown(follower) == 5
        follower.commit()
        assert shown(follower) == 5


class Swapped:
    """A truth that can be put back."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth

    def __getattr__(self, name: str) -> object:
        return getattr(self.truth, name)


def test_a_recall_that_meets_damage_rebuilds_the_replica_and_still_answers(truth: Truth, replica: TermReplica) -> None:
    """Decision 1: the user of a store with a flipped byte sees an answer, not a stack; every question of the recall works."""
    remember(truth, "tokio one", "tokio two", "other")
    faults = Faults()
    follower = TermFollower(truth, FaultyReplica(replica, faults), standing_still)
    follower.commit()
    for question in ("frequencies", "proposals", "tally"):
        with follower.at_head() as view:
            faults.unreadable = True
            write(truth, entombed(1)) if question == "tally" else None
            holds(view, TOKIO)
        assert not faults.unreadable
    assert faults.clears == 3
    assert shown(follower) == 1


def test_recalls_that_meet_damage_together_rebuild_once(truth: Truth, replica: TermReplica) -> None:
    """Decision 1: the second finds what the first has put right, even if it looks at an earlier or a later head."""
    remember(truth, "tokio one", "tokio two", "other")
    faults = Faults()
    follower = TermFollower(truth, FaultyReplica(replica, faults), standing_still)
    follower.commit()
    with follower.at_head() as first:
        remember(truth, "tokio three")
        with follower.at_head() as second:
            faults.unreadable = True
            holds(first, TOKIO)
            holds(second, TOKIO)
            assert faults.clears == 1
            faults.unreadable = True
            follower.commit()
            with follower.at_head() as third:
                holds(third, TOKIO)
            holds(first, TOKIO)
            holds(second, TOKIO)


def test_a_disk_that_takes_no_writes_leaves_recalls_as_they_are(truth: Truth, replica: TermReplica) -> None:
    """Decision 1: what cannot be committed is shown from the overlay, and committed when the disk takes it again."""
    faults = Faults()
    follower = TermFollower(truth, FaultyReplica(replica, faults), standing_still)
    remember(truth, "tokio")
    faults.failing_writes = 1
    with pytest.raises(Fault):
        follower.commit()
    assert (shown(follower), replica.applied, faults.clears) == (1, 0, 0)
    follower.commit()
    assert (shown(follower), replica.applied, faults.clears) == (1, 1, 0)


def test_a_rebuild_tells_how_far_it_is_and_ends_with_the_same_answers(truth: Truth, replica: TermReplica) -> None:
    """Decision 1: whoever waits sees that it goes on; nothing but the index changes."""
    many(truth, CATCH_UP_ROWS + 10)
    follower = TermFollower(truth, replica, standing_still)
    assert shown(follower) == CATCH_UP_ROWS + 10
    told: list[tuple[int, int]] = []
    follower.rebuild(lambda done, total: told.append((done, total)))
    assert told == [(CATCH_UP_ROWS, CATCH_UP_ROWS + 10), (CATCH_UP_ROWS + 10, CATCH_UP_ROWS + 10)]
    assert shown(follower) == CATCH_UP_ROWS + 10
    assert follower.status().overlay == 0


class Forgetful(MemoryReplica):
    """A replica that never holds what it was given."""

    def replace(self, numbers: Collection[int], documents: Iterable[TermDocument], seq: int, mark: str = "") -> None:
        super().replace(numbers, list(documents)[1:], seq)


def test_a_replica_that_stays_wrong_after_a_rebuild_is_a_fault_and_not_a_loop(truth: Truth) -> None:
    """Decision 1: wrong counts after everything was written anew are nobody's lag."""
    many(truth, OVERLAY_ROWS + 1)
    follower = TermFollower(truth, Forgetful(), standing_still)
    with pytest.raises(ReplicaDamaged), follower.at_head():
        pytest.fail("it holds too few documents")


def test_a_snapshot_outlives_the_replica_that_is_emptied_under_it(replica: TermReplica) -> None:
    """Decision 2: a recall in flight reads on while files go."""
    put(replica, [document(number, "tokio") for number in range(1, 40)])
    before: TermSnapshot = replica.snapshot()
    replica.clear(0)
    put(replica, [document(1, "other")])
    assert before.tally(TOKIO, ()).eligible == 39
    assert replica.snapshot().tally(TOKIO, ()).eligible == 0
