"""A duty that one process at a time has: a session's advisory lock, gone with the connection that holds it."""

import threading
from collections.abc import Callable
from contextlib import suppress

import psycopg

from recordance_adapters.driven.sql_truth.postgres_connecting import Driver


class PostgresDuty:
    """See Duty. Holds a connection of its own while it has the duty, and none while another process has it."""

    def __init__(self, connect: Callable[[], Driver], key: int) -> None:
        self._connect = connect
        self._key = key
        self._connection: Driver | None = None
        self._guard = threading.Lock()

    def held(self) -> bool:
        """See Duty: the server is asked each time, for it alone knows whether the session still stands."""
        with self._guard:
            if self._connection is not None and _lives(self._connection):
                return True
            self._drop()
            return self._take()

    def release(self) -> None:
        """See Duty."""
        with self._guard:
            self._drop()

    def _take(self) -> bool:
        try:
            connection = self._connect()
        except psycopg.Error:
            return False
        try:
            connection.execute("SET idle_session_timeout = 0", prepare=False)
            (taken,) = connection.execute("SELECT pg_try_advisory_lock(%s)", (self._key,)).fetchone() or (False,)
        except psycopg.Error:
            taken = False
        if taken:
            self._connection = connection
        else:
            connection.close()
        return bool(taken)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(psycopg.Error):
                connection.close()


def _lives(connection: Driver) -> bool:
    try:
        connection.execute("SELECT", prepare=False)
    except psycopg.Error:
        return False
    return True
