"""The pacemaker: when a commit is due, and that nothing ends its thread but a stop."""

import itertools
import logging
import threading
from collections.abc import Sequence

import pytest

from recordance.errors import ModelFailed, ReplicaDamaged, StateKind, StoreUnusable
from recordance.usecases.follow import FollowerStatus
from recordance_adapters.driven.system.pacemaker import Background, Backlog, Pacemaker, Timings, grown

TIMINGS = Timings(quiet=0.05, longest=1.0, rows=1_000)
BOUND = 20.0


class Ledger:
    """A follower over a number of rows: everything that waits is applied by a commit. Fails as often as it is told to."""

    def __init__(self, *, failures: int = 0, failing: Sequence[Exception] = ()) -> None:
        self.rows = 0
        self.applied = 0
        self.failures = [*failing, *(ReplicaDamaged("the disk is full") for _ in range(failures))]
        self.caught_up = threading.Condition()

    def write(self) -> None:
        with self.caught_up:
            self.rows += 1

    def status(self) -> FollowerStatus:
        return FollowerStatus(self.rows, self.applied, self.rows - self.applied)

    def commit(self) -> None:
        with self.caught_up:
            if self.failures:
                raise self.failures.pop(0)
            self.applied = self.rows
            self.caught_up.notify_all()

    def is_applied(self, rows: int) -> bool:
        with self.caught_up:
            return self.caught_up.wait_for(lambda: self.applied >= rows, BOUND)


def status(head: int, applied: int) -> FollowerStatus:
    return FollowerStatus(head, applied, head - applied)


def test_a_commit_is_due_after_the_quiet_that_follows_the_last_write() -> None:
    """A lone write is committed soon, but not while more may come."""
    backlog = grown(None, status(1, 0), now=10.0)
    assert backlog.remaining(10.0, TIMINGS) == pytest.approx(0.05)
    assert backlog.remaining(10.05, TIMINGS) == 0.0


def test_each_write_begins_the_quiet_anew_but_not_the_longest_wait() -> None:
    """Under steady writing a commit comes once in a while and not never."""
    backlog = grown(None, status(1, 0), now=10.0)
    for step in range(1, 40):
        backlog = grown(backlog, status(1 + step, 0), now=10.0 + step * 0.025)
        assert backlog.remaining(10.0 + step * 0.025, TIMINGS) > 0.0
    assert backlog.remaining(11.0, TIMINGS) == 0.0


def test_a_look_without_a_write_does_not_begin_the_quiet_anew() -> None:
    """Looking is not writing."""
    backlog = grown(grown(None, status(1, 0), now=10.0), status(1, 0), now=10.04)
    assert backlog == Backlog(head=1, since=10.0, moved=10.0, rows=1)


def test_an_index_that_was_emptied_is_filled_after_a_longer_quiet() -> None:
    """Decision 11: whoever forgets one capsule often forgets the next at once, and each empties it again."""
    backlog = grown(None, FollowerStatus(100_000, 99_999, 1, emptied=True), now=10.0)
    assert TIMINGS.anew > TIMINGS.quiet
    for step in range(1, 20):
        assert backlog.remaining(9.9 + step * 0.1, TIMINGS) == pytest.approx(TIMINGS.anew)
        backlog = grown(backlog, FollowerStatus(100_000 + step, 99_999, 1, emptied=True), now=10.0 + step * 0.1)
    assert backlog.remaining(11.9 + TIMINGS.anew, TIMINGS) == 0.0


def test_an_index_that_was_emptied_does_not_wait_for_quiet_when_many_rows_lie_above_it() -> None:
    """Decision 1: what recalls judge one by one must not pile up, whatever it is that goes on."""
    assert grown(None, FollowerStatus(100_000, 99_000, 1_000, emptied=True), now=10.0).remaining(10.0, TIMINGS) == 0.0


def test_many_rows_are_due_at_once() -> None:
    """A recall judges what waits one by one; a large import must not pile up."""
    assert grown(None, status(1_000, 0), now=10.0).remaining(10.0, TIMINGS) == 0.0


def running(ledger: Ledger, **timings: float) -> Pacemaker:
    pacemaker = Pacemaker(ledger, lambda: 0, Timings(**{"quiet": 0.001, "poll": BOUND, **timings}))
    pacemaker.start()
    return pacemaker


def test_what_a_former_process_left_behind_is_committed_at_the_start() -> None:
    """A process that was killed between its answer and its commit leaves rows that somebody must apply."""
    ledger = Ledger()
    ledger.write()
    pacemaker = running(ledger)
    assert ledger.is_applied(1)
    assert pacemaker.stop()


def test_a_write_of_this_process_wakes_the_thread() -> None:
    """The probe's rhythm is far too long here: only the waking can have brought the commit."""
    ledger = Ledger()
    pacemaker = running(ledger)
    for rows in range(1, 20):
        ledger.write()
        pacemaker.wake()
        assert ledger.is_applied(rows)
    assert pacemaker.stop()


def test_a_write_of_another_process_is_noticed_by_the_probe() -> None:
    """case C1: several servers share a store, and each applies what the others write, unasked."""
    ledger = Ledger()
    pacemaker = Pacemaker(ledger, lambda: ledger.rows, Timings(quiet=0.001, poll=0.001))
    pacemaker.start()
    for rows in range(1, 20):
        ledger.write()
        assert ledger.is_applied(rows)
    assert pacemaker.stop()


def test_a_failing_commit_is_logged_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    """case C7: an index that cannot be written today is written tomorrow; it is never forgotten about."""
    ledger = Ledger(failures=2)
    ledger.write()
    with caplog.at_level(logging.WARNING):
        pacemaker = running(ledger)
        assert ledger.is_applied(1)
        assert pacemaker.stop()
    assert len([record for record in caplog.records if "next try" in record.message]) == 2


def test_a_commit_that_gets_on_is_tried_again_soon(caplog: pytest.LogCaptureFixture) -> None:
    """Decision 10: texts that a model does not take, here and there, hold up the others no longer each time."""

    class Stumbling(Ledger):
        """Takes one row a commit, and fails before each."""

        def commit(self) -> None:
            with self.caught_up:
                self.failures = self.failures or [ReplicaDamaged("this row is not taken"), ReplicaDamaged("")]
                failure = self.failures.pop(0)
                if len(self.failures) == 1:
                    raise failure
                self.applied += 1
                self.caught_up.notify_all()

    ledger = Stumbling()
    for _ in range(3):
        ledger.write()
    with caplog.at_level(logging.WARNING):
        pacemaker = running(ledger)
        assert ledger.is_applied(3)
        assert pacemaker.stop()
    told = [record.message for record in caplog.records if "next try" in record.message]
    assert [message.rpartition("next try in ")[2] for message in told] == ["0.25 s"] * 3


def test_of_a_model_that_fails_the_log_tells_once_for_each_reason(caplog: pytest.LogCaptureFixture) -> None:
    """Decision 10: why contents wait, and that they wait no more; no trace, which would say less."""
    reasons = ["cannot be reached", "cannot be reached", "was refused its key"]
    ledger = Ledger(failing=[ModelFailed(f"status: {why}", why=why) for why in reasons])
    ledger.write()
    with caplog.at_level(logging.WARNING):
        pacemaker = running(ledger)
        assert ledger.is_applied(1)
        assert pacemaker.stop()
    waits = "contents wait to be embedded, for the model {0}: status: {0}"
    told = [waits.format(why) for why in dict.fromkeys(reasons)]
    assert [record.message for record in caplog.records] == [*told, "the model answers again"]
    assert not any(record.exc_info for record in caplog.records)


def test_a_failing_probe_does_not_end_the_thread() -> None:
    """The store may be away for a moment; the thread must be there when it is back."""
    ledger, looks = Ledger(), itertools.count()

    def changed() -> int:
        if next(looks) == 0:
            raise OSError("gone for a moment")
        return ledger.rows

    ledger.write()
    pacemaker = Pacemaker(ledger, changed, Timings(quiet=0.001, poll=0.001))
    pacemaker.start()
    assert ledger.is_applied(1)
    assert pacemaker.stop()


def test_the_thread_keeps_no_process_alive_and_says_when_it_could_not_be_ended() -> None:
    """A server ends with its input, whatever its index is doing."""

    class Stuck(Ledger):
        def __init__(self) -> None:
            super().__init__()
            self.entered, self.released = threading.Event(), threading.Event()

        def commit(self) -> None:
            self.entered.set()
            self.released.wait(BOUND)
            super().commit()

    others = set(threading.enumerate())
    ledger = Stuck()
    ledger.write()
    pacemaker = running(ledger)
    assert ledger.entered.wait(BOUND)
    own = [thread for thread in set(threading.enumerate()) - others if thread.name == "recordance-pacemaker"]
    assert [thread.daemon for thread in own] == [True]
    assert not pacemaker.stop()
    ledger.released.set()
    assert ledger.is_applied(1)


class Purge:
    """What is to be purged: so many attempts leave something. Counts the attempts, and notes what was applied at each."""

    def __init__(self, ledger: Ledger, *, unfinished: int = 0) -> None:
        self.ledger = ledger
        self.unfinished = unfinished
        self.attempts: list[int] = []
        self.attempted = threading.Condition()

    def __call__(self) -> bool:
        with self.attempted:
            self.attempts.append(self.ledger.applied)
            self.unfinished -= 1
            self.attempted.notify_all()
            return self.unfinished < 0

    def was_attempted(self, times: int) -> bool:
        with self.attempted:
            return self.attempted.wait_for(lambda: len(self.attempts) >= times, BOUND)


def test_what_was_forgotten_is_purged_at_the_start_before_anything_is_committed() -> None:
    """W6: a process may have died between a forget and its purge; an index that is begun anew needs no commit before."""
    ledger = Ledger()
    ledger.write()
    purge = Purge(ledger)
    pacemaker = Pacemaker(ledger, lambda: 0, Timings(quiet=0.001, poll=BOUND), purge)
    pacemaker.start()
    assert ledger.is_applied(1)
    assert pacemaker.stop()
    assert purge.attempts == [0]


def test_a_write_of_anybody_lets_the_purge_look_again() -> None:
    """W6: a forget is a write like any other, and those who hold an index learn of it by the same probe."""
    ledger = Ledger()
    purge = Purge(ledger)
    pacemaker = Pacemaker(ledger, lambda: ledger.rows, Timings(quiet=0.001, poll=0.001), purge)
    pacemaker.start()
    assert purge.was_attempted(1)
    ledger.write()
    assert purge.was_attempted(2)
    assert pacemaker.stop()


def test_whoever_waits_for_a_purge_is_not_kept_waiting_for_quiet() -> None:
    """Decision 11: with this spell of quiet and this poll, only the hurry can have brought the second attempt."""
    ledger = Ledger()
    purge = Purge(ledger)
    pacemaker = Pacemaker(ledger, lambda: 0, Timings(quiet=BOUND, longest=BOUND, poll=BOUND), purge)
    pacemaker.start()
    assert purge.was_attempted(1)
    ledger.write()
    pacemaker.urge()
    assert purge.was_attempted(2)
    assert pacemaker.stop()


@pytest.mark.parametrize(
    "timings", [{"poll": 0.001}, {"poll": BOUND, "again": 0.001}], ids=["asking often", "being told of writes"]
)
def test_a_purge_that_leaves_something_is_taken_up_again_by_itself(timings: dict[str, float]) -> None:
    """W6: a log that somebody reads from, or another process that has yet to purge, is no write that the probe would notice.

    Whoever is told of writes asks seldom, and is no later with this for it: other hosts wait for the word that it is done.
    """
    ledger = Ledger()
    purge = Purge(ledger, unfinished=3)
    pacemaker = Pacemaker(ledger, lambda: 0, Timings(quiet=0.001, **timings), purge)
    pacemaker.start()
    assert purge.was_attempted(4)
    assert pacemaker.stop()


def test_a_purge_that_fails_is_logged_and_taken_up_again(caplog: pytest.LogCaptureFixture) -> None:
    """W6: a full disk keeps forgotten words on it only as long as it is full."""
    ledger = Ledger()
    purge = Purge(ledger)
    failures = iter([ReplicaDamaged("the disk is full")])

    def failing() -> bool:
        for failure in failures:
            raise failure
        return purge()

    pacemaker = Pacemaker(ledger, lambda: 0, Timings(quiet=0.001, poll=BOUND), failing)
    with caplog.at_level(logging.WARNING):
        pacemaker.start()
        assert purge.was_attempted(1)
        assert pacemaker.stop()
    assert len([record for record in caplog.records if "next try" in record.message]) == 1


# ── a truth that is away ──────────────────────────────────────────────────────────────────────────────────────────────────────


class Away:
    """A probe of a truth on a server, which fails as long as the server is away."""

    def __init__(self) -> None:
        self.away = True
        self.asked = threading.Semaphore(0)

    def __call__(self) -> int:
        self.asked.release()
        if self.away:
            raise StoreUnusable("refused", kind=StateKind.STORE_UNREACHABLE)
        return 0


def test_of_a_truth_that_is_away_the_log_tells_once_and_that_it_is_back(caplog: pytest.LogCaptureFixture) -> None:
    """Decision 8: a line four times a second would bury what else the log has to say."""
    ledger, away = Ledger(), Away()
    pacemaker = Pacemaker(ledger, away, Timings(quiet=0.001, poll=BOUND))
    with caplog.at_level(logging.WARNING):
        pacemaker.start()
        for _ in range(3):
            assert away.asked.acquire(timeout=BOUND)
        away.away = False
        ledger.write()
        pacemaker.hear()
        assert ledger.is_applied(1)
        assert pacemaker.stop()
    assert [record.message.partition(",")[0] for record in caplog.records] == ["the truth is away", "the truth is back"]
    assert not any(record.exc_info for record in caplog.records)


def test_whoever_hears_that_the_truth_is_back_does_not_sit_out_the_pause() -> None:
    """Decision 8: a service recovers by itself, and soon."""
    ledger, away = Ledger(), Away()
    pacemaker = Pacemaker(ledger, away, Timings(quiet=0.001, poll=BOUND))
    pacemaker.start()
    for _ in range(20):  # pauses that double would come to days
        assert away.asked.acquire(timeout=BOUND)
        pacemaker.hear()
    away.away = False
    ledger.write()
    pacemaker.hear()
    assert ledger.is_applied(1)
    assert pacemaker.stop()


def test_what_a_commit_still_needs_is_let_go_once_it_has_ended() -> None:
    """Whoever ends waits a second for a commit, and takes nothing away from one that takes longer, nor leaves it for ever."""
    begun, goes_on, let_go = threading.Event(), threading.Event(), threading.Event()

    class Slow(Ledger):
        def commit(self) -> None:
            begun.set()
            goes_on.wait(BOUND)
            super().commit()

    ledger, background = Slow(), Background()
    background.add(Pacemaker(ledger, lambda: ledger.rows, TIMINGS))
    background.start()
    ledger.write()
    background.wake()
    assert begun.wait(BOUND)
    assert not background.stop()
    background.outlast(let_go.set)
    assert not let_go.is_set()
    goes_on.set()
    assert let_go.wait(BOUND)
