"""Empty stores on the session's Postgres: copies of one template, wiped after use and lent again; to make tables takes long."""

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import psycopg

from recordance.domain.identity import StoreIdentity
from recordance_adapters.driven.sql_truth import tables
from recordance_adapters.driven.sql_truth.opening import open_postgres_truth
from recordance_adapters.driven.sql_truth.truth import SqlTruth
from support.postgres_server import session_server

_KEPT = ("alembic_version", "store_meta", "counter")
_WIPE = "; ".join(
    [
        "SET lock_timeout = '2s'",
        *(f"DELETE FROM {table.name}" for table in reversed(tables.metadata.sorted_tables) if table.name not in _KEPT),
        "UPDATE counter SET capsules = 0, words = 0, last_number = 0, seq = 0",
    ]
)
_template: list[str] = []
_free: list[str] = []
_named: dict[Path, str] = {}
_idle: list[tuple[str, SqlTruth]] = []


def database_of(folder: Path, identity: StoreIdentity) -> str:
    """The URL of the database that stands for a folder during one test: an empty store at first, the same one afterwards."""
    if folder not in _named:
        _named[folder] = _take(identity)
    return session_server().url_of(_named[folder])


@contextmanager
def lent_truth(identity: StoreIdentity) -> Iterator[SqlTruth]:
    """An open truth over an empty store. It is kept open and lent again, so that nothing of it may be held on to."""
    name, truth = _idle.pop() if _idle else _opened(identity)
    try:
        yield truth
    finally:
        if _wiped(name):
            _idle.append((name, truth))
        else:
            truth.close()


def give_back() -> None:
    """Wipe what a test has used by its folders, for the next one."""
    for folder in list(_named):
        name = _named.pop(folder)
        if _wiped(name):
            _free.append(name)


def close_all() -> None:
    """Close what is kept open."""
    while _idle:
        _idle.pop()[1].close()


def _opened(identity: StoreIdentity) -> tuple[str, SqlTruth]:
    name = _take(identity)
    return name, open_postgres_truth(session_server().url_of(name), identity=identity, patience=60.0, pool=4)


def _take(identity: StoreIdentity) -> str:
    server = session_server()
    if not _template:
        name = server.make_database()
        open_postgres_truth(server.url_of(name), identity=identity).close()
        _template.append(name)
    return _free.pop() if _free else server.make_database(_template[0])


def _wiped(name: str) -> bool:
    """Empty a store; one that is still being written to, or is no store any more, is dropped instead."""
    server = session_server()
    with suppress(psycopg.Error):
        with closing(psycopg.connect(server.url_of(name), autocommit=True)) as connection:
            connection.execute(_WIPE.encode())
        return True
    server.drop_database(name)
    return False
