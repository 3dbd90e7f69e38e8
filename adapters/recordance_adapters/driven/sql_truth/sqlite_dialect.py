"""What is SQLite's own on a connection: pragmas, transactions, busy handling, checkpoints, backups, the change probe."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

from sqlalchemy import URL, Connection, Engine, PoolProxiedConnection, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.pool import QueuePool

from recordance.errors import Fault, MissingState, RecordanceError, StateKind, StoreUnusable
from recordance_adapters.driven.sql_truth.sqlite_duty import FileDuty
from recordance_adapters.driven.sql_truth.sqlite_file import Access, StoreFile, copies_of, make_private_file, scraps_of

IDLE_CONNECTIONS = 4
"""How many connections stay open between transactions; more are opened when more run at once, and closed afterwards."""
CACHED_STATEMENTS = 256
_TURN_MILLISECONDS = 3
_MOST_VERSION = 2**31 - 1
_PRAGMAS = ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON", "wal_autocheckpoint = 4000")
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_LESSONS = {
    sqlite3.SQLITE_NOTADB: "the file is not a store: name another, or move it away",
    sqlite3.SQLITE_CORRUPT: "the file is damaged: restore a backup",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened: check its folder and who owns it",
    sqlite3.SQLITE_READONLY: "the file may not be written: check who owns it and whether its disk is writable",
    sqlite3.SQLITE_PERM: "the file may not be opened: check who owns it",
    sqlite3.SQLITE_FULL: "the disk is full: make room and try again",
    sqlite3.SQLITE_IOERR: "the disk fails to read or write: check it, then restore a backup",
}
_PRIMARY_CODE = 0xFF
_UNREAD_LOG = "the log beside the file holds writes, and can be read only where something may be written: copy the folder there"


class SqliteDialect:
    """SQLite in write-ahead mode over one file (see SqlDialect); nobody waits longer than `patience` seconds."""

    def __init__(self, file: StoreFile, patience: float) -> None:
        self._file = file
        self._patience = patience
        self._probe: PoolProxiedConnection | None = None
        self._probing = threading.Lock()

    @property
    def obstacle(self) -> str | None:
        """See SqlDialect."""
        return self._file.obstacle

    def table_names(self, connection: Connection) -> Set[str]:
        """See SqlDialect."""
        named = _driver(connection.connection.dbapi_connection).execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {name for (name,) in named if not name.startswith("sqlite_")}

    def begin_reading(self, cursor: DBAPICursor) -> None:
        """See SqlDialect: a deferred transaction takes no lock that a writer would wait for, nor the other way round."""
        self._file.verify()
        cursor.execute("BEGIN")

    def end_reading(self) -> None:
        """See SqlDialect: a file that is read without locks may have been written meanwhile."""
        if self._file.access is Access.FROZEN:
            self._file.verify()

    def begin_writing(self, cursor: DBAPICursor) -> None:
        """See SqlDialect: taking the lock at once is what makes waiting possible; a read lock cannot be upgraded safely.

        SQLite's own wait grows to a tenth of a second between two looks, so that a process among busy ones can go without the
        lock for a second. Waiting in short turns, all have the same chance.
        """
        if self.obstacle is not None:
            lesson = "it may only be read where it lies: let this program write there, or copy the store to where it may"
            raise MissingState(StateKind.NOT_PERMITTED, "store", lesson)
        deadline = time.monotonic() + self._patience
        cursor.execute(f"PRAGMA busy_timeout = {_TURN_MILLISECONDS}")
        try:
            while not _begins(cursor, deadline):
                pass
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {int(self._patience * 1000)}")
        self._file.verify()

    def begin_beside(self, cursor: DBAPICursor) -> None:
        """See SqlDialect: a file has one writer, whatever is written."""
        self.begin_writing(cursor)

    def commit(self, connection: PoolProxiedConnection) -> None:
        """See SqlDialect: SQLite commits as well into a file that has lost its name, where nobody will find it."""
        connection.commit()
        self._file.verify_written()

    def failure(self, error: Exception, store: str) -> RecordanceError | None:
        """See SqlDialect."""
        error = getattr(error, "orig", None) or error
        if not isinstance(error, sqlite3.Error):
            return None
        if _is_busy(error):
            return MissingState(StateKind.STORE_BUSY, store, "another process has been writing for too long; try again")
        trouble = self._file.trouble()
        if trouble is not None:
            return trouble
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
        unread = code == sqlite3.SQLITE_CANTOPEN and self._file.access is Access.READING
        lesson = _UNREAD_LOG if unread else _LESSONS.get(code)
        told = f"{self._file.path}: SQLite: {error}"
        return Fault(told) if lesson is None else StoreUnusable(f"{told}; {lesson}", lesson=lesson)

    def is_lost(self, connection: PoolProxiedConnection) -> bool:  # noqa: ARG002
        """See SqlDialect: there is nobody at the other end."""
        return False

    def data_version(self, engine: Engine) -> int:
        """See SqlDialect: one connection is kept for it, which never writes, so that every commit is another's."""
        with self._probing:
            if self._probe is None:
                self._probe = engine.raw_connection()
                self._probe.detach()
            (version,) = _driver(self._probe.dbapi_connection).execute("PRAGMA data_version").fetchone()
            return int(version)

    def rewrite(self, connection: PoolProxiedConnection, seq: int, head: int) -> bool:
        """See SqlDialect: `secure_delete` leaves what stood between a page's rows before SQLite arranged them anew.

        The file's `user_version` says up to where that was done, so that of several processes one does it.
        """
        if self.obstacle is not None:
            return True
        driver = _driver(connection.dbapi_connection)
        if driver.execute("PRAGMA user_version").fetchone()[0] >= seq:
            return True
        driver.execute(f"PRAGMA busy_timeout = {_TURN_MILLISECONDS}")
        try:
            driver.execute("VACUUM")
        except sqlite3.OperationalError as error:
            if not _is_busy(error):
                raise
            return False
        finally:
            driver.execute(f"PRAGMA busy_timeout = {int(self._patience * 1000)}")
        driver.execute(f"PRAGMA user_version = {min(head, _MOST_VERSION)}")
        return True

    def truncate_log(self, connection: PoolProxiedConnection, patience: float) -> bool:
        """See SqlDialect: SQLite waits for readers as for a writer's turn, in short turns."""
        if self.obstacle is not None:
            return True
        driver, deadline = _driver(connection.dbapi_connection), time.monotonic() + patience
        driver.execute(f"PRAGMA busy_timeout = {_TURN_MILLISECONDS}")
        try:
            while not checkpoint(driver):
                if time.monotonic() > deadline:
                    return False
                time.sleep(_TURN_MILLISECONDS / 1000)  # whoever empties the log at this moment is not waited for
        finally:
            driver.execute(f"PRAGMA busy_timeout = {int(self._patience * 1000)}")
        return True

    def vacuum(self) -> None:
        """See SqlDialect: `rewrite` leaves nothing to clear away."""

    def take_over(self, connection: PoolProxiedConnection) -> None:
        """See SqlDialect: SQLite numbers after the largest number that is there."""

    def copies(self) -> Sequence[Path]:
        """See SqlDialect."""
        return copies_of(self._file.path)

    def scraps(self) -> Sequence[Path]:
        """See SqlDialect."""
        return scraps_of(self._file.path)

    def damage(self, connection: PoolProxiedConnection) -> Sequence[str]:
        """See SqlDialect."""
        if (trouble := self._file.trouble()) is not None:
            return [str(trouble)]
        driver = _driver(connection.dbapi_connection)
        found = [str(line) for (line,) in driver.execute("PRAGMA integrity_check(20)") if line != "ok"]
        broken = driver.execute("PRAGMA foreign_key_check").fetchmany(20)
        return found + [f"a row of {table} refers to a row of {to} that is not there" for table, _, to, _ in broken]

    def settle(self, engine: Engine) -> None:
        """See SqlDialect: write-ahead mode is kept in the file, so that only a new or a restored one is changed here."""
        with closing(engine.raw_connection()) as connection:
            _enter_wal(_driver(connection.dbapi_connection), self._patience)

    @contextmanager
    def migrating(self, engine: Engine) -> Iterator[Connection]:
        """See SqlDialect: tables are rebuilt without their references being checked on the way, only at the end."""
        with engine.connect() as connection:
            driver = _driver(connection.connection.dbapi_connection)
            driver.execute("PRAGMA foreign_keys = OFF")
            try:
                driver.execute("BEGIN IMMEDIATE")
                yield connection
                if broken := driver.execute("PRAGMA foreign_key_check").fetchone():
                    raise StoreUnusable(
                        f"after the migration a row of {broken[0]} refers to a row of {broken[2]} that is not there"
                    )
                driver.commit()
                checkpoint(driver)
            finally:
                driver.rollback()
                driver.execute("PRAGMA foreign_keys = ON")

    def back_up(self, ending: str) -> Path:
        """See SqlDialect: the copy has its name only once it is whole."""
        path = self._file.path
        backup, growing = path.with_name(f"{path.name}.{ending}"), path.with_name(f"{path.name}.{ending}.part")
        make_private_file(growing)
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(growing)) as target:
            source.backup(target)
        growing.replace(backup)
        return backup

    def duty(self, name: str) -> FileDuty:
        """See SqlDialect."""
        return FileDuty(self._file.path, name)

    def watch(self, wake: Callable[[], None]) -> None:
        """See SqlDialect: whoever follows a file looks at its version."""

    def close(self) -> None:
        """See SqlDialect."""
        with self._probing:
            if self._probe is not None:
                self._probe.close()
                self._probe = None


def sqlite_engine(file: StoreFile, patience: float) -> Engine:
    """Return an engine over the file; it waits up to `patience` seconds for other writers."""
    engine = create_engine(
        URL.create("sqlite", database=str(file.path)),
        poolclass=QueuePool,
        pool_size=IDLE_CONNECTIONS,
        max_overflow=-1,
        pool_use_lifo=True,
        # Transactions are begun by hand: the driver would begin them too late and without a choice of lock.
        creator=partial(
            sqlite3.connect,
            file.uri,
            uri=True,
            timeout=patience,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=CACHED_STATEMENTS,
        ),
    )
    event.listen(engine, "connect", _prepare)
    return engine


def checkpoint(connection: sqlite3.Connection) -> bool:
    """Move the write-ahead log into the file and empty it; return whether every reader let that happen."""
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _prepare(connection: DBAPIConnection, _: Any) -> None:
    for pragma in _PRAGMAS:
        _driver(connection).execute(f"PRAGMA {pragma}")


def _begins(cursor: DBAPICursor, deadline: float) -> bool:
    """Return whether the write lock was taken within one turn; raises once the deadline is past."""
    try:
        cursor.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if not _is_busy(error) or time.monotonic() > deadline:
            raise
        return False
    return True


def _enter_wal(connection: sqlite3.Connection, patience: float) -> None:
    """Two processes that make one store at once can lock each other out here, and SQLite then fails without waiting."""
    deadline = time.monotonic() + patience
    while connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _is_busy(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE in _BUSY


def _driver(connection: DBAPIConnection | None) -> sqlite3.Connection:
    return cast("sqlite3.Connection", connection)
