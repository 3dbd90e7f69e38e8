"""What Postgres and its driver say, as what a caller of the port should do. SQL, hosts and the driver's words are for the log."""

import psycopg
from psycopg import errors
from sqlalchemy.exc import TimeoutError as NoConnection

from recordance.errors import Fault, MissingState, RecordanceError, StateKind, StoreUnusable

_LOST = "the connection to the database was lost before anything was written: try again in a moment"
_REFUSED = (
    "the database cannot be reached, or refuses the connection; nothing was written: try again in a moment, and see that its "
    "server runs and that the address, the user and the password are right"
)
_UNCERTAIN = (
    "the connection to the database was lost while a write was being committed, so that it may be done or not: look whether it "
    "is there, or send the same again: equal content and an idempotency_key already known are answered and not written twice"
)
_BUSY: tuple[tuple[type[Exception], str], ...] = (
    (errors.LockNotAvailable, "another process has been writing for too long; try again"),
    (errors.QueryCanceled, "the database took longer than its statement timeout, and nothing was written; try again"),
    (errors.IdleInTransactionSessionTimeout, "the database ended a transaction that paused, and nothing was written; try again"),
    (errors.TransactionTimeout, "the database took longer than its transaction timeout, and nothing was written; try again"),
    (errors.TransactionRollback, "the database gave way to another transaction, and nothing was written; try again"),
    (NoConnection, "every connection to the database is in use; try again, or allow a larger pool"),
)
_LESSONS: tuple[tuple[type[Exception], str], ...] = (
    (errors.DiskFull, "the disk of the database is full: make room and try again"),
    (errors.OutOfMemory, "the database has no memory left: see its server's log"),
    (errors.InsufficientPrivilege, "the database user may not do this: give it the schema of the store, or name another user"),
    (errors.UndefinedTable, "the tables of the store are gone, or another schema is named: restore a backup, or name the schema"),
    (errors.InvalidSchemaName, "the schema of the store is gone: restore a backup, or name the schema"),
    (errors.DataCorrupted, "the database is damaged: restore a backup"),
    (errors.IndexCorrupted, "an index of the database is damaged: REINDEX it, or restore a backup"),
)
_READ_ONLY = "the database takes no writes, as a standby does: name the address of the one that does"


def failure_of(error: Exception, store: str) -> RecordanceError | None:
    """Return what a driver's error means; None for an error that is not the driver's. Nothing was committed where it is used."""
    error = getattr(error, "orig", None) or error
    if (why := _told(_BUSY, error)) is not None:
        return MissingState(StateKind.STORE_BUSY, store, why)
    if not isinstance(error, psycopg.Error):
        return None
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return MissingState(StateKind.NOT_PERMITTED, "store", _READ_ONLY)
    if (lesson := _told(_LESSONS, error)) is not None:
        return StoreUnusable(f"Postgres: {_text(error)}; {lesson}", lesson=lesson)
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return unreachable(error)
    return Fault(f"Postgres: {_text(error)}")


def unreachable(error: Exception) -> StoreUnusable:
    """Return that the server is not there, or is no more, and that nothing was written."""
    connecting = isinstance(error, errors.ConnectionTimeout) or getattr(error, "pgconn", None) is not None
    lesson = _REFUSED if connecting else _LOST
    return StoreUnusable(f"Postgres: {_text(error)}", lesson=lesson, kind=StateKind.STORE_UNREACHABLE)


def uncertain(error: Exception) -> StoreUnusable:
    """Return that nobody could say whether a write was committed."""
    return StoreUnusable(f"Postgres, at COMMIT: {_text(error)}", lesson=_UNCERTAIN, kind=StateKind.WRITE_UNCERTAIN)


def _told(lessons: tuple[tuple[type[Exception], str], ...], error: Exception) -> str | None:
    return next((lesson for kind, lesson in lessons if isinstance(error, kind)), None)


def _text(error: Exception) -> str:
    """Return what is logged: of what a server says its first line alone, for the further ones show values of rows."""
    said = getattr(getattr(error, "diag", None), "message_primary", None) or str(error)
    return f"{type(error).__name__}: {' '.join(said.split())}"
