"""A store made anew and a store brought here by every revision are one and the same."""

import sqlite3
from pathlib import Path
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine

from recordance_adapters.driven.sql_truth import migrations, tables
from recordance_adapters.driven.sql_truth.migrating import run_revisions


def test_all_revisions_together_make_the_tables_of_today(tmp_path: Path) -> None:
    """case L4: columns, keys, indexes and the rows that they leave out, compared as SQLite itself tells them."""
    migrated, fresh = tmp_path / "migrated.db", tmp_path / "fresh.db"
    for file in (migrated, fresh):
        engine = create_engine(f"sqlite:///{file}")
        with engine.begin() as connection:
            if file is fresh:
                tables.made_for(connection.dialect.name).create_all(connection)
            else:
                run_revisions(connection, migrations.HEAD, [migrations.VERSIONS])
                assert differences(connection) == []
        engine.dispose()
    assert structure(migrated) == structure(fresh)
    assert set(structure(fresh)) == set(tables.metadata.tables)


def test_the_revisions_are_one_line_that_ends_at_this_format() -> None:
    """case L4: numbered without holes, so that older and newer can be told apart without reading any."""
    script = ScriptDirectory(str(Path(migrations.__file__).parent), version_locations=[str(migrations.VERSIONS)])
    numbers = [revision.revision for revision in script.walk_revisions()]
    assert numbers == [f"{number:04}" for number in range(int(migrations.HEAD), 0, -1)]


def differences(connection: Connection) -> list[Any]:
    return compare_metadata(
        MigrationContext.configure(connection, opts={"compare_type": True}), tables.made_for(connection.dialect.name)
    )


def structure(file: Path) -> dict[str, Any]:
    """Each table with its columns, references and indexes, whatever their order."""
    connection = sqlite3.connect(file)
    ask = lambda pragma, of: connection.execute(f"SELECT * FROM pragma_{pragma}(?)", (of,)).fetchall()  # noqa: E731
    try:
        return {
            name: {
                "without rowid": bool(rowidless),
                "columns": {column[1:] for column in ask("table_xinfo", name)},
                "references": {reference[2:] for reference in ask("foreign_key_list", name)},
                "indexes": {
                    (index[1] if index[3] == "c" else None, index[2:], tuple(part[2:] for part in ask("index_xinfo", index[1])))
                    for index in ask("index_list", name)
                },
                "conditions": {
                    " ".join(sql.split("WHERE")[-1].split())
                    for (sql,) in connection.execute(
                        "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql LIKE '%WHERE%'", (name,)
                    )
                },
            }
            for _, name, kind, _, rowidless, _ in connection.execute("PRAGMA table_list").fetchall()
            if kind == "table" and not name.startswith("sqlite_")
        }
    finally:
        connection.close()
