"""The truth over a SQL database: a snapshot for each reading, one transaction for each writing."""

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Engine, PoolProxiedConnection
from sqlalchemy.engine.interfaces import DBAPICursor

from recordance.domain.identity import StoreIdentity
from recordance.errors import MissingState, RecordanceError, StateKind
from recordance_adapters.driven.sql_truth import acknowledging
from recordance_adapters.driven.sql_truth.acknowledging import Acknowledgement
from recordance_adapters.driven.sql_truth.borrowing import borrowed, give_back, mark_rested
from recordance_adapters.driven.sql_truth.dialect import Duty, SqlDialect, Watch
from recordance_adapters.driven.sql_truth.rows import Compiler, Rows
from recordance_adapters.driven.sql_truth.writer import SqlReader, SqlWriter

T = TypeVar("T")


class SqlTruth:
    """One open store (see Truth). Safe for threads; `open_sql_truth` and `open_postgres_truth` make it."""

    def __init__(self, engine: Engine, dialect: SqlDialect, identity: StoreIdentity, version: str, patience: float) -> None:
        self._engine = engine
        mark_rested(engine)
        self._dialect = dialect
        self._identity = identity
        self._version = version
        self._patience = patience
        self._compiler = Compiler(engine.dialect)
        # Threads of one process queue here, where waiting is fair and costs nothing; processes meet at the database.
        self._turn = threading.Lock()

    @property
    def obstacle(self) -> str | None:
        """Why nothing can be written, None where it can."""
        return self._dialect.obstacle

    @contextmanager
    def reading(self) -> Iterator[SqlReader]:
        """See Truth."""
        with self._transaction(self._dialect.begin_reading, self._reader) as (_, reader):
            yield reader
            self._dialect.end_reading()

    @contextmanager
    def writing(self) -> Iterator[SqlWriter]:
        """See Truth."""
        if not self._turn.acquire(timeout=self._patience):
            raise MissingState(StateKind.STORE_BUSY, self._identity.store, "another call is still writing; try again")
        try:
            with self._transaction(self._dialect.begin_writing, self._writer) as (connection, writer):
                yield writer
                self._dialect.commit(connection)
        finally:
            self._turn.release()

    def data_version(self) -> int:
        """Return a number that changes whenever anybody changes the store, in any process; it is cheap to ask for."""
        with self._told():
            return self._dialect.data_version(self._engine)

    def watch(self, wake: Callable[[], None]) -> Watch | None:
        """Call `wake`, in a thread, soon after another opening of this store has committed, until the watch is closed.

        None where the database tells nobody: there `data_version` is to be asked for from time to time.
        """
        return self._dialect.watch(wake)

    def duty(self, name: str) -> Duty:
        """Return the duty of this name, which one opening of the store has at a time; it is not taken yet."""
        return self._dialect.duty(name)

    def acknowledge(self, said: Acknowledgement) -> None:
        """Write what the process of an index folder says of it, over what it said before (W6)."""
        with self._transaction(self._dialect.begin_beside, self._rows) as (connection, rows):
            acknowledging.acknowledge(rows, said)
            connection.commit()

    def acknowledgements(self) -> Sequence[Acknowledgement]:
        """Return what the process of every index folder said of it last, by id (W6)."""
        with self._transaction(self._dialect.begin_reading, self._rows) as (_, rows):
            return acknowledging.acknowledgements(rows)

    def dismiss(self, id: str) -> bool:
        """Take away what was said of an index folder that is gone, and return whether there was anything (W6)."""
        with self._transaction(self._dialect.begin_beside, self._rows) as (connection, rows):
            dismissed = acknowledging.dismiss(rows, id)
            connection.commit()
            return dismissed

    @property
    def format(self) -> str:
        """The format that it had when it was opened, or the mark in the place of one."""
        return self._version

    def known_as(self, identity: StoreIdentity, mark: str) -> "SqlTruth":
        """Return the same place for whoever has just changed what it is; this one is of no use any more, nor to be closed."""
        return SqlTruth(self._engine, self._dialect, identity, mark, self._patience)

    def take_over(self) -> None:
        """Make up for what rows that were put in as they stand leave undone. Not to be called inside a transaction."""
        with self._told(), closing(self._engine.raw_connection()) as connection:
            self._dialect.take_over(connection)

    def vacuum(self) -> bool | None:
        """Have a database server clear away the row versions that erasing left behind, and return whether it did (W6).

        None where no server is: there `rewrite` leaves nothing. After True the bytes may still lie in free room of the server's
        files, in its log and in its copies, which only whoever runs it can reach. Not to be called inside a transaction.
        """
        with self._told():
            return self._dialect.vacuum()

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
        self._dialect.close()
        self._engine.dispose()

    @contextmanager
    def _transaction(
        self, begin: Callable[[DBAPICursor], None], make: Callable[[Rows], T]
    ) -> Iterator[tuple[PoolProxiedConnection, T]]:
        """Open a transaction; whatever was not committed in it is undone when its connection goes back to the pool."""
        with self._told():
            connection, made = borrowed(self._engine, self._dialect.is_lost, partial(self._first, begin, make))
            try:
                yield connection, made
            finally:
                give_back(connection, self._dialect.is_lost)

    def _first(self, begin: Callable[[DBAPICursor], None], make: Callable[[Rows], T], connection: PoolProxiedConnection) -> T:
        """Begin a transaction, and read what its snapshot is known by."""
        cursor = connection.cursor()
        begin(cursor)
        return make(Rows(cursor, self._compiler))

    def _reader(self, rows: Rows) -> SqlReader:
        return SqlReader(rows, self._identity, self._version)

    def _writer(self, rows: Rows) -> SqlWriter:
        return SqlWriter(rows, self._identity, self._version)

    def _rows(self, rows: Rows) -> Rows:
        return rows

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
