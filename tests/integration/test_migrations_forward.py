"""Older stores become stores of this format: with a backup, with everything kept, or not at all."""

import os
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent

import pytest

from recordance.errors import StoreUnusable
from recordance_adapters.driven.sql_truth import migrations
from recordance_adapters.driven.sql_truth.opening import Formats, open_sql_truth
from support.truths import Reading, entombed, read_everything, remember, stands, write

NEXT = "0004"
NEXT_REVISION = dedent(
    """
    from alembic import op
    import sqlalchemy as sa

    revision = "0004"
    down_revision = "0003"


    def upgrade():
        op.add_column("capsule", sa.Column("mood", sa.Text(), nullable=True))
        op.execute("UPDATE capsule SET mood = 'calm' WHERE tombstoned_at IS NULL")
        with op.batch_alter_table("capsule") as batch:
            batch.alter_column("writer", existing_type=sa.Text(), nullable=True)
    """
)
FAILING_REVISION = NEXT_REVISION + "    raise RuntimeError('no mood today')\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An older store with a little of everything, in a folder whose name a configuration file would misread."""
    file = tmp_path / "100% a store" / "truth.db"
    truth = open_sql_truth(file)
    remember(truth, "one", "two", "three", tags=("t",))
    write(truth, stands(2, archived_at=1), entombed(3))
    truth.close()
    return file


def formats(folder: Path, revision: str) -> Formats:
    """What a program of the next format knows; its revision is written into a folder of its own."""
    folder = folder / "its own % revisions"
    folder.mkdir(exist_ok=True)
    (folder / "next.py").write_text(revision, encoding="utf-8")
    return Formats(NEXT, (migrations.VERSIONS, folder))


def everything(file: Path, formats: Formats | None = None) -> Reading:
    truth = open_sql_truth(file, formats=formats)
    try:
        with truth.reading() as reader:
            return read_everything(reader)
    finally:
        truth.close()


def ask(file: Path, sql: str) -> list[tuple]:
    connection = sqlite3.connect(file)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def test_an_older_store_is_migrated_with_all_that_it_holds(file: Path, tmp_path: Path) -> None:
    """case L4: the same answers before and after, the new column filled, references sound, and writing goes on."""
    before = everything(file)
    newer = formats(tmp_path, NEXT_REVISION)
    assert everything(file, newer) == before
    assert ask(file, "SELECT number, mood FROM capsule ORDER BY number") == [(1, "calm"), (2, "calm"), (3, None)]
    assert ask(file, "SELECT version_num FROM alembic_version") == [(NEXT,)]
    assert ask(file, "PRAGMA foreign_key_check") == []
    assert ask(file, "PRAGMA integrity_check") == [("ok",)]
    truth = open_sql_truth(file, formats=newer)
    assert remember(truth, "four") == [4]
    truth.close()


def test_a_backup_stands_beside_the_store_before_anything_changes(file: Path, tmp_path: Path) -> None:
    """case L4: the copy is a whole store of the old format, private like the store, and opens with the old program."""
    before = everything(file)
    everything(file, formats(tmp_path, NEXT_REVISION))
    backup = file.with_name("truth.db.format-0003")
    assert everything(backup) == before
    if os.name == "posix":
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert not list(file.parent.glob("*.part"))


def test_a_migrated_store_is_not_migrated_again(file: Path, tmp_path: Path) -> None:
    """case C3: from the second opening on there is nothing to do, and no copy is made."""
    newer = formats(tmp_path, NEXT_REVISION)
    everything(file, newer)
    file.with_name("truth.db.format-0003").unlink()
    everything(file, newer)
    assert not list(file.parent.glob("*format-*"))


def test_the_older_program_refuses_the_migrated_store(file: Path, tmp_path: Path) -> None:
    """case L4: it names both formats instead of writing what the newer one does not expect."""
    everything(file, formats(tmp_path, NEXT_REVISION))
    with pytest.raises(StoreUnusable, match=f"format {NEXT}.*up to {migrations.HEAD}"):
        open_sql_truth(file)


def test_a_session_of_the_older_program_stops_at_a_migrated_store(file: Path, tmp_path: Path) -> None:
    """case L4: it was open all the time; its next read and its next write say that it must be restarted."""
    older = open_sql_truth(file)
    everything(file, formats(tmp_path, NEXT_REVISION))
    for begin in (older.reading, older.writing):
        with pytest.raises(StoreUnusable, match="restart"), begin():
            pass
    older.close()


def test_a_migration_that_fails_leaves_the_store_as_it_was(file: Path, tmp_path: Path) -> None:
    """case L4: no store is left half migrated, no server starts on one, and the reason and the copy are named."""
    before = everything(file)
    with pytest.raises(StoreUnusable, match=r"0003 to 0004: no mood today.*truth\.db\.format-0003"):
        open_sql_truth(file, formats=formats(tmp_path, FAILING_REVISION))
    assert everything(file) == before
    assert "mood" not in {column[1] for column in ask(file, "PRAGMA table_info(capsule)")}
    assert everything(file, formats(tmp_path, NEXT_REVISION)) == before


def test_programs_that_start_at_once_migrate_once(file: Path, tmp_path: Path) -> None:
    """case C1, case L4: the others wait for the one that migrates, and find the work done."""
    newer = formats(tmp_path, NEXT_REVISION)
    with ThreadPoolExecutor(4) as pool:
        readings = list(pool.map(lambda _: everything(file, newer), range(4)))
    assert all(reading == readings[0] for reading in readings)
    assert ask(file, "SELECT count(*) FROM capsule WHERE mood = 'calm'") == [(2,)]
    assert [path.name for path in file.parent.glob("*format-*")] == ["truth.db.format-0003"]


def test_a_new_store_of_a_newer_program_has_the_newer_tables(tmp_path: Path) -> None:
    """case L4: made anew or migrated, a store of one format is the same."""
    file = tmp_path / "new" / "truth.db"
    everything(file, formats(tmp_path, NEXT_REVISION))
    assert "mood" in {column[1] for column in ask(file, "PRAGMA table_info(capsule)")}
