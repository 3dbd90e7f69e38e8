"""Opening a store's SQLite file: made privately, opened without a write, refused with a word on what to do."""

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from recordance.errors import MissingState, StateKind, StoreUnusable
from recordance_adapters.driven.sql_truth import migrations
from recordance_adapters.driven.sql_truth.opening import open_sql_truth
from support.truths import IDENTITY, remember

POSIX = pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX ones")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "store" / "truth.db"


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold the write lock, as another process would."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.close()


@POSIX
def test_a_new_store_is_open_to_its_owner_alone(file: Path) -> None:
    """case L9: what is remembered is nobody else's business, in a folder that only the store's owner names."""
    truth = open_sql_truth(file)
    remember(truth, "private")
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {0o600}
    truth.close()


@POSIX
def test_a_folder_that_holds_something_else_keeps_its_permissions(file: Path) -> None:
    """A folder that others use is not locked for them; the store's file in it is."""
    file.parent.mkdir(mode=0o755)
    (file.parent / "notes.txt").touch()
    open_sql_truth(file).close()
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o755
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_store_keeps_its_identity_and_its_capsules(file: Path) -> None:
    """case D3: opened three times over, it is the same store with the same content."""
    truth = open_sql_truth(file)
    remember(truth, "still here")
    with truth.reading() as reader:
        identity = reader.identity()
    truth.close()
    for _ in range(3):
        truth = open_sql_truth(file, identity=IDENTITY)
        with truth.reading() as reader:
            assert reader.identity() == identity
            assert reader.contents([1]) == {1: "still here"}
        truth.close()


def test_two_stores_draw_different_ids_and_keys(tmp_path: Path) -> None:
    """O13: a receipt of one store is none of another's, and nobody can sign for it."""
    identities = []
    for name in "ab":
        truth = open_sql_truth(tmp_path / name / "truth.db")
        with truth.reading() as reader:
            identities.append(reader.identity())
        truth.close()
    first, second = identities
    assert first.store != second.store
    assert first.key != second.key
    assert len(first.key) == 32


def test_an_existing_store_is_opened_and_read_under_a_held_write_lock(file: Path) -> None:
    """case C3: no housekeeping write stands in the way of a reader."""
    truth = open_sql_truth(file)
    remember(truth, "readable")
    truth.close()
    with locked(file):
        truth = open_sql_truth(file, patience=0)
        with truth.reading() as reader:
            assert reader.contents([1]) == {1: "readable"}
        truth.close()


def test_opening_and_reading_write_nothing(file: Path) -> None:
    """case C3: the file has the same bytes before and after, and no log grows beside it."""
    truth = open_sql_truth(file)
    remember(truth, "unchanged")
    truth.close()
    before = file.read_bytes()
    truth = open_sql_truth(file)
    with truth.reading() as reader:
        assert reader.last_number() == 1
    log = file.with_name(file.name + "-wal")
    assert not log.exists() or log.stat().st_size == 0
    assert file.read_bytes() == before
    truth.close()


def test_a_write_lock_held_by_another_process_ends_in_a_refusal(file: Path) -> None:
    """case C1: nobody hangs, and the refusal says that the store is busy."""
    truth = open_sql_truth(file, identity=IDENTITY, patience=0.05)
    with locked(file), pytest.raises(MissingState) as refused:
        remember(truth, "late")
    assert (refused.value.kind, refused.value.id) == (StateKind.STORE_BUSY, IDENTITY.store)
    assert remember(truth, "in time") == [1]
    truth.close()


def test_many_openings_of_a_new_store_make_one_store(file: Path) -> None:
    """case C1: sessions that start at once on a store that is not there yet all get the same one."""
    with ThreadPoolExecutor(8) as pool:
        truths = list(pool.map(lambda _: open_sql_truth(file), range(8)))
    identities = set()
    for place, truth in enumerate(truths):
        remember(truth, f"from {place}")
        with truth.reading() as reader:
            identities.add((reader.identity().store, reader.identity().key))
    with truths[0].reading() as reader:
        assert reader.last_number() == 8
    assert len(identities) == 1
    for truth in truths:
        truth.close()


def test_a_file_without_tables_becomes_a_store(file: Path) -> None:
    """case C6: a process that died while it made the store leaves an empty file, and the next one goes on."""
    file.parent.mkdir()
    file.touch()
    truth = open_sql_truth(file)
    assert remember(truth, "made") == [1]
    truth.close()


def test_a_store_of_a_newer_program_is_refused_and_left_alone(file: Path) -> None:
    """case L4: both formats are named, and what to do; nothing is written."""
    open_sql_truth(file).close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0999'")
    connection.close()
    before = file.read_bytes()
    with pytest.raises(StoreUnusable, match=rf"format 0999.*formats up to {migrations.HEAD}.*newer program"):
        open_sql_truth(file)
    assert file.read_bytes() == before


def test_a_store_migrated_by_another_process_is_not_touched_by_this_one(file: Path) -> None:
    """case L4: a session that runs on while a newer program migrates the store neither reads nor writes it wrongly."""
    truth = open_sql_truth(file)
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0999'")
    connection.close()
    for begin in (truth.reading, truth.writing):
        with pytest.raises(StoreUnusable, match="restart"), begin():
            pass
    truth.close()


@pytest.mark.parametrize(
    ("name", "content", "lesson"),
    [
        ("truth.db", b"not a database, but long enough to have a header" * 40, "not a store"),
        ("truth.db", None, "other tables"),
    ],
    ids=["no database", "somebody else's"],
)
def test_what_is_no_store_is_refused_and_left_alone(tmp_path: Path, name: str, content: bytes | None, lesson: str) -> None:
    """case L4: a wrong path must not cost anybody their file."""
    file = tmp_path / name
    if content is None:
        connection = sqlite3.connect(file)
        connection.execute("CREATE TABLE songs (title TEXT)")
        connection.close()
    else:
        file.write_bytes(content)
    before = file.read_bytes()
    with pytest.raises(StoreUnusable, match=lesson):
        open_sql_truth(file)
    assert sqlite_tables(file, before) == sqlite_tables(file, file.read_bytes())


def sqlite_tables(file: Path, content: bytes) -> list[str] | bytes:
    """The tables that a database file holds, or its bytes if it is none."""
    if not content.startswith(b"SQLite format 3"):
        return content
    connection = sqlite3.connect(":memory:")
    connection.deserialize(content)
    try:
        return [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
    finally:
        connection.close()


def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path) -> None:
    """case L4: a file in the way of the folder, or a folder in the way of the file."""
    (tmp_path / "taken").touch()
    (tmp_path / "folder").mkdir()
    for place in (tmp_path / "taken" / "truth.db", tmp_path / "folder"):
        with pytest.raises(StoreUnusable, match="folder"):
            open_sql_truth(place)


def test_opening_a_store_imports_no_migration_tool_and_no_other_database(tmp_path: Path) -> None:
    """case I2: hosts start a server for every session, so start-up pays for nothing that is not needed."""
    program = (
        "import sys; from pathlib import Path; from recordance_adapters.driven.sql_truth.opening import open_sql_truth\n"
        "for _ in range(2): open_sql_truth(Path(sys.argv[1])).close()\n"
        "foreign = ('alembic', 'mako', 'psycopg', 'sqlalchemy.dialects.postgresql')\n"
        "print([name for name in sys.modules if name.startswith(foreign)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "store" / "truth.db")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    assert done.stdout == "[]\n", done.stderr


def test_every_connection_is_durable_private_and_watched(file: Path) -> None:
    """W1: a commit is on the disk when it returns, freed bytes are overwritten, references are checked."""
    truth = open_sql_truth(file)
    wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1}
    with truth.reading() as first, truth.reading() as second:
        for reader in (first, second):
            cursor = reader._rows._cursor
            assert {name: cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in wanted} == wanted
    truth.close()


def test_the_change_probe_tells_when_anybody_has_written(file: Path) -> None:
    """A follower asks for it often: it changes with each write, in this process or another, and with nothing else."""
    truth, other = open_sql_truth(file), open_sql_truth(file)
    seen = truth.data_version()
    for writer in (truth, other):
        remember(writer, "written")
        assert truth.data_version() != seen
        seen = truth.data_version()
        with writer.reading() as reader:
            reader.capsules([1])
        assert truth.data_version() == seen
    truth.close()
    other.close()
