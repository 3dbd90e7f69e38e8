"""Several processes on one Postgres, and a server that goes away and comes back."""

import random
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import psycopg
import pytest

from recordance.errors import RecordanceError, StateKind, StoreUnusable
from recordance.ports.truth import TruthReader
from recordance_adapters.driven.sql_truth.acknowledging import Acknowledgement
from recordance_adapters.driven.sql_truth.opening import open_postgres_truth
from recordance_adapters.driven.sql_truth.postgres_connecting import Driver
from recordance_adapters.driven.sql_truth.postgres_watch import PostgresWatch
from recordance_adapters.driven.sql_truth.truth import SqlTruth
from support import postgres_stores
from support.postgres_server import PostgresServer, a_server, wait_until
from support.truth_writers import content_of, writing, written_at_once
from support.truths import IDENTITY, NOON, entombed, open_truth, remember, write

EACH = 30


@pytest.fixture
def store(tmp_path: Path) -> str:
    """The URL of an empty store."""
    return postgres_stores.database_of(tmp_path, IDENTITY)


@pytest.fixture
def truth(store: str) -> Iterator[SqlTruth]:
    with closing(open_postgres_truth(store)) as truth:
        yield truth


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server of this module's own, every write on the disk."""
    with a_server() as server:
        yield server


def assert_whole(reader: TruthReader) -> None:
    """No gap in numbers or seqs, a text each, counters that count."""
    numbers = list(range(1, reader.last_number() + 1))
    assert list(reader.contents(numbers)) == numbers
    journal = reader.journal(0, 10**6)
    assert [row.seq for row in journal] == list(range(1, reader.head() + 1))
    assert [row.capsule for row in journal] == numbers
    assert reader.corpus().capsules == len(numbers)


def test_processes_that_write_at_once_leave_no_gap_and_lose_nothing(store: str, truth: SqlTruth) -> None:
    """case C1, case C5: three processes on one database; what each was answered is there, in the order of the answers."""
    with writing(store, "ann", "bob", "cid", count=EACH) as writers:
        answers = written_at_once(writers)
    with truth.reading() as reader:
        assert_whole(reader)
        assert reader.last_number() == 3 * EACH
        for name, numbers in answers.items():
            assert numbers == sorted(numbers)
            assert list(reader.contents(numbers).values()) == [content_of(name, place) for place in range(1, EACH + 1)]


def test_every_write_that_was_answered_survives_the_end_of_its_process(store: str, truth: SqlTruth) -> None:
    """W1, case C6: a process that is killed amidst a write leaves nothing half, and its turn to others."""
    chance = random.Random(7)
    answered: dict[int, str] = {}
    for name in ("first", "second"):
        with writing(store, name) as (writer,):
            writer.go()
            said = writer.killed_after(chance.randrange(1, 40))
        answered |= {number: content_of(name, place) for place, (_, number) in enumerate(said, 1)}
    with truth.reading() as reader:
        assert reader.contents(answered) == answered
        assert_whole(reader)
    assert remember(truth, "next")


def test_a_snapshot_does_not_wait_for_a_writer_nor_see_it(store: str, truth: SqlTruth) -> None:
    """case C3: a recall goes on while another process writes, and sees nothing of it before its commit."""
    with closing(open_postgres_truth(store)) as other, other.writing() as writer:
        writer.clear_misses(None)
        with truth.reading() as reader:
            assert reader.head() == 0


def test_a_server_that_is_stopped_and_started_is_used_again(server: PostgresServer) -> None:
    """case D3: everybody is told meanwhile, and afterwards the same process goes on by itself, its watch too."""
    heard = threading.Event()
    with closing(open_postgres_truth(server.url, schema="stopped")) as truth:
        remember(truth, "before")
        with closing(truth.watch(heard.set)) as watch:
            assert watch.listening(30)
            server.stop()
            for use in (lambda: remember(truth, "x"), lambda: truth.reading().__enter__(), truth.data_version):
                with pytest.raises(StoreUnusable) as told:
                    use()
                assert told.value.kind is StateKind.STORE_UNREACHABLE
            assert truth.damage()
            heard.clear()
            server.start()
            assert heard.wait(30), "what was not heard while the server was gone is made up for by one call"
        assert remember(truth, "after") == [2]
        with truth.reading() as reader:
            assert list(reader.contents([1, 2]).values()) == ["before", "after"]


def test_a_server_that_crashes_under_load_loses_nothing_that_was_answered(server: PostgresServer) -> None:
    """W1, case C6: killed while three write; every answer holds, every error is one, and all go on when it is back."""
    answered: list[tuple[int, str]] = []
    ended = threading.Event()
    with closing(open_postgres_truth(server.url, schema="crashed", connect_timeout=1)) as truth:

        def write_on(name: str) -> None:
            place = 0
            while not ended.is_set():
                place += 1
                with suppress(RecordanceError):
                    (number,) = remember(truth, f"{name} {place}")
                    answered.append((number, f"{name} {place}"))

        with ThreadPoolExecutor(3) as pool:
            writers = [pool.submit(write_on, name) for name in ("ann", "bob", "cid")]
            wait_until(lambda: len(answered) > 30, "some were answered")
            server.kill()
            before = len(answered)
            server.start()
            wait_until(lambda: len(answered) > before + 10, "more were answered after the crash")
            ended.set()
            for writer in writers:
                writer.result(60)
        with truth.reading() as reader:
            assert_whole(reader)
            assert reader.contents([number for number, _ in answered]) == dict(answered)


def test_commits_of_others_are_heard_and_ones_own_are_not(store: str, truth: SqlTruth) -> None:
    """Whoever follows the journal is woken by another process's commit, at once and without looking."""
    heard = threading.Semaphore(0)
    with closing(open_postgres_truth(store)) as other, closing(truth.watch(heard.release)):
        assert heard.acquire(timeout=30), "it begins with a look"
        remember(truth, "own")
        remember(other, "other's")
        assert heard.acquire(timeout=30)
        assert not heard.acquire(blocking=False)


def test_a_watch_ends_quietly_while_it_waits_for_the_server() -> None:
    """Whoever closes a store whose server is away is told of no socket that the watch has just closed itself."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # let the two threads meet at every point
    try:
        for _ in range(300):
            tried = threading.Event()
            watch = PostgresWatch(partial(_away, tried), "channel", "own", tried.set)
            assert tried.wait(30)
            watch.close()
    finally:
        sys.setswitchinterval(interval)


def _away(tried: threading.Event) -> Driver:
    tried.set()
    raise psycopg.OperationalError("there is no server")


def test_the_version_changes_with_every_change_of_anybody(store: str, truth: SqlTruth) -> None:
    """The look that makes sure where nobody was heard."""
    with closing(open_postgres_truth(store)) as other:
        first = truth.data_version()
        assert truth.data_version() == first
        remember(other, "x")
        second = truth.data_version()
        write(truth, entombed(1))
        assert len({first, second, truth.data_version()}) == 3


def test_the_server_clears_what_a_forget_has_emptied_unless_somebody_looks_on(store: str, truth: SqlTruth) -> None:
    """W6: old row versions go when the server is told to vacuum; an older snapshot keeps them, and that is said."""
    remember(truth, "a secret", "kept")
    with closing(open_postgres_truth(store)) as other, other.reading() as reader:
        reader.contents([1])
        write(truth, entombed(1))
        assert truth.vacuum() is False
    assert truth.vacuum() is True
    with closing(psycopg.connect(store)) as connection:
        assert connection.execute("SELECT count(*) FROM capsule_revision WHERE content LIKE '%secret%'").fetchone() == (0,)


def test_damage_that_a_client_can_see_is_told(store: str, truth: SqlTruth) -> None:
    """Counters that do not fit the rows are found by a check, not by a wrong answer."""
    remember(truth, "one", "two")
    assert truth.damage() == []
    with closing(psycopg.connect(store, autocommit=True)) as connection:
        connection.execute("UPDATE counter SET seq = 9, last_number = 1")
    assert [len(truth.damage()), *truth.damage()] == [
        2,
        "the journal has 2 rows up to 2, and the counter says 9",
        "the last capsule is number 2, and the counter says 1",
    ]


@pytest.mark.parametrize("adapter", ["sqlite", "postgres"])
def test_a_duty_has_one_bearer_at_a_time(adapter: str, tmp_path: Path) -> None:
    """Decision 2: one applier of a shared index, however many processes there are; its end gives the duty to the next."""
    with closing(open_truth(adapter, tmp_path)) as one, closing(open_truth(adapter, tmp_path)) as two:
        first, second, other = one.duty("vectors"), two.duty("vectors"), two.duty("another")
        assert (first.held(), second.held(), other.held(), first.held()) == (True, False, True, True)
        second.release()
        assert (first.held(), second.held()) == (True, False)
        first.release()
        assert (second.held(), first.held()) == (True, False)
        for duty in (first, second, other):
            duty.release()


def test_a_duty_goes_with_its_connection(store: str, truth: SqlTruth) -> None:
    """Decision 2: whoever has lost the connection has lost the duty, and finds that out before the next step."""
    with closing(open_postgres_truth(store)) as other:
        first, second = truth.duty("vectors"), other.duty("vectors")
        assert first.held()
        with closing(psycopg.connect(store, autocommit=True)) as connection:
            holders = "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory'"
            connection.execute(holders)
        assert second.held()
        assert not first.held()
        second.release()
        assert first.held()
        first.release()


@pytest.mark.parametrize("adapter", ["sqlite", "postgres"])
def test_index_folders_acknowledge_beside_the_journal(adapter: str, tmp_path: Path) -> None:
    """W6, W12: up to where nothing forgotten is left in them; no journal row tells of it, and the last word counts."""
    ann = Acknowledgement(id="a" * 64, host="höst", slot=0, seen_at=NOON, clean_terms=3, clean_vectors=0)
    bob = Acknowledgement(id="b", host="höst", slot=1, seen_at=NOON, clean_terms=1, clean_vectors=1, left_at=NOON)
    later = Acknowledgement(id="b", host="höst", slot=1, seen_at=NOON, clean_terms=4, clean_vectors=4)
    with closing(open_truth(adapter, tmp_path)) as truth:
        for said in (bob, ann):
            truth.acknowledge(said)
        assert truth.acknowledgements() == [ann, bob]
        truth.acknowledge(later)
        assert truth.acknowledgements() == [ann, later]
        assert (truth.dismiss("b"), truth.dismiss("b")) == (True, False)
        assert truth.acknowledgements() == [ann]
        with truth.reading() as reader:
            assert (reader.head(), reader.journal(0, 9)) == (0, [])
