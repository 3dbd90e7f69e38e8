"""Connections to Postgres: from a URL, with what holds on each of them, and what is looked at before the first is used.

The only modules that import the driver are this one and its neighbours; none of them is imported for a store in a folder.
"""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import QueuePool

from recordance.errors import StoreUnusable
from recordance_adapters.driven.sql_truth.postgres_failures import failure_of
from recordance_adapters.driven.sql_truth.postgres_patience import MARGIN_SECONDS, PatientConnection

OLDEST_SERVER = 140_000
"""The oldest server that is taken, as `server_version_num` says it: older ones are not kept up by anybody."""
Driver = PatientConnection
_SHORTEST_CONNECT_SECONDS = 2
_DEFAULTS: Mapping[str, Any] = {
    "application_name": "recordance",
    # A server that vanished without a word is noticed within half a minute.
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
_NO_WRITES = "its server takes no writes, as a standby does"
_PREPARED_STATEMENTS = 400
_LONGEST_NAME = 63
_SESSION = (
    # What is answered is durable, whatever the server's default; a stricter one stays.
    """SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')""",
    "SET extra_float_digits = 1",  # numbers come back as they went in
    # A client that vanished without a word does not keep its turn to write.
    "SET tcp_keepalives_idle = 10",
    "SET tcp_keepalives_interval = 5",
    "SET tcp_keepalives_count = 3",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where the truth lies and how long anything may take: seconds, and one schema of the database."""

    conninfo: str
    options: Mapping[str, Any]
    statement_timeout: float
    connect_timeout: float
    schema: str | None

    def connect(self) -> Driver:
        """Open a connection on which every transaction is begun by hand; raises what the driver raises."""
        connection = PatientConnection.connect(self.conninfo, autocommit=True, **self.options)
        connection.patience = self.statement_timeout + MARGIN_SECONDS
        connection.prepared_max = _PREPARED_STATEMENTS
        try:
            connection.execute(self._settings(), prepare=False)
        except BaseException:
            connection.close()
            raise
        return connection

    def _settings(self) -> sql.Composed:
        settings: list[sql.Composable] = [sql.SQL(cast("Any", each)) for each in _SESSION]
        settings.append(sql.SQL("SET statement_timeout = {}").format(sql.Literal(milliseconds(self.statement_timeout))))
        if self.schema is not None:
            settings.append(sql.SQL("SET search_path = {}").format(sql.Identifier(self.schema)))
        return sql.SQL("; ").join(settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What a server says of itself: its version as one number, its encoding, the schema that is used, and what it takes."""

    version: int
    encoding: str
    schema: str | None
    takes_writes: bool


def server_of(url: str, password: str | None, connect_timeout: float, statement_timeout: float, schema: str | None) -> Server:
    """Return the server that a URL names; what the URL says itself goes before our own choices, `password` before the URL's.

    Raises StoreUnusable when it is no URL of a Postgres; the URL is not repeated, for it may hold a password.
    """
    try:
        said = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        lesson = "the URL of the truth cannot be read: send postgresql://user@host:5432/database?sslmode=verify-full"
        raise StoreUnusable(lesson, lesson=lesson) from error
    options = {name: value for name, value in _DEFAULTS.items() if name not in said}
    if "connect_timeout" not in said:
        options["connect_timeout"] = max(_SHORTEST_CONNECT_SECONDS, math.ceil(connect_timeout))
    if password is not None:
        options["password"] = password
    return Server(
        conninfo=url,
        options={**options, "client_encoding": "UTF8"},
        statement_timeout=statement_timeout,
        connect_timeout=connect_timeout,
        schema=schema,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrance:
    """A server with the schema that is used, why nothing can be written there, if so, and the connection that found that out."""

    server: Server
    obstacle: str | None
    first: Driver


def entered(server: Server, patience: float, missing: StoreUnusable | None = None) -> Entrance:
    """Connect to a server and see that it can keep a store; make the schema where it is missing.

    Where `missing` is given, it is raised rather than anything made. Raises StoreUnusable when no store can be kept there.
    """
    if server.schema is not None:
        _require_own(server.schema)
    try:
        connection = server.connect()
        try:
            return _entered(server, connection, patience, missing)
        except BaseException:
            connection.close()
            raise
    except psycopg.Error as error:
        raise failure_of(error, "store") or error from error


def _entered(server: Server, connection: Driver, patience: float, missing: StoreUnusable | None) -> Entrance:
    found = _survey(connection)
    _require_fit(found)
    if found.schema is None and missing is not None:
        raise missing
    if found.schema is None and server.schema is not None and found.takes_writes:
        _make_schema(connection, server.schema, patience)
        found = _survey(connection)
    if found.schema is None:
        lesson = "there is no schema for the store in the database: name one, or let the user make it"
        raise StoreUnusable(lesson, lesson=lesson)
    connection.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(found.schema)), prepare=False)
    obstacle = None if found.takes_writes else _NO_WRITES
    return Entrance(server=replace(server, schema=found.schema), obstacle=obstacle, first=connection)


def _survey(connection: Driver) -> Survey:
    row = connection.execute(
        "SELECT current_setting('server_version_num')::int, current_setting('server_encoding'), current_schema()::text, "
        "NOT (pg_is_in_recovery() OR current_setting('transaction_read_only')::bool)"
    ).fetchone()
    version, encoding, schema, takes_writes = cast("tuple[Any, ...]", row)
    return Survey(version=version, encoding=encoding, schema=schema, takes_writes=takes_writes)


def _require_fit(found: Survey) -> None:
    if found.version < OLDEST_SERVER:
        oldest = OLDEST_SERVER // 10_000
        lesson = f"the database server has version {found.version // 10_000}, and {oldest} is the oldest that is taken"
        raise StoreUnusable(lesson, lesson=lesson)
    if found.encoding != "UTF8":
        lesson = f"the database has the encoding {found.encoding}, which cannot hold every text: make one with the encoding UTF8"
        raise StoreUnusable(lesson, lesson=lesson)


def _require_own(schema: str) -> None:
    """Names of the server's own mean something else to it, and it cuts off longer ones, so that two of them would be one."""
    if schema.startswith("pg_") or schema == "$user" or len(schema.encode()) > _LONGEST_NAME:
        lesson = f"the schema needs a name of up to {_LONGEST_NAME} bytes that is not the server's own, as $user and pg_… are"
        raise StoreUnusable(lesson, lesson=lesson)


def _make_schema(connection: Driver, schema: str, patience: float) -> None:
    """Two processes that make one schema at once would fail each other without the lock."""
    with connection.transaction():
        connection.execute(f"SET LOCAL lock_timeout = {milliseconds(patience)}".encode(), prepare=False)
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (key_of("schema", schema),))
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))


def postgres_engine(entrance: Entrance, pool: int, patience: float) -> Engine:
    """Return an engine over the server: up to `pool` idle connections, twice as many at once, one more waits `patience`."""
    first = [entrance.first]
    return create_engine(
        "postgresql+psycopg://",
        creator=lambda: first.pop() if first else entrance.server.connect(),
        poolclass=QueuePool,
        pool_size=pool,
        max_overflow=pool,
        pool_timeout=patience,
        pool_use_lifo=True,
        paramstyle="format",
        use_native_hstore=False,
        hide_parameters=True,
    )


def key_of(purpose: str, schema: str) -> int:
    """Return the number of an advisory lock: one a schema and purpose, since the database numbers them for all its users."""
    return int.from_bytes(_digest(purpose, schema), "big", signed=True)


def channel_of(schema: str) -> str:
    """Return the name of the channel on which the commits of one store are told; its letters need no quotes."""
    return f"recordance_{_digest('channel', schema).hex()}"


def milliseconds(seconds: float) -> int:
    """Return so many seconds as the server takes them; none at all would mean no bound there, so that one is the least."""
    return max(1, math.ceil(seconds * 1000))


def _digest(purpose: str, schema: str) -> bytes:
    return hashlib.blake2b(f"recordance\0{purpose}\0{schema}".encode(), digest_size=8).digest()
