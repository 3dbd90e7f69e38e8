"""Opening a store: as it is when its format is this program's, made anew when there is none, migrated when it is older."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine, insert, inspect, select

import recordance
from recordance.domain.identity import StoreIdentity
from recordance.errors import StoreUnusable
from recordance_adapters.driven.sql_truth import migrations, tables
from recordance_adapters.driven.sql_truth.dialect import SqlDialect
from recordance_adapters.driven.sql_truth.sqlite_dialect import SqliteDialect, sqlite_engine
from recordance_adapters.driven.sql_truth.sqlite_file import StoreFile, lost, remains_of, store_file
from recordance_adapters.driven.sql_truth.truth import SqlTruth

PATIENCE_SECONDS = 30.0
"""How long a writer waits for others before it says that the store is busy."""
KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Formats:
    """The format that a store is brought to, and the folders of the revisions that lead there."""

    head: str = migrations.HEAD
    folders: tuple[Path, ...] = (migrations.VERSIONS,)


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
    dialect, formats = SqliteDialect(file, patience), formats or Formats()
    with _told_by(dialect):
        engine = sqlite_engine(file, patience)
        try:
            with engine.connect() as connection:
                version = _format_of(connection)
                if version is None and remains and dialect.obstacle is None:
                    # They may be of another process that is making the store: its transaction ends before this one begins.
                    dialect.begin_writing(connection.connection.cursor())
                    version = _format_of(connection)
            if version is None and remains:
                raise lost(file.path, remains)
            _ready(engine, dialect, version, identity or _by_chance(), formats)
            found = _identity(engine)
        except BaseException:
            engine.dispose()
            raise
    return SqlTruth(engine, dialect, found, formats.head, patience)


def _ready(engine: Engine, dialect: SqlDialect, version: str | None, identity: StoreIdentity, formats: Formats) -> None:
    """Bring the store to the format wanted, or see that it has it where nothing can be written."""
    if dialect.obstacle is not None:
        _require_format(version, formats, dialect.obstacle)
        return
    dialect.settle(engine)
    if version is None:
        _create(engine, dialect, identity, formats)
    elif version != formats.head:
        _migrate(engine, dialect, version, formats)


def _identity(engine: Engine) -> StoreIdentity:
    with engine.connect() as connection:
        return StoreIdentity(*connection.execute(select(tables.store_meta.c.store, tables.store_meta.c.key)).one())


def _format_of(connection: Connection) -> str | None:
    """Return the format of the store, None where there is nothing yet; raises StoreUnusable for somebody else's tables."""
    names = set(inspect(connection).get_table_names())
    if not names:
        return None
    if not {tables.alembic_version.name, tables.store_meta.name, tables.journal.name} <= names:
        lesson = "the database holds other tables than a store's: name another place for the store"
        raise StoreUnusable(lesson, lesson=lesson)
    return str(connection.scalars(select(tables.alembic_version.c.version_num)).one())


def _create(engine: Engine, dialect: SqlDialect, identity: StoreIdentity, formats: Formats) -> None:
    with engine.connect() as connection:
        dialect.begin_writing(connection.connection.cursor())
        if _format_of(connection) is None:  # else another process made it while this one waited for its turn
            tables.made_for(connection.dialect.name).create_all(connection)
            connection.execute(insert(tables.alembic_version).values(version_num=migrations.HEAD))
            meta = {"one": 1, "store": identity.store, "key": identity.key, "made_by": recordance.__version__}
            connection.execute(insert(tables.store_meta).values(meta))
            connection.execute(insert(tables.counter).values(one=1, capsules=0, words=0, last_number=0, seq=0))
            connection.commit()
    if formats.head != migrations.HEAD:
        _migrate(engine, dialect, migrations.HEAD, formats)


def _require_format(version: str | None, formats: Formats, obstacle: str) -> None:
    if version is None:
        lesson = "nothing is stored there yet, and nothing can be written: name the folder of a store, or one that may be written"
        raise StoreUnusable(f"{lesson} ({obstacle})", lesson=lesson)
    _refuse_newer(version, formats)
    if version != formats.head:
        lesson = f"the store has the older format {version} and must be migrated, for which it must be writable: let it be once"
        raise StoreUnusable(f"{lesson} ({obstacle})", lesson=lesson)


def _migrate(engine: Engine, dialect: SqlDialect, found: str, formats: Formats) -> None:
    _refuse_newer(found, formats)
    from recordance_adapters.driven.sql_truth.migrating import migrate

    migrate(engine, dialect, formats.head, formats.folders)


def _refuse_newer(found: str, formats: Formats) -> None:
    if found == formats.head:
        return
    if not (found.isdecimal() and int(found) < int(formats.head)):
        lesson = (
            f"the store has format {found}, and this program knows formats up to {formats.head}: "
            "open it with the newer program that wrote it, or restore the copy that was made before it was migrated"
        )
        raise StoreUnusable(lesson, lesson=lesson)


def _by_chance() -> StoreIdentity:
    return StoreIdentity(secrets.token_hex(8), secrets.token_bytes(KEY_BYTES))


@contextmanager
def _told_by_files() -> Iterator[None]:
    """Turn what the file system says into what the port promises."""
    try:
        yield
    except OSError as error:
        lesson = "the folder of the store cannot be used: see that it is a folder, who owns it, and that its disk has room"
        raise StoreUnusable(f"{lesson} ({error})", lesson=f"{lesson} ({error.strerror or type(error).__name__})") from error


@contextmanager
def _told_by(dialect: SqlDialect) -> Iterator[None]:
    """Turn what the driver says into what the port promises."""
    try:
        yield
    except Exception as error:
        failure = dialect.failure(error, "store")
        if failure is None:
            raise
        raise failure from error
