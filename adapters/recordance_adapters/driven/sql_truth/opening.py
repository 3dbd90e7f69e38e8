"""Opening a store, in a file or on a server: as it is when its format is this program's, made anew when there is none.

What each database needs is imported when a store in it is opened: the driver of the one is no business of the other's start.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from recordance.domain.identity import StoreIdentity
from recordance.errors import StoreUnusable
from recordance_adapters.driven.sql_truth.preparing import Formats, prepared
from recordance_adapters.driven.sql_truth.sqlite_file import StoreFile, lost, remains_of, store_file
from recordance_adapters.driven.sql_truth.truth import SqlTruth

PATIENCE_SECONDS = 30.0
"""How long a writer waits for others before it says that the store is busy."""
POOL_CONNECTIONS = 8
CONNECT_SECONDS = 5.0
STATEMENT_SECONDS = 30.0


def open_sql_truth(
    path: Path,
    *,
    identity: StoreIdentity | None = None,
    patience: float = PATIENCE_SECONDS,
    formats: Formats | None = None,
    followers: Sequence[Path] = (),
) -> SqlTruth:
    """Open the store whose SQLite file is `path`; make it, and its folder, when there is none.

    `identity` is that of a new store, drawn by chance when left out; an existing store keeps its own. `followers` are files
    that were there before this call and are made after the truth alone. Nothing is written into a store of this program's
    format; one that may not be written is opened for reading (`obstacle` of the truth says why). Raises StoreUnusable when the
    file is no store, or a newer program's, or cannot be migrated, or is gone while other parts of a store are there, and
    MissingState(STORE_BUSY) when others keep it locked beyond `patience` seconds.
    """
    with _told_by_files():
        remains = remains_of(path, followers)
        return open_sql_file(store_file(path, remains), identity=identity, patience=patience, formats=formats, remains=remains)


def open_sql_file(
    file: StoreFile,
    *,
    identity: StoreIdentity | None = None,
    patience: float = PATIENCE_SECONDS,
    formats: Formats | None = None,
    remains: Sequence[Path] = (),
) -> SqlTruth:
    """Open the store in a file that is there, as far as its access goes, and make it one if it is empty and nothing remains.

    Takes and raises what `open_sql_truth` does; `remains` are those of a store that the file must hold.
    """
    from recordance_adapters.driven.sql_truth.sqlite_dialect import SqliteDialect, sqlite_engine

    missing = lost(file.path, remains) if remains else None
    engine, dialect = sqlite_engine(file, patience), SqliteDialect(file, patience)
    return prepared(engine, dialect, patience=patience, identity=identity, formats=formats, lost=missing)


def open_postgres_truth(
    url: str,
    *,
    password: str | None = None,
    identity: StoreIdentity | None = None,
    patience: float = PATIENCE_SECONDS,
    formats: Formats | None = None,
    pool: int = POOL_CONNECTIONS,
    connect_timeout: float = CONNECT_SECONDS,
    statement_timeout: float = STATEMENT_SECONDS,
    schema: str | None = None,
    missing: StoreUnusable | None = None,
) -> SqlTruth:
    """Open the store in one schema of a Postgres database; make its tables, and the schema, when there are none.

    `url` is postgresql://user@host:port/database with whatever libpq takes behind a question mark (sslmode, sslrootcert …);
    `password` goes before the one in it. `schema` is the first of the user's own when left out; several stores share one
    database in several schemas. `identity`, `patience` and `formats` are those of `open_sql_truth`; timeouts are seconds. Up to
    `pool` connections stay open, twice as many work at once. Where there is no store and `missing` is given, that is raised, and
    nothing made. A database that takes no writes is opened for reading. No copy is made before a migration: that is for whoever
    runs the server. Raises StoreUnusable when the server is not there (STORE_UNREACHABLE), is too old, refuses this user, or
    holds no store but other tables, or a newer program's store.
    """
    try:
        from recordance_adapters.driven.sql_truth import postgres_connecting as connecting
        from recordance_adapters.driven.sql_truth.postgres_dialect import PostgresDialect
    except ImportError as error:
        lesson = "the truth is to be in Postgres and its driver is not installed: install recordance[postgres]"
        raise StoreUnusable(f"{lesson} ({error})", lesson=lesson) from error

    server = connecting.server_of(url, password, connect_timeout, statement_timeout, schema)
    entrance = connecting.entered(server, patience, missing)
    dialect = PostgresDialect(entrance.server, patience=patience, obstacle=entrance.obstacle, token=secrets.token_hex(8))
    engine = connecting.postgres_engine(entrance, pool, patience)
    return prepared(engine, dialect, patience=patience, identity=identity, formats=formats, lost=missing)


@contextmanager
def _told_by_files() -> Iterator[None]:
    """Turn what the file system says into what the port promises."""
    try:
        yield
    except OSError as error:
        lesson = "the folder of the store cannot be used: see that it is a folder, who owns it, and that its disk has room"
        raise StoreUnusable(f"{lesson} ({error})", lesson=f"{lesson} ({error.strerror or type(error).__name__})") from error
