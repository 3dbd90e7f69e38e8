"""The truth over a SQL database: a snapshot for each reading, one transaction for each writing."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager

from sqlalchemy import Engine, PoolProxiedConnection
from sqlalchemy.engine.interfaces import DBAPICursor

from recordance.domain.identity import StoreIdentity
from recordance.errors import MissingState, StateKind
from recordance.ports.truth import TruthReader, TruthWriter
from recordance_adapters.driven.sql_truth.dialect import SqlDialect
from recordance_adapters.driven.sql_truth.rows import Compiler, Rows
from recordance_adapters.driven.sql_truth.writer import SqlReader, SqlWriter


class SqlTruth:
    """One open store (see Truth). Safe for threads; `open_sql_truth` makes it."""

    def __init__(self, engine: Engine, dialect: SqlDialect, identity: StoreIdentity, version: str, patience: float) -> None:
        self._engine = engine
        self._dialect = dialect
        self._identity = identity
        self._version = version
        self._patience = patience
        self._compiler = Compiler(engine.dialect)
        # Threads of one process queue here, where waiting is fair and costs nothing; processes meet at the database.
        self._turn = threading.Lock()
        self._probe: PoolProxiedConnection | None = None
        self._probing = threading.Lock()

    @property
    def obstacle(self) -> str | None:
        """Why nothing can be written, None where it can."""
        return self._dialect.obstacle

    @contextmanager
    def reading(self) -> Iterator[TruthReader]:
        """See Truth."""
        with self._transaction(self._dialect.begin_reading) as (_, rows):
            yield SqlReader(rows, self._identity, self._version)
            self._dialect.end_reading()

    @contextmanager
    def writing(self) -> Iterator[TruthWriter]:
        """See Truth."""
        if not self._turn.acquire(timeout=self._patience):
            raise MissingState(StateKind.STORE_BUSY, self._identity.store, "another call is still writing; try again")
        try:
            with self._transaction(self._dialect.begin_writing) as (connection, rows):
                yield SqlWriter(rows, self._identity, self._version)
                self._dialect.commit(connection)
        finally:
            self._turn.release()

    def data_version(self) -> int:
        """Return a number that changes whenever anybody writes, in any process; it costs microseconds to ask for."""
        with self._probing:
            if self._probe is None:
                self._probe = self._engine.raw_connection()
                self._probe.detach()
            return self._dialect.data_version(self._probe)

    def damage(self) -> Sequence[str]:
        """Return what the database finds wrong with itself. It reads everything; what cannot be read at all is damage too."""
        try:
            with closing(self._engine.raw_connection()) as connection:
                return self._dialect.damage(connection)
        except Exception as error:
            failure = self._dialect.failure(error, self._identity.store)
            if failure is None:
                raise
            return [str(failure)]

    def close(self) -> None:
        """See Truth."""
        with self._probing:
            if self._probe is not None:
                self._probe.close()
                self._probe = None
        self._engine.dispose()

    @contextmanager
    def _transaction(self, begin: Callable[[DBAPICursor], None]) -> Iterator[tuple[PoolProxiedConnection, Rows]]:
        """Open a transaction; whatever was not committed in it is undone when its connection goes back to the pool."""
        try:
            connection = self._engine.raw_connection()
            try:
                cursor = connection.cursor()
                begin(cursor)
                yield connection, Rows(cursor, self._compiler)
            finally:
                connection.close()
        except Exception as error:
            failure = self._dialect.failure(error, self._identity.store)
            if failure is None:
                raise
            raise failure from error
