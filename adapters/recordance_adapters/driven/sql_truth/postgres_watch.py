"""Hearing of commits: one thread that listens on the store's channel and wakes whoever follows the journal."""

import logging
import selectors
import socket
import threading
from collections.abc import Callable
from contextlib import closing, suppress

import psycopg

from recordance_adapters.driven.sql_truth.postgres_connecting import Driver

_PAUSES = (0.1, 0.3, 1.0, 3.0, 10.0)
"""Seconds between two tries to come back to a server that is gone."""
_CLOSING_SECONDS = 1.0
_log = logging.getLogger(__name__)


class PostgresWatch:
    """Calls `wake` whenever somebody else has committed, and whenever that may have gone unheard.

    `wake` is called in a thread of its own, must return soon and must not raise. What it misses while the server is gone is made
    up by one call when it is back; whoever must be sure looks from time to time as well. Ends with `close`.
    """

    def __init__(self, connect: Callable[[], Driver], channel: str, own: str, wake: Callable[[], None]) -> None:
        self._connect = connect
        self._channel = channel
        self._own = own
        self._wake = wake
        self._ending, self._end = socket.socketpair()
        self._ended = threading.Event()
        self._listening = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recordance-watch", daemon=True)
        self._thread.start()

    def listening(self, timeout: float | None = None) -> bool:
        """Wait until the server is heard, up to `timeout` seconds, and return whether it is."""
        return self._listening.wait(timeout)

    def close(self) -> None:
        """End the thread, wherever it waits; one that is just connecting ends by itself when it is done."""
        if not self._ended.is_set():
            self._end.send(b"\0")  # first: whoever is told to end closes both ends
            self._ended.set()
            self._thread.join(_CLOSING_SECONDS)

    def _run(self) -> None:
        failed = 0
        with self._end, self._ending:
            while not self._ended.is_set():
                try:
                    with closing(self._connect()) as connection:
                        connection.execute("SET idle_session_timeout = 0", prepare=False)
                        connection.execute(f"LISTEN {self._channel}".encode(), prepare=False)
                        failed = 0
                        self._listening.set()
                        self._wake()
                        self._listen(connection)
                except (psycopg.Error, OSError) as error:
                    self._log_once(failed, error)
                    failed += 1
                self._listening.clear()
                self._ended.wait(_PAUSES[min(failed, len(_PAUSES)) - 1] if failed else 0)

    def _listen(self, connection: Driver) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(connection.fileno(), selectors.EVENT_READ)
            selector.register(self._ending, selectors.EVENT_READ)
            while not self._ended.is_set():
                selector.select()
                connection.pgconn.consume_input()
                if self._heard(connection):
                    self._wake()

    def _heard(self, connection: Driver) -> bool:
        """Whether anything that came is of others; everything that came is taken."""
        others = False
        while (notice := connection.pgconn.notifies()) is not None:
            others = others or notice.extra.decode() != self._own
        return others

    def _log_once(self, failed: int, error: Exception) -> None:
        if not failed and not self._ended.is_set():
            with suppress(ValueError):  # a closed stream at the very end of the process
                _log.warning("commits of others are not heard until the database is back: %s", " ".join(str(error).split()))
