"""What is Postgres's own on a connection: snapshots, the one turn to write, commits that may get lost, notifications."""

import math
import time
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

import psycopg
from sqlalchemy import Connection, Engine, PoolProxiedConnection
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor

from recordance.errors import Fault, MissingState, RecordanceError, StateKind
from recordance_adapters.driven.sql_truth.borrowing import borrowed, give_back
from recordance_adapters.driven.sql_truth.postgres_care import (
    damage_of,
    names_of_tables,
    take_over_rows,
    vacuum_store,
)
from recordance_adapters.driven.sql_truth.postgres_connecting import Driver, Server, channel_of, key_of, milliseconds
from recordance_adapters.driven.sql_truth.postgres_duty import PostgresDuty
from recordance_adapters.driven.sql_truth.postgres_failures import failure_of, uncertain, unreachable
from recordance_adapters.driven.sql_truth.postgres_patience import MARGIN_SECONDS, Unanswered
from recordance_adapters.driven.sql_truth.postgres_watch import PostgresWatch

_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_VERSION = "SELECT xmin::text::bigint FROM counter"
_IDLE_SECONDS = 120.0
"""How long a writer may be silent inside its transaction before the server takes its turn away."""
_PAUSES = (0.05, 0.1, 0.2, 0.5)


class PostgresDialect:
    """Postgres over one schema of one database (see SqlDialect); a turn to write is waited for `patience` seconds.

    `token` names this opening of the store in its notifications, so that a watch tells others' commits from its own.
    """

    def __init__(self, server: Server, *, patience: float, obstacle: str | None, token: str) -> None:
        self._server = server
        self._schema = schema = server.schema or ""
        self._obstacle = obstacle
        self._patience = patience
        self._channel, self._token = channel_of(schema), token
        waiting, working = milliseconds(patience), milliseconds(server.statement_timeout)
        # One message. Each statement after the lock sees what was committed before it was given: commit order is seq order.
        self._write = (
            f"BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = {waiting}; SET LOCAL statement_timeout = 0; "
            f"SELECT pg_advisory_xact_lock({key_of('write', schema)}); SET LOCAL statement_timeout = {working}; "
            f"SET LOCAL idle_in_transaction_session_timeout = {milliseconds(_IDLE_SECONDS)}"
        )

    @property
    def obstacle(self) -> str | None:
        """See SqlDialect."""
        return self._obstacle

    def table_names(self, connection: Connection) -> Set[str]:
        """See SqlDialect."""
        return names_of_tables(_driver(connection.connection.dbapi_connection))

    def settle(self, engine: Engine) -> None:
        """See SqlDialect: readers and writers never wait for each other here."""

    def begin_reading(self, cursor: DBAPICursor) -> None:
        """See SqlDialect: the first statement after this fixes the snapshot."""
        _allow(cursor, self._server.statement_timeout)
        _cursor(cursor).execute(_READ, prepare=False)

    def end_reading(self) -> None:
        """See SqlDialect: the server keeps the snapshot, or says that it cannot."""

    def begin_writing(self, cursor: DBAPICursor) -> None:
        """See SqlDialect: the lock goes with the transaction, and whoever waits for it is served in order."""
        if self._obstacle is not None:
            lesson = f"it may only be read there ({self._obstacle}): name the address of a server that takes writes"
            raise MissingState(StateKind.NOT_PERMITTED, "store", lesson)
        # For its turn, and for many rows that are sent at once.
        _allow(cursor, self._patience + self._server.statement_timeout)
        _cursor(cursor).execute(self._write.encode(), prepare=False)

    def begin_beside(self, cursor: DBAPICursor) -> None:
        """See SqlDialect."""
        _cursor(cursor).execute("BEGIN ISOLATION LEVEL READ COMMITTED", prepare=False)

    def commit(self, connection: PoolProxiedConnection) -> None:
        """See SqlDialect. Where the connection is lost on the way, the server is asked on another one what became of it."""
        driver = _driver(connection.dbapi_connection)
        asked = driver.execute("SELECT pg_current_xact_id_if_assigned()::text, pg_notify(%s, %s)", (self._channel, self._token))
        xid = cast("tuple[str | None, object]", asked.fetchone())[0]
        try:
            ended = driver.execute("COMMIT", prepare=False).statusmessage
        except psycopg.Error as error:
            if not (driver.closed or isinstance(error, Unanswered)):
                raise  # the server has said why, and undone it
            if xid is not None and not self._was_committed(xid, error):
                raise unreachable(error) from error
            return
        if ended != "COMMIT":
            raise Fault(f"Postgres: a transaction that was to be committed ended with {ended}")

    def failure(self, error: Exception, store: str) -> RecordanceError | None:
        """See SqlDialect."""
        return failure_of(error, store)

    def is_lost(self, connection: PoolProxiedConnection) -> bool:
        """See SqlDialect."""
        return bool(_driver(connection.dbapi_connection).closed)

    def data_version(self, engine: Engine) -> int:
        """See SqlDialect: every change of the store renews the row of its counters."""
        connection, version = borrowed(engine, self.is_lost, _version)
        give_back(connection, self.is_lost)
        return version

    def rewrite(self, connection: PoolProxiedConnection, seq: int, head: int) -> bool:  # noqa: ARG002
        """See SqlDialect: the server's own business."""
        return True

    def truncate_log(self, connection: PoolProxiedConnection, patience: float) -> bool:  # noqa: ARG002
        """See SqlDialect: the server's own business."""
        return True

    def take_over(self, connection: PoolProxiedConnection) -> None:
        """See SqlDialect: sequences know nothing of numbers that they have not given, and the planner nothing of new rows."""
        take_over_rows(_driver(connection.dbapi_connection))

    def vacuum(self) -> bool:
        """See SqlDialect."""
        with closing(self._server.connect()) as connection:
            return vacuum_store(connection)

    def copies(self) -> Sequence[Path]:
        """See SqlDialect: whoever runs the server makes copies, and knows where they are."""
        return ()

    def scraps(self) -> Sequence[Path]:
        """See SqlDialect."""
        return ()

    def damage(self, connection: PoolProxiedConnection) -> Sequence[str]:
        """See SqlDialect."""
        return damage_of(_driver(connection.dbapi_connection))

    @contextmanager
    def migrating(self, engine: Engine) -> Iterator[Connection]:
        """See SqlDialect: tables are changed under the turn to write; a reader that is under way is waited for like a writer."""
        with engine.connect() as connection:
            driver = _driver(connection.connection.dbapi_connection)
            try:
                self.begin_writing(cast("DBAPICursor", driver.cursor()))
                driver.execute("SET LOCAL statement_timeout = 0")
                driver.patience = math.inf
                yield connection
                self.commit(connection.connection)
            finally:
                if not driver.closed:
                    driver.rollback()

    def back_up(self, ending: str) -> None:
        """See SqlDialect: a copy before a migration is made by whoever runs the server."""

    def duty(self, name: str) -> PostgresDuty:
        """See SqlDialect."""
        return PostgresDuty(self._server.connect, key_of(f"duty {name}", self._schema))

    def watch(self, wake: Callable[[], None]) -> PostgresWatch:
        """See SqlDialect."""
        return PostgresWatch(self._server.connect, self._channel, self._token, wake)

    def close(self) -> None:
        """See SqlDialect: everything open belongs to the engine, a watch or a duty."""

    def _was_committed(self, xid: str, lost: Exception) -> bool:
        """Ask the server, as long as a connection may take to be opened; raises the uncertain failure when it cannot say.

        A standby that took over without the last writes has lost acknowledged ones too: that is for whoever runs it.
        """
        deadline = time.monotonic() + self._server.connect_timeout
        pauses = iter(_PAUSES)
        while True:
            status = self._status(xid)
            if status in ("committed", "aborted"):
                return status == "committed"
            if time.monotonic() > deadline:
                raise uncertain(lost) from lost
            time.sleep(next(pauses, _PAUSES[-1]))

    def _status(self, xid: str) -> str | None:
        try:
            with closing(self._server.connect()) as connection:
                row = connection.execute("SELECT pg_xact_status(%s::xid8)", (xid,)).fetchone()
        except psycopg.Error:
            return None
        return row[0] if row else None


def _driver(connection: DBAPIConnection | None) -> Driver:
    return cast("Driver", connection)


def _version(connection: PoolProxiedConnection) -> int:
    (version,) = _driver(connection.dbapi_connection).execute(_VERSION).fetchone() or (0,)
    return int(version)


def _cursor(cursor: DBAPICursor) -> psycopg.Cursor[Any]:
    return cast("psycopg.Cursor[Any]", cursor)


def _allow(cursor: DBAPICursor, seconds: float) -> None:
    """Let each answer on a connection take as long as the server itself takes at most."""
    cast("Driver", _cursor(cursor).connection).patience = seconds + MARGIN_SECONDS
