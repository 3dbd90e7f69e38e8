"""A connection that is lost around COMMIT: nothing is written twice, and nothing is said that is not known."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from recordance.domain.alias import MissOutcome
from recordance.errors import StateKind, StoreUnusable
from recordance_adapters.driven.sql_truth.opening import open_postgres_truth
from recordance_adapters.driven.sql_truth.truth import SqlTruth
from recordance_adapters.wire.failure import fault_failure
from support import postgres_stores
from support.postgres_proxy import Cut, Proxy, proxy_to
from support.stores import Bench, Parts, bench, draft
from support.truths import IDENTITY, NOON, remember


@pytest.fixture
def url(tmp_path: Path) -> str:
    return postgres_stores.database_of(tmp_path, IDENTITY)


@pytest.fixture
def wire(url: str) -> Iterator[Proxy]:
    with proxy_to(int(conninfo_to_dict(url)["port"])) as proxy:
        yield proxy


@pytest.fixture
def truth(url: str, wire: Proxy) -> Iterator[SqlTruth]:
    """A truth whose every byte goes over the wire that is cut."""
    there = url.replace(f":{conninfo_to_dict(url)['port']}/", f":{wire.port}/")
    with closing(open_postgres_truth(there, identity=IDENTITY, patience=5, connect_timeout=0.3)) as truth:
        yield truth


def contents(truth: SqlTruth) -> list[str]:
    with truth.reading() as reader:
        assert [row.seq for row in reader.journal(0, 99)] == list(range(1, reader.head() + 1))
        return list(reader.contents(range(1, reader.last_number() + 1)).values())


def test_a_write_whose_commit_never_arrived_is_told_as_not_done(truth: SqlTruth, wire: Proxy) -> None:
    """W1: the server itself is asked on another connection, so that the caller knows that sending it again is right."""
    wire.next_cut = Cut.BEFORE
    with pytest.raises(StoreUnusable) as told:
        remember(truth, "cut")
    assert told.value.kind is StateKind.STORE_UNREACHABLE
    assert "before anything was written" in told.value.lesson
    assert contents(truth) == []
    remember(truth, "again")
    assert contents(truth) == ["again"]


def test_a_write_whose_answer_was_lost_is_answered_as_done_and_done_once(truth: SqlTruth, wire: Proxy) -> None:
    """W1: what the server has committed is not sent again, nor told as failed."""
    wire.next_cut = Cut.AFTER
    assert remember(truth, "done") == [1]
    assert wire.commits == 1
    assert contents(truth) == ["done"]
    assert remember(truth, "next") == [2]


@pytest.mark.parametrize("cut", Cut, ids=lambda cut: cut.name)
def test_a_write_of_which_nobody_knows_is_told_so(truth: SqlTruth, wire: Proxy, cut: Cut) -> None:
    """W1: the server is gone, so that the write may be done or not; the lesson says how to make sure, and no host or SQL."""
    wire.next_cut, wire.refusing = cut, True
    with pytest.raises(StoreUnusable) as told:
        remember(truth, "who knows")
    assert told.value.kind is StateKind.WRITE_UNCERTAIN
    failure = fault_failure(told.value, "fault-7")
    assert (failure.code, failure.data["kind"]) == (-32002, "write_uncertain")
    assert "may be done or not" in failure.message
    assert "idempotency_key" in failure.message
    assert not any(word in failure.message for word in ("127.0.0.1", "COMMIT", "psycopg", "recordance_test"))
    wire.shut = False
    assert contents(truth) == (["who knows"] if cut is Cut.AFTER else [])


@pytest.mark.parametrize("cut", Cut, ids=lambda cut: cut.name)
def test_sending_an_uncertain_write_again_stores_it_once(truth: SqlTruth, wire: Proxy, cut: Cut) -> None:
    """W1: what the lesson advises is safe: equal content is deduplicated, whatever became of the first try."""
    store: Bench = bench(Parts(truth=truth))
    store.learn("before")
    wire.next_cut, wire.refusing = cut, True
    with pytest.raises(StoreUnusable):
        store.learn("who knows")
    wire.shut = False
    (result,) = store.tell(draft("who knows"))["results"]
    assert result["status"] == ("deduplicated" if cut is Cut.AFTER else "captured")
    assert contents(truth) == ["before", "who knows"]


def test_a_miss_is_counted_once_when_its_answer_was_lost(truth: SqlTruth, wire: Proxy) -> None:
    """T8: the ledger is written without a journal row, and by the same rules."""
    wire.next_cut = Cut.AFTER
    with truth.writing() as writer:
        writer.count_misses(["tokio"], MissOutcome.ABSTAIN, "", NOON)
    with truth.reading() as reader:
        assert [(miss.term_key, miss.count) for miss in reader.misses(None, 9)] == [("tokio", 1)]


def test_a_writer_whose_connection_is_ended_has_written_nothing(truth: SqlTruth, url: str) -> None:
    """W1: an administrator ends the session between two statements; the next write finds another connection by itself."""
    with pytest.raises(StoreUnusable) as told, truth.writing() as writer:  # noqa: PT012 - the end comes amidst the transaction
        end_sessions(url)
        writer.count_misses(["x"], MissOutcome.ABSTAIN, "", NOON)
    assert told.value.kind is StateKind.STORE_UNREACHABLE
    assert remember(truth, "after") == [1]
    assert contents(truth) == ["after"]


def test_a_reading_whose_connection_is_ended_is_no_empty_answer(truth: SqlTruth, url: str) -> None:
    """O6: half a snapshot is an error, never fewer results."""
    remember(truth, "there")
    with pytest.raises(StoreUnusable) as told, truth.reading() as reader:  # noqa: PT012 - the end comes amidst the snapshot
        end_sessions(url)
        reader.contents([1])
    assert told.value.kind is StateKind.STORE_UNREACHABLE
    assert contents(truth) == ["there"]


def test_connections_that_died_while_idle_are_passed_over(truth: SqlTruth, url: str) -> None:
    """case D3: after a restart every kept connection is dead; nobody is told of it, for nothing had been begun on them."""
    for _ in range(3):
        remember(truth, "x")
        version = truth.data_version()
        end_sessions(url)
        assert truth.data_version() == version
        end_sessions(url)
        assert contents(truth)
        end_sessions(url)


def end_sessions(url: str) -> None:
    """End every session of the database but this one, and wait until they are gone."""
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        connection.execute(f"SELECT pg_terminate_backend(pid, 5000) {others}".encode())
