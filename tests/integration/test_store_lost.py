"""A store that goes away: while it is used, before it is opened, and where none has ever been."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from recordance.errors import MissingState, StateKind, StoreUnusable
from recordance_adapters.bootstrap import REPLICAS_FOLDER, TRUTH_FILE, Absent, open_service
from recordance_adapters.driven.sql_truth.opening import open_sql_truth
from recordance_adapters.driven.sql_truth.truth import SqlTruth
from recordance_adapters.driving.cli.main import COMMANDS
from recordance_adapters.settings import Settings
from support.commands import Commands
from support.truths import NOON, captured, make_capture, remember

UNLINKABLE = pytest.mark.skipif(os.name != "posix", reason="only POSIX lets a file be removed that somebody has open")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "store" / TRUTH_FILE


@pytest.fixture
def truth(file: Path) -> Iterator[SqlTruth]:
    """An open store with one capsule."""
    truth = open_sql_truth(file)
    remember(truth, "before")
    yield truth
    truth.close()


def remove_folder(file: Path) -> None:
    shutil.rmtree(file.parent)


def remove_file(file: Path) -> None:
    file.unlink()


def put_another_store_there(file: Path) -> None:
    file.parent.rename(file.parent.with_name("aside"))
    with closing(open_sql_truth(file)) as other:
        remember(other, "of the new store")


def put_a_copy_back(file: Path) -> None:
    copy = file.with_name("copy")
    shutil.copyfile(file, copy)
    copy.replace(file)


LOSSES = [remove_folder, remove_file, put_another_store_there, put_a_copy_back]


@UNLINKABLE
@pytest.mark.parametrize("lose", LOSSES)
def test_a_store_that_is_gone_takes_no_more_writes_and_gives_no_more_answers(
    truth: SqlTruth, file: Path, lose: Callable[[Path], None]
) -> None:
    """case C6: SQLite writes on into a file without a name; what is answered from there, nobody finds again."""
    lose(file)
    for begin in (truth.reading, truth.writing):
        with pytest.raises(StoreUnusable, match="removed or replaced under this program: start the program again"), begin():
            pass


@UNLINKABLE
@pytest.mark.parametrize("lose", LOSSES)
def test_a_write_whose_store_goes_away_under_it_is_not_answered(
    truth: SqlTruth, file: Path, lose: Callable[[Path], None]
) -> None:
    """case C6: the last moment counts too, between the change and its commit."""

    def write() -> None:
        with truth.writing() as writer:
            writer.apply(captured(make_capture(2, "lost")), "ann", NOON)
            lose(file)

    with pytest.raises(StoreUnusable, match="start the program again"):
        write()


@UNLINKABLE
def test_a_write_whose_log_is_removed_is_not_answered(truth: SqlTruth, file: Path) -> None:
    """case C6: until the log is moved into the file, it is all that there is of a write."""
    file.with_name(f"{file.name}-wal").unlink()
    with pytest.raises(StoreUnusable, match="log was removed"):
        remember(truth, "lost")


@UNLINKABLE
def test_connections_that_open_late_make_no_file_anew(truth: SqlTruth, file: Path) -> None:
    """case L4: whoever removed the store's file does not find an empty one in its place."""
    with truth.reading():  # it holds the connection that stands ready
        file.unlink()
        with pytest.raises(StoreUnusable, match="start the program again"), truth.reading():
            pass
    assert any("start the program again" in found for found in truth.damage())
    assert not file.exists()


@UNLINKABLE
def test_whoever_lets_go_of_a_replaced_store_does_the_new_one_no_harm(file: Path) -> None:
    """case C6: the new store's log has the name of the old one's, which goes when its last user goes."""
    old = open_sql_truth(file)
    remember(old, "old")
    file.parent.rename(file.parent.with_name("aside"))
    new = open_sql_truth(file)
    remember(new, "new")
    old.close()
    with sqlite3.connect(file) as other:
        assert other.execute("SELECT content FROM capsule_revision").fetchall() == [("new",)]
    other.close()
    assert remember(new, "newer") == [2]
    new.close()


# ── lost before it is opened ──────────────────────────────────────────────────────────────────────────────────────────────────


def leave_log(file: Path) -> Path:
    return _put(file.with_name(f"{file.name}-wal"))


def leave_copy(file: Path) -> Path:
    return _put(file.with_name(f"{file.name}.format-0001"))


def leave_replica(file: Path) -> Path:
    return _put(file.parent / REPLICAS_FOLDER / "0" / "applied")


def _put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("something")
    return path


def no_file(_: Path) -> None:
    """Nothing is there."""


def empty_file(file: Path) -> None:
    file.touch()


def file_without_tables(file: Path) -> None:
    """What a copy of the file without its log is, if that never was moved into it."""
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()


@pytest.mark.parametrize("absent", Absent)
@pytest.mark.parametrize("what", [no_file, empty_file, file_without_tables])
@pytest.mark.parametrize("leave", [leave_log, leave_copy, leave_replica])
def test_a_lost_truth_is_told_and_not_replaced_by_an_empty_store(
    file: Path, absent: Absent, what: Callable[[Path], None], leave: Callable[[Path], Path]
) -> None:
    """case L4: an empty store in its place would hide the loss until nobody has a copy any more."""
    file.parent.mkdir()
    what(file)
    left = leave(file)
    before = {path: path.stat().st_size for path in file.parent.rglob("*")}
    settings = Settings(store=file.parent)
    with open_service(settings, absent) as service, pytest.raises(StoreUnusable) as told:
        _ = service.destinations
    assert str(left.relative_to(file.parent)) in str(told.value)
    assert "restore the file from a copy, or move the rest away" in told.value.lesson
    if what is not file_without_tables:  # SQLite drops a log that is none of its database's
        assert {path: path.stat().st_size for path in file.parent.rglob("*")} == before


def test_a_copy_put_back_is_the_store_again(file: Path) -> None:
    """case L4: what the refusal advises works."""
    settings = Settings(store=file.parent)
    with open_service(settings) as service, service.destinations.writing(service.caller("x"), None).truth.reading() as reader:
        identity = reader.identity()
    kept = file.rename(file.with_name(f"{file.name}.format-0001"))
    with open_service(settings) as service, pytest.raises(StoreUnusable):
        _ = service.destinations
    kept.rename(file)
    with open_service(settings) as service, service.destinations.reading(service.caller("x"), None).truth.reading() as reader:
        assert reader.identity() == identity


def test_what_a_process_leaves_that_died_making_the_store_is_no_lost_store(file: Path) -> None:
    """case C6: empty files and folders and locks hold nothing, and the next process goes on from there."""
    (file.parent / REPLICAS_FOLDER / "0" / "terms").mkdir(parents=True)
    (file.parent / REPLICAS_FOLDER / "0.lock").touch()
    for name in ("", "-wal", "-shm"):
        file.with_name(file.name + name).touch()
    with open_service(Settings(store=file.parent)) as service:
        assert remember(service.destinations.writing(service.caller("x"), None).truth, "made") == [1]


def test_a_store_that_is_being_made_is_waited_for(file: Path, tmp_path: Path) -> None:
    """case C1: the log of its maker is written before the tables can be read, which looks like what is left of a lost one."""
    with closing(open_sql_truth(tmp_path / "model.sqlite")), closing(sqlite3.connect(tmp_path / "model.sqlite")) as model:
        tables = [line for line in model.iterdump() if line not in {"BEGIN TRANSACTION;", "COMMIT;"}]
    file.parent.mkdir()
    file_without_tables(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as maker:
        maker.execute("PRAGMA cache_size = 1")  # the log takes what has no room in memory
        maker.execute("BEGIN IMMEDIATE")
        for table in tables:
            maker.execute(table)
        assert file.with_name(f"{file.name}-wal").stat().st_size
        with pytest.raises(MissingState) as busy:
            open_sql_truth(file, patience=0.0)
        assert busy.value.kind is StateKind.STORE_BUSY
        maker.execute("COMMIT")
        with closing(open_sql_truth(file)) as made:
            assert remember(made, "made") == [1]


def test_services_that_make_one_store_at_once_take_each_others_beginnings_for_no_remains(file: Path) -> None:
    """case C1: the first ones have a log and a replica when the others still look whether there is a store."""
    settings = Settings(store=file.parent)

    def start(_: int) -> str:
        with open_service(settings) as service:
            truth = service.destinations.writing(service.caller("x"), None).truth
            remember(truth, "from each")
            with truth.reading() as reader:
                return reader.identity().store

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(start, range(12)))) == 1


# ── never there ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

WORDS = {
    "recall": ["tokio"], "get": ["cap-1"], "alias": ["--list"], "relate": ["supports", "cap-1", "cap-2"],
    "review": ["cap-1", "ratify"], "feedback": ["cap-1", "helped"], "archive": ["cap-1"], "restore": ["cap-1"],
    "ask": ["tokio"], "recall-valued": ["tokio"], "search-fast": ["tokio"], "explain": ["tokio"], "entity": ["tokio"],
    "relations": ["tokio"], "update": ["cap-1", "--changes", "{}"], "history": ["cap-1"],
    "forget": ["cap-1"], "verify-receipt": ["ersr-body.signature"], "move": ["--to", "./elsewhere"],
}  # fmt: skip
MAKERS = {"store", "import", "mcp", "serve"}
STORELESS = {"demo", "token", "key", "sign"}
ASKERS = sorted(COMMANDS.keys() - MAKERS - STORELESS)


@pytest.mark.parametrize("name", ASKERS)
@pytest.mark.parametrize("there", ["nothing", "an empty folder", "an empty file"])
def test_a_command_that_asks_makes_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, there: str) -> None:
    """case L4: a mistyped folder answered as an empty store would look as if everything were gone."""
    command = Commands(tmp_path, capsys)
    if there != "nothing":
        command.store.mkdir()
    if there == "an empty file":
        (command.store / TRUTH_FILE).touch()
    before = sorted(tmp_path.rglob("*"))
    ran = command(name, *WORDS.get(name, []))
    assert (ran.code, ran.out) == (3, "")
    assert f"{command.store}: there is no store there" in ran.err
    assert sorted(tmp_path.rglob("*")) == before


def test_only_commands_that_bring_something_in_make_a_store() -> None:
    """case L4: which these are is a decision, and a new command has to take it."""
    assert {name for name, command in COMMANDS.items() if command.absent is Absent.MAKE} == MAKERS
