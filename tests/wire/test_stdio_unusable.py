"""A store that cannot be used, told over stdio: what to do reaches the client, where it lies stays in the log."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from recordance.errors import StoreUnusable
from recordance_adapters.driven.sql_truth.opening import open_sql_truth
from recordance_adapters.driven.sql_truth.sqlite_dialect import SqliteDialect
from recordance_adapters.driven.sql_truth.sqlite_file import store_file
from recordance_adapters.wire.failure import fault_failure
from support.stdio_peer import HANDSHAKE, STATELESS, Era, Peer

LEGACY = Era(HANDSHAKE)
BOTH_ERAS = pytest.mark.parametrize("era", [LEGACY, Era(STATELESS)], ids=[HANDSHAKE, STATELESS])
CALLS = (("memory_store", {"content": "x"}), ("memory_retrieve", {"terms": ["x"]}), ("memory_list", {}))


@contextmanager
def server(store: Path, era: Era = LEGACY) -> Iterator[Peer]:
    with Peer(["-m", "recordance_adapters", "mcp", "--store", str(store)]) as peer:
        era.open(peer)
        yield peer


def of_a_newer_format(store: Path) -> None:
    with closing(sqlite3.connect(store / "truth.sqlite")) as truth:
        truth.execute("UPDATE alembic_version SET version_num = '9999'")
        truth.commit()


def newer(store: Path) -> None:
    open_sql_truth(store / "truth.sqlite").close()
    of_a_newer_format(store)


def a_file(store: Path) -> None:
    store.write_text("not a folder")


def without_room_for_replicas(store: Path) -> None:
    store.mkdir()
    (store / "replicas").write_text("not a folder")


def a_diary(store: Path) -> None:
    store.mkdir()
    (store / "truth.sqlite").write_text("this is a diary, and not a database at all\n" * 50)


def lesson_of(answer: dict[str, Any], peer: Peer, folder: Path) -> str:
    """Return what an answer teaches, once it has been seen to be of an unusable store and to tell nothing else."""
    error = answer["error"]
    assert error["code"] == -32002
    assert error["data"] == {"kind": "store_unusable", "id": error["data"]["id"]}
    assert error["data"]["id"] in error["message"]
    for secret in (str(folder), "Errno", "SQL", "Traceback"):
        assert secret not in json.dumps(error)
    return str(error["message"])


@BOTH_ERAS
@pytest.mark.parametrize(
    ("spoil", "lesson", "logged"),
    [
        (a_file, "see that it is a folder", "the folder of the store"),
        (without_room_for_replicas, "see that it is a folder", "replicas"),
        (a_diary, "name another, or move it away", "not a database"),
        (newer, "open it with the newer program", "format 9999"),
    ],
)
def test_every_call_to_a_store_that_cannot_be_opened_says_what_to_do(
    tmp_path: Path, era: Era, spoil: Callable[[Path], None], lesson: str, logged: str
) -> None:
    """case L4: WIRE.md "Errors": an error teaches and shows no path; the log has it all, without a trace, from the start."""
    spoil(tmp_path / "store")
    with server(tmp_path / "store", era) as peer:
        answers = [peer.answer(era.call(n, tool, arguments)) for n, (tool, arguments) in enumerate(CALLS)]
        assert all(lesson in lesson_of(answer, peer, tmp_path) for answer in answers)
        assert len({answer["error"]["data"]["id"] for answer in answers}) == len(CALLS)
        peer.close_stdin()
        assert peer.exit_code() == 0
        log = peer.log()
    (told,) = [line for line in log.splitlines() if "the store cannot be opened: " in line]
    assert logged in told
    assert all(sum(answer["error"]["data"]["id"] in line for line in log.splitlines()) == 1 for answer in answers)
    assert "Traceback" not in log


def test_a_store_that_a_newer_program_takes_over_is_told_to_those_who_have_it_open(tmp_path: Path) -> None:
    """case L4: the older program neither reads nor writes what it may not understand, and says that a restart is due."""
    with server(tmp_path / "store") as peer:
        assert "result" in peer.answer(LEGACY.call(1, "memory_store", {"content": "x"}))
        of_a_newer_format(tmp_path / "store")
        for tool, arguments in CALLS:
            assert "restart" in lesson_of(peer.answer(LEGACY.call(tool, tool, arguments)), peer, tmp_path)


def test_a_store_that_is_mended_is_used_by_the_server_that_missed_it(tmp_path: Path) -> None:
    """WIRE.md "Errors": a lesson that is followed helps at once; hosts do not restart a server for it."""
    store = tmp_path / "store"
    a_file(store)
    with server(store) as peer:
        lesson_of(peer.answer(LEGACY.call(1, "memory_list")), peer, tmp_path)
        store.unlink()
        assert "result" in peer.answer(LEGACY.call(2, "memory_list"))


def test_a_full_disk_is_said_to_be_one(tmp_path: Path) -> None:
    """WIRE.md "Errors": what the driver calls full is told with what to do; a file without room is as good as a disk."""
    with closing(sqlite3.connect(tmp_path / "full.sqlite")) as full:
        full.execute("CREATE TABLE kept (text)")
        full.execute("PRAGMA max_page_count = 2")
        with pytest.raises(sqlite3.OperationalError) as raised:
            full.execute("INSERT INTO kept VALUES (zeroblob(100000))")
    dialect = SqliteDialect(store_file(tmp_path / "full.sqlite", ()), 1.0)
    problem = dialect.failure(raised.value, "store")
    assert isinstance(problem, StoreUnusable)
    failure = fault_failure(problem, "fault-7")
    assert (failure.code, failure.data) == (-32002, {"kind": "store_unusable", "id": "fault-7"})
    assert failure.message == "store_unusable: 'fault-7'; the disk is full: make room and try again"


def test_an_unusable_store_whose_lesson_nobody_wrote_still_tells_no_path() -> None:
    """WIRE.md "Errors": what is written for the log does not leak for want of other words."""
    failure = fault_failure(StoreUnusable("/var/lib/somewhere is gone"), "fault-7")
    assert failure.code == -32002
    assert "somewhere" not in failure.message
    assert "log" in failure.message
