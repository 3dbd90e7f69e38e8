"""Several whole servers on one store, as hosts start them: one for each session (decisions 1 and 2)."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from support.commands import Commands
from support.servers import Server, servers

EACH = 50


class Board:
    """What has been answered to anybody, for everybody to look for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answered: list[tuple[str, str]] = []

    def pin(self, word: str, id: str) -> None:
        with self._lock:
            self._answered.append((word, id))

    def latest_but(self, name: str) -> tuple[str, str] | None:
        """The last answered write of somebody else."""
        with self._lock:
            return next((each for each in reversed(self._answered) if not each[0].startswith(name)), None)

    @property
    def ids(self) -> dict[str, str]:
        with self._lock:
            return dict(self._answered)


def live(server: Server, name: str, board: Board) -> None:
    """Store and recall in turns; each recall looks for the last write of its own server and of another."""
    for number in range(EACH):
        word = f"{name}x{number}"
        id = server.store(f"statement {word} of many")
        board.pin(word, id)
        other = board.latest_but(name)
        sought = {word: id, **dict([other] if other else [])}
        found = server.found(*sought)
        assert set(sought.values()) <= set(found), f"{name} sought {sought}, found {found}"


def test_four_servers_on_one_store_lose_nothing_refuse_nothing_and_see_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """case C1, case C5, case C7: each sees at its next recall what any other was answered, and every index holds it all."""
    board, command = Board(), Commands(tmp_path, capsys)
    with servers(command.store, 4) as running, ThreadPoolExecutor(4) as pool:
        lives = [pool.submit(live, server, name, board) for server, name in zip(running, ("a", "b", "c", "d"), strict=True)]
        for each in lives:
            each.result(timeout=240)
        assert len(set(board.ids.values())) == 4 * EACH
        for server in running:
            assert server.call("memory_retrieve", terms=["statement"], limit=0)["matched"] == 4 * EACH
        examined = command("doctor", "--json").answer
    assert examined["verdict"] == "ok", examined
    status = command("status", "--json").answer
    assert (status["capsules"], status["seq"]) == (4 * EACH, 4 * EACH)


def test_a_recall_and_a_new_server_do_not_wait_for_a_writer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """case C3: while another process holds the write lock, opening, recalling, reading and listing go on."""
    command = Commands(tmp_path, capsys)
    command("store", "pin tokio")
    with closing(sqlite3.connect(command.store / "truth.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for words in (["recall", "tokio"], ["recall", "tokio"], ["get", "cap-1"], ["list"], ["status"], ["export"]):
            assert command(*words).code == 0, words
        with servers(command.store) as (server,):
            assert server.found("tokio") == ["cap-1"]
        other.execute("ROLLBACK")


def test_a_server_and_the_command_line_write_into_one_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """case C2: no write is refused because somebody else has the store open, and each sees the other's."""
    command = Commands(tmp_path, capsys)
    with servers(command.store, 1, "--config", str(command.config)) as (server,):
        for number in range(5):
            assert server.store(f"server says s{number}") == f"cap-{2 * number + 1}"
            assert command("store", f"shell says c{number}", "--json").answer["results"][0]["id"] == f"cap-{2 * number + 2}"
            assert server.found(f"c{number}") == [f"cap-{2 * number + 2}"]
            assert command("recall", f"s{number}").code == 0


def test_a_store_answers_after_each_of_several_restarts(tmp_path: Path) -> None:
    """case D3: nothing is dropped at a start; what was found before is found again."""
    ids = []
    for round_ in range(4):
        with servers(tmp_path / "store") as (server,):
            for earlier in range(round_):
                assert server.found(f"round{earlier}") == [ids[earlier]]
            ids.append(server.store(f"stored in round{round_}"))
            server.peer.close_stdin()
            assert server.peer.exit_code() == 0
