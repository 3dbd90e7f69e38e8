"""A duty that one process at a time has: a session's advisory lock, gone with the connection that holds it."""

import threading
from collections.abc import Callable
from contextlib import suppress

import psycopg

from recordance_adapters.driven.sql_truth.postgres_connecting import Driver


class PostgresDuty:
    """See Duty. Holds a connection of its own, from when it is first asked for until it is released."""

    def __init__(self, connect: Callable[[], Driver], key: int) -> None:
        self._connect = connect
        self._key = key
        self._connection: Driver | None = None
        self._ours = False
        self._guard = threading.Lock()

    def held(self) -> bool:
        """See Duty: the server is asked each time, for it alone knows whether the session still stands."""
        with self._guard:
            if self._connection is not None:
                try:
                    return self._asked(self._connection)
                except psycopg.Error:
                    self._drop()  # with the session went the duty; it is taken anew where nobody else was quicker
            return self._connected()

    def release(self) -> None:
        """See Duty: said to the server, which notices the end of a connection only a moment later."""
        with self._guard:
            if self._connection is not None and self._ours:
                with suppress(psycopg.Error):
                    self._connection.execute("SELECT pg_advisory_unlock(%s)", (self._key,))
            self._drop()

    def _connected(self) -> bool:
        try:
            self._connection = self._connect()
            self._connection.execute("SET idle_session_timeout = 0", prepare=False)
            return self._asked(self._connection)
        except psycopg.Error:
            self._drop()
            return False

    def _asked(self, connection: Driver) -> bool:
        if self._ours:
            connection.execute("SELECT", prepare=False)
        else:
            (self._ours,) = connection.execute("SELECT pg_try_advisory_lock(%s)", (self._key,)).fetchone() or (False,)
        return self._ours

    def _drop(self) -> None:
        connection, self._connection, self._ours = self._connection, None, False
        if connection is not None:
            with suppress(psycopg.Error):
                connection.close()
