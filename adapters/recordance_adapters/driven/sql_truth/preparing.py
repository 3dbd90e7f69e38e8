"""Making a store what this program needs: its own tables where there are none, its format where it has an older one."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine, insert, select

import recordance
from recordance.domain.identity import StoreIdentity
from recordance.errors import StoreUnusable
from recordance_adapters.driven.sql_truth import migrations, tables
from recordance_adapters.driven.sql_truth.dialect import SqlDialect
from recordance_adapters.driven.sql_truth.standing import require_settled
from recordance_adapters.driven.sql_truth.truth import SqlTruth

KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Formats:
    """The format that a store is brought to, the folders of the revisions that lead there, and marks that are left as found."""

    head: str = migrations.HEAD
    folders: tuple[Path, ...] = (migrations.VERSIONS,)
    marks: frozenset[str] = frozenset()


def prepared(
    engine: Engine,
    dialect: SqlDialect,
    *,
    patience: float,
    identity: StoreIdentity | None = None,
    formats: Formats | None = None,
    lost: StoreUnusable | None = None,
) -> SqlTruth:
    """Return the store behind an engine, made or migrated where need be; `lost` is raised where one should be and none is.

    Raises what `open_sql_truth` does. The engine is disposed of on an error.
    """
    formats = formats or Formats()
    with told_by(dialect):
        try:
            with engine.connect() as connection:
                version = _format_of(connection, dialect)
                if version is None and lost is not None and dialect.obstacle is None:
                    # What is there may be of another process that makes the store: its transaction ends before this one begins.
                    dialect.begin_writing(connection.connection.cursor())
                    version = _format_of(connection, dialect)
            if version is None and lost is not None:
                raise lost
            ready = _ready(engine, dialect, version, identity or _by_chance(), formats)
            found = _identity(engine)
        except BaseException:
            engine.dispose()
            raise
    return SqlTruth(engine, dialect, found, ready, patience)


def _ready(engine: Engine, dialect: SqlDialect, version: str | None, identity: StoreIdentity, formats: Formats) -> str:
    """Bring the store to the format wanted, or see that it has it where nothing can be written; return what it has then."""
    marked = version if version in formats.marks else None
    if version is not None and marked is None:
        require_settled(engine, version)
    if dialect.obstacle is not None:
        if marked is None:
            _require_format(version, formats, dialect.obstacle)
        return marked or formats.head
    dialect.settle(engine)
    if marked is not None:
        return marked
    if version is None:
        _create(engine, dialect, identity, formats)
    elif version != formats.head:
        _migrate(engine, dialect, version, formats)
    return formats.head


def _identity(engine: Engine) -> StoreIdentity:
    with engine.connect() as connection:
        return StoreIdentity(*connection.execute(select(tables.store_meta.c.store, tables.store_meta.c.key)).one())


def _format_of(connection: Connection, dialect: SqlDialect) -> str | None:
    """Return the format of the store, None where there is nothing yet; raises StoreUnusable for somebody else's tables."""
    names = dialect.table_names(connection)
    if not names:
        return None
    if not {tables.alembic_version.name, tables.store_meta.name, tables.journal.name} <= names:
        lesson = "the database holds other tables than a store's: name another place for the store"
        raise StoreUnusable(lesson, lesson=lesson)
    return str(connection.scalars(select(tables.alembic_version.c.version_num)).one())


def _create(engine: Engine, dialect: SqlDialect, identity: StoreIdentity, formats: Formats) -> None:
    with engine.connect() as connection:
        dialect.begin_writing(connection.connection.cursor())
        if _format_of(connection, dialect) is None:  # else another process made it while this one waited for its turn
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
def told_by(dialect: SqlDialect) -> Iterator[None]:
    """Turn what the driver says into what the port promises."""
    try:
        yield
    except Exception as error:
        failure = dialect.failure(error, "store")
        if failure is None:
            raise
        raise failure from error
