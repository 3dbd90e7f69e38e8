"""A store where nothing may be written: read, recalled and exported all the same, and nothing is said to be kept."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from recordance.domain.alias import MissOutcome
from recordance.errors import MissingState, StateKind, StoreUnusable
from recordance_adapters.bootstrap import TRUTH_FILE
from recordance_adapters.driven.sql_truth.opening import Formats, open_sql_file, open_sql_truth
from recordance_adapters.driven.sql_truth.sqlite_file import Access, StoreFile
from recordance_adapters.driven.sql_truth.truth import SqlTruth
from recordance_adapters.driven.system.misses import UnkeptMisses
from support.checkout import ROOT
from support.commands import program
from support.stdio_peer import BOUND, checkout_environment
from support.truths import NOON, remember

WHY = "the disk is read-only"
UNLINKABLE = pytest.mark.skipif(os.name != "posix", reason="only POSIX lets a file be replaced that somebody has open")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of a store with one capsule, which nobody has open."""
    file = tmp_path / "store" / TRUTH_FILE
    with closing(open_sql_truth(file)) as truth:
        remember(truth, "kept")
    return file


@pytest.fixture
def live(file: Path) -> Iterator[Path]:
    """The same file while somebody who may write has it open, with another capsule in the log alone."""
    with closing(open_sql_truth(file)) as truth:
        remember(truth, "in the log")
        yield file


def test_a_file_without_a_log_is_read_without_making_anything(file: Path) -> None:
    """case L5: where nothing may be written, SQLite has to do without the files that it keeps beside the store."""
    before = {path: path.read_bytes() for path in file.parent.iterdir()}
    with closing(open_sql_file(StoreFile(file, Access.FROZEN, WHY))) as truth:
        assert truth.obstacle == WHY
        with truth.reading() as reader:
            assert reader.contents([1]) == {1: "kept"}
        assert truth.damage() == []
        assert truth.data_version() == truth.data_version()
        assert {path: path.read_bytes() for path in file.parent.iterdir()} == before


def test_a_log_that_somebody_writes_is_read_along(live: Path) -> None:
    """case L5: a folder mounted for reading shows what its owner writes meanwhile, the latest too."""
    with closing(open_sql_file(StoreFile(live, Access.READING, WHY))) as truth:
        with truth.reading() as reader:
            assert reader.contents([1, 2]) == {1: "kept", 2: "in the log"}
        seen = truth.data_version()
        with closing(open_sql_truth(live)) as writer:
            remember(writer, "later")
        assert truth.data_version() != seen
        with truth.reading() as reader:
            assert reader.last_number() == 3


@pytest.mark.parametrize("access", [Access.READING, Access.FROZEN])
def test_a_write_where_nothing_may_be_written_is_refused_with_a_lesson(live: Path, access: Access) -> None:
    """case L5: the caller is told what to change, and not what the driver calls it."""
    with (
        closing(open_sql_file(StoreFile(live, access, WHY))) as truth,
        pytest.raises(MissingState, match="may only be read") as refused,
    ):
        remember(truth, "never")
    assert (refused.value.kind, refused.value.id) == (StateKind.NOT_PERMITTED, "store")


@pytest.mark.parametrize("when", ["before a reading", "in a reading"])
def test_a_file_read_without_locks_is_given_up_once_somebody_writes_it(file: Path, when: str) -> None:
    """case D5: without locks a reading may mix two states, and no answer is better than such a one."""
    with closing(open_sql_file(StoreFile(file, Access.FROZEN, WHY))) as truth:
        if when == "before a reading":
            write(file)
            with pytest.raises(StoreUnusable, match="somebody writes"), truth.reading():
                pass
        else:
            with pytest.raises(StoreUnusable, match="somebody writes"):
                read_while_written(truth, file)


def read_while_written(truth: SqlTruth, file: Path) -> None:
    with truth.reading() as reader:
        assert reader.last_number() == 1
        write(file)


def write(file: Path) -> None:
    with closing(open_sql_truth(file)) as writer:
        remember(writer, "more")


@UNLINKABLE
def test_a_file_read_only_is_missed_when_it_is_replaced(file: Path) -> None:
    """case L4: what is read must be what the name leads to, for readers too."""
    with closing(open_sql_file(StoreFile(file, Access.FROZEN, WHY))) as truth:
        shutil.copyfile(file, file.with_name("copy")).replace(file)
        with pytest.raises(StoreUnusable, match="start the program again"), truth.reading():
            pass


def older(_: Path) -> Formats:
    return Formats(head="0999")


def newer(file: Path) -> Formats:
    change(file, "UPDATE alembic_version SET version_num = '0999'")
    return Formats()


def empty(file: Path) -> Formats:
    file.unlink()
    file.touch()
    return Formats()


def change(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute(statement)


@pytest.mark.parametrize(
    ("prepared", "lesson"), [(older, "must be migrated"), (newer, "newer program"), (empty, "nothing is stored there yet")]
)
def test_what_cannot_be_read_as_it_is_is_refused_where_nothing_may_be_written(
    file: Path, prepared: Callable[[Path], Formats], lesson: str
) -> None:
    """case L4: a store of another format is neither migrated nor misread, and an empty file is not made a store."""
    formats = prepared(file)
    with pytest.raises(StoreUnusable, match=lesson):
        open_sql_file(StoreFile(file, Access.FROZEN, WHY), formats=formats)


def test_misses_that_cannot_be_kept_are_told_once(caplog: pytest.LogCaptureFixture) -> None:
    """T8: recording fails without failing a recall, and the log is not filled with it."""
    misses = UnkeptMisses(WHY)
    for word in ("first", "second"):
        misses.record([word], MissOutcome.ABSTAIN, "", NOON)
    misses.settle()
    misses.close()
    assert [record.message for record in caplog.records] == [f"misses are not noted: {WHY}"]


# ── whole programs ────────────────────────────────────────────────────────────────────────────────────────────────────────────

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(params=["permissions", "mount"])
def shut(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Run]:
    """Runs a command on a store with two capsules, in whose folder nothing may be written."""
    store = tmp_path / "store"
    for content in ("pin tokio at 1.38", "the port is 7411"):
        assert program("store", content, "--store", str(store)).returncode == 0
    if request.param == "mount":
        if sys.platform != "linux" or subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode:
            pytest.skip("mounting needs Linux and the right to it")
        yield lambda *words: mounted(store, *words)
        return
    if os.name != "posix" or os.geteuid() == 0:
        pytest.skip("permissions are POSIX ones, and they do not hold for root")
    places = [store, *store.rglob("*")]
    modes = {place: place.stat().st_mode for place in places}
    for place in reversed(places):
        place.chmod(0o500 if place.is_dir() else 0o400)
    yield lambda *words: program(*words, "--store", str(store))
    for place in places:
        place.chmod(modes[place])


NAMESPACE = ["unshare", "--mount"]
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@" --store "$0"'


def mounted(store: Path, *words: str) -> "subprocess.CompletedProcess[bytes]":
    """Run a command that sees the folder of the store on a read-only file system."""
    command = [sys.executable, "-m", "recordance_adapters", *words]
    script = [*NAMESPACE, "sh", "-c", READ_ONLY, str(store), *command]
    return subprocess.run(script, capture_output=True, env=checkout_environment(), cwd=ROOT, timeout=BOUND, check=False)


def test_a_store_that_may_only_be_read_is_recalled_listed_and_exported(shut: Run) -> None:
    """case L5: a backup on a read-only disk can still be asked, and moved elsewhere."""
    recalled = shut("recall", "tokio", "--json")
    assert recalled.returncode == 0, recalled.stderr
    assert [each["id"] for each in json.loads(recalled.stdout)["results"]] == ["cap-1"]
    assert json.loads(shut("list", "--json").stdout)["total"] == 2
    assert len(shut("export").stdout.splitlines()) >= 3
    assert json.loads(shut("status", "--json").stdout)["capsules"] == 2
    assert shut("rebuild").returncode == 0


def test_a_store_that_may_only_be_read_says_so_wherever_it_matters(shut: Run) -> None:
    """case L5: a write is refused, a miss is lost with a line in the log, and the doctor tells why."""
    stored = shut("store", "one more", "--json")
    assert stored.returncode == 3, stored.stdout
    assert json.loads(stored.stdout)["error"]["data"]["kind"] == "not_permitted"
    missed = shut("recall", "nowhere")
    assert missed.returncode == 1, missed.stderr
    assert missed.stderr.count(b"misses are not noted") == 1
    assert b"Traceback" not in missed.stderr
    checks = {check["name"]: check for check in json.loads(shut("doctor", "--json").stdout)["checks"]}
    assert (checks["access"]["verdict"], checks["index"]["verdict"]) == ("warn", "ok")
    assert "may not be written" in checks["access"]["found"]


def test_a_store_that_may_only_be_read_forgets_nothing(shut: Run) -> None:
    """W6: a tombstone that cannot be written would be a promise without a keeper."""
    refused = shut("forget", "cap-1", "--json")
    assert refused.returncode == 3, refused.stdout
    assert json.loads(refused.stdout)["error"]["data"]["kind"] == "not_permitted"
    assert shut("recall", "tokio").returncode == 0
