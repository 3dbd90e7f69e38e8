"""Connections out of an engine's pool, where those that died while they were idle are passed over."""

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Engine, PoolProxiedConnection, event

T = TypeVar("T")
IsLost = Callable[[PoolProxiedConnection], bool]
_RESTED = "recordance: has rested in the pool"


def mark_rested(engine: Engine) -> None:
    """Let every connection that goes back to the pool be known as one that may have died there."""
    event.listen(engine, "checkin", _mark)


def borrowed(engine: Engine, is_lost: IsLost, use: Callable[[PoolProxiedConnection], T]) -> tuple[PoolProxiedConnection, T]:
    """Return a connection with what `use` made of it at first, to be given back.

    Where a server was restarted, every connection in the pool is dead. That is found here, where nothing has been done yet, and
    such a one is passed over; one that was opened for this and fails is the truth of the matter. So `use` may be run several
    times, and must only begin something.
    """
    while True:
        connection = engine.raw_connection()
        try:
            return connection, use(connection)
        except BaseException:
            passed_over = _RESTED in connection.info and is_lost(connection)
            give_back(connection, is_lost)
            if not passed_over:
                raise


def give_back(connection: PoolProxiedConnection, is_lost: IsLost) -> None:
    """Return a connection to its pool, or see that it never comes back.

    What was not committed is undone here and not by the pool, which would log with a trace that a server went away meanwhile.
    """
    if is_lost(connection) or not _undone(connection):
        connection.invalidate()
    else:
        connection.close()


def _undone(connection: PoolProxiedConnection) -> bool:
    try:
        connection.rollback()
    except Exception:  # noqa: BLE001 - each driver has its own
        return False
    return True


def _mark(_: Any, record: Any) -> None:
    record.info[_RESTED] = True
