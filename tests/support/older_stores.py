"""Stores of formats from before this one, made by the revisions that made them, and what lies in the files of a store."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text

from recordance_adapters.driven.sql_truth import migrations
from recordance_adapters.driven.sql_truth.migrating import run_revisions
from recordance_adapters.driven.sql_truth.opening import Formats, open_sql_truth
from recordance_adapters.driven.sql_truth.truth import SqlTruth
from support.truths import IDENTITY

FIRST = "0001"


def make_first_format(file: Path) -> None:
    """An empty store of the first format, as its program left it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        run_revisions(connection, FIRST, [migrations.VERSIONS])
        meta = {"store": IDENTITY.store, "key": IDENTITY.key}
        connection.execute(text("INSERT INTO store_meta (one, store, key, made_by) VALUES (1, :store, :key, 'the first')"), meta)
        connection.execute(text("INSERT INTO counter (one, capsules, words, last_number, seq) VALUES (1, 0, 0, 0, 0)"))
    engine.dispose()


@contextmanager
def opened_as(file: Path, version: str) -> Iterator[SqlTruth]:
    """A store opened by the program of its format; what later formats have besides cannot be asked for."""
    truth = open_sql_truth(file, formats=Formats(version))
    try:
        yield truth
    finally:
        truth.close()


def holding(folder: Path, *wanted: bytes) -> list[str]:
    """The names of the files in a folder and below that hold any of these bytes."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path.name for path in files if any(each in path.read_bytes() for each in wanted)]
