"""Servers on one Postgres, each a process with its own folder: under load, killed, and without their database for a while."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from recordance_adapters.driven.sql_truth.opening import open_postgres_truth
from support import postgres_stores
from support.postgres_server import PostgresServer, a_server
from support.remains import await_that
from support.servers import Server
from support.stdio_peer import BOUND, Peer
from support.truths import IDENTITY

ROUNDS = 6
AWAY = {"store_unreachable", "write_uncertain"}


def servers_on(ending: ExitStack, url: str, *folders: Path) -> list[Server]:
    """Servers over the truth at `url`, one a folder, as on hosts of their own."""
    peers = [
        ending.enter_context(Peer(["-m", "recordance_adapters", "mcp", "--store", str(each)], {"RECORDANCE_TRUTH": url}))
        for each in folders
    ]
    return [Server(peer) for peer in peers]


class Board:
    """What has been answered to anybody, for everybody to look for."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.answered: dict[str, str] = {}

    def pin(self, word: str, id: str) -> None:
        with self._changed:
            self.answered[word] = id
            self._changed.notify_all()

    def latest(self) -> dict[str, str]:
        """The last answered writes, of whomever."""
        with self._changed:
            return dict(list(self.answered.items())[-4:])

    def await_words(self, count: int) -> None:
        """Wait until so many writes were answered."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.answered) >= count, BOUND)


def live(server: Server, name: str, board: Board, rounds: int = ROUNDS) -> None:
    """Store and recall in turns; each recall looks for what was last answered to anybody."""
    for number in range(rounds):
        word = f"{name}x{number}"
        board.pin(word, server.store(f"statement {word} of many"))
        sought = board.latest()
        found = server.found(*sought)
        assert set(sought.values()) <= set(found), f"{name} sought {sought}, found {found}"


def assert_whole(url: str, answered: dict[str, str]) -> None:
    """What was answered is there, once each, and the journal has neither gaps nor doubles."""
    with closing(open_postgres_truth(url)) as truth, truth.reading() as reader:
        seqs = [row.seq for row in reader.journal(0, 10**6)]
        assert seqs == list(range(1, reader.head() + 1))
        numbers = {word: int(id.removeprefix("cap-")) for word, id in answered.items()}
        assert len(set(numbers.values())) == len(numbers)
        contents = reader.contents(numbers.values())
        assert all(word in contents[number].split() for word, number in numbers.items())


def test_three_processes_see_each_others_writes_while_one_is_killed_and_started_again(tmp_path: Path) -> None:
    """case C1, case C5: nothing that was answered is lost, numbered twice, or missed by the next recall of anybody."""
    url, board = postgres_stores.database_of(tmp_path, IDENTITY), Board()
    with ExitStack() as ending, ThreadPoolExecutor(3) as pool:
        *steady, doomed = servers_on(ending, url, *(tmp_path / name for name in "abc"))
        lives = [pool.submit(live, server, name, board) for server, name in zip(steady, ("a", "b"), strict=True)]
        live(doomed, "c", board, 3)
        doomed.send("memory_store", content="statement cut off in the middle")
        doomed.peer.process.kill()
        (again,) = servers_on(ending, url, tmp_path / "c")
        live(again, "d", board, 3)
        for each in lives:
            each.result(BOUND)
        for server in steady:
            assert set(server.found("statement")) >= set(board.answered.values())
    assert_whole(url, board.answered)
    postgres_stores.give_back()


@pytest.fixture(scope="module")
def database() -> Iterator[PostgresServer]:
    """A server of this module's own, every write on the disk."""
    with a_server() as server:
        yield server


def try_all_along(server: Server, name: str, board: Board, end: threading.Event, errors: list[dict[str, Any]]) -> None:
    """Store and recall in turns whatever comes of it; a recall that is answered sees every write that was answered before."""
    for number in range(10**6):
        if end.is_set():
            return
        word = f"{name}x{number}"
        stored = attempt(server, errors, "memory_store", content=f"statement {word} of many")
        if stored is not None:
            (result,) = stored["results"]
            board.pin(word, result["id"])
        sought = board.latest()
        found = attempt(server, errors, "memory_retrieve", terms=list(sought) or ["none"], token_budget=1_000_000)
        if found is not None:
            assert set(sought.values()) <= {result["id"] for result in found["results"]}


def attempt(server: Server, errors: list[dict[str, Any]], tool: str, **arguments: Any) -> dict[str, Any] | None:
    """Call, and return the answer; note the error where there is none."""
    message = server.said(tool, **arguments)
    if "error" in message:
        errors.append(message["error"])
        return None
    answer: dict[str, Any] = message["result"]["structuredContent"]
    return answer


@pytest.mark.parametrize("ending_of_it", ["stopped", "killed"])
def test_a_database_that_goes_away_under_load_loses_nothing_and_is_found_again(
    ending_of_it: str, database: PostgresServer, tmp_path: Path
) -> None:
    """Decision 8, case L4: errors say that the server is away, and the services go on by themselves when it is back."""
    board, end, errors = Board(), threading.Event(), list[dict[str, Any]]()
    with closing(psycopg.connect(database.url, autocommit=True)) as admin:
        admin.execute(f"CREATE DATABASE {ending_of_it}".encode())
    url = database.url_of(ending_of_it)
    with ExitStack() as ending, ThreadPoolExecutor(2) as pool:
        servers = servers_on(ending, url, tmp_path / "a", tmp_path / "b")
        lives = [
            pool.submit(try_all_along, server, name, board, end, errors) for server, name in zip(servers, ("a", "b"), strict=True)
        ]
        try:
            for _ in range(2):
                board.await_words(len(board.answered) + 5)
                database.stop() if ending_of_it == "stopped" else database.kill()
                told = len(errors) + 4
                await_that(lambda told=told: len(errors) >= told, BOUND)
                database.start()
            board.await_words(len(board.answered) + 5)
        finally:
            end.set()
        for each in lives:
            each.result(BOUND)
        assert {error["data"]["kind"] for error in errors} <= AWAY, errors
        for server in servers:
            assert set(server.found("statement")) >= set(board.answered.values())
            assert_calm(server.peer.log())
    assert_whole(url, board.answered)


def assert_calm(log: str) -> None:
    """The log has no trace, and what runs in the background told a few lines about each time that the database was away."""
    assert "Traceback" not in log
    assert log.count("the truth is away") <= 4 * 2, log
    assert log.count("are not heard") <= 2 * 2, log
