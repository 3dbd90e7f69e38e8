"""The truth over a SQL database: a snapshot for each reading, one transaction for each writing."""

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Engine, PoolProxiedConnection
from sqlalchemy.engine.interfaces import DBAPICursor

from recordance.domain.identity import StoreIdentity
from recordance.errors import MissingState, RecordanceError, StateKind
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

    def rewrite(self, seq: int) -> bool:
        """Write the database anew unless that was done since the journal row `seq`, so that no page keeps what was erased (W6).

        Readers go on meanwhile, writers wait; it takes as much room again as the database has. Returns whether it is done: not
        where somebody writes. True where nothing can be written at all. Not to be called inside a transaction.
        """
        with self.reading() as reader:
            head = reader.head()
        with self._told(), closing(self._engine.raw_connection()) as connection:
            return self._dialect.rewrite(connection, seq, head)

    def truncate_log(self, patience_seconds: float) -> bool:
        """Empty the log beside the database, so that it keeps nothing of what was erased (W6).

        Waits up to `patience_seconds` for those who still read from it, and returns whether it is empty; True where nothing can
        be written at all, or the log is the business of whoever runs the database. Not to be called inside a transaction.
        """
        with self._told(), closing(self._engine.raw_connection()) as connection:
            return self._dialect.truncate_log(connection, patience_seconds)

    def erase_in_backups(self, numbers: Collection[int]) -> Sequence[str]:
        """Forget these capsules in every copy from before a migration too; return the names of copies where that failed (W6).

        Only what is forgotten here is forgotten there; what a copy does not have, or has forgotten, is left as it is. A copy
        stays a store of its own format, with tombstones, so that putting it back brings nothing to life again.
        """
        from recordance_adapters.driven.sql_truth.backups import erase_in

        failed = []
        if copies := self._dialect.copies():
            with self.reading() as reader:
                tombstones = reader.tombstones(numbers)
            failed += [copy.name for copy in copies if not erase_in(copy, tombstones)]
        if scraps := self._dialect.scraps():
            failed += self._removed(scraps)
        return failed

    def _removed(self, scraps: Sequence[Path]) -> Sequence[str]:
        """Remove files while nobody migrates, which is whoever holds the turn to write; return the names of those that stay."""
        try:
            with self.writing():
                for scrap in scraps:
                    scrap.unlink(missing_ok=True)
        except (RecordanceError, OSError):
            return [scrap.name for scrap in scraps if scrap.exists()]
        return ()

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
        with self._told(), closing(self._engine.raw_connection()) as connection:
            cursor = connection.cursor()
            begin(cursor)
            yield connection, Rows(cursor, self._compiler)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what the driver says into what the port promises."""
        try:
            yield
        except Exception as error:
            failure = self._dialect.failure(error, self._identity.store)
            if failure is None:
                raise
            raise failure from error
