"""What the databases do each in their own way, as one small protocol."""

from collections.abc import Callable, Sequence, Set
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine, PoolProxiedConnection
from sqlalchemy.engine.interfaces import DBAPICursor

from recordance.errors import RecordanceError


class Duty(Protocol):
    """A named duty that one opening of a store at a time has, among all processes and machines that share it."""

    def held(self) -> bool:
        """Take the duty where nobody has it, and return whether it is ours at this moment.

        To be asked before each step: whoever loses the connection or the file that the duty hangs on has it no more.
        """
        ...

    def release(self) -> None:
        """Leave the duty to others; whoever has not got it may do so too."""
        ...


class Watch(Protocol):
    """Somebody who listens for the commits of others until it is closed."""

    def close(self) -> None:
        """Stop listening, at once."""
        ...


class SqlDialect(Protocol):
    """A database's way to begin, to wait, to fail, to be watched and to be copied.

    Where a place is given up by whoever keeps it (a file removed, a folder replaced), every method may raise StoreUnusable.
    """

    @property
    def obstacle(self) -> str | None:
        """Why nothing can be written, None where it can."""
        ...

    def table_names(self, connection: Connection) -> Set[str]:
        """Return the names of all tables that are where the store is, or is to be."""
        ...

    def settle(self, engine: Engine) -> None:
        """Put a store that is empty, or comes from elsewhere, into the mode in which readers and writers do not wait."""
        ...

    def begin_reading(self, cursor: DBAPICursor) -> None:
        """Begin a transaction that keeps one snapshot and never waits for a writer."""
        ...

    def end_reading(self) -> None:
        """Raise StoreUnusable when what was read since the beginning may not have been one snapshot."""
        ...

    def begin_writing(self, cursor: DBAPICursor) -> None:
        """Begin the one writing transaction, waiting for its turn within a bound; NOT_PERMITTED where nothing can be written."""
        ...

    def begin_beside(self, cursor: DBAPICursor) -> None:
        """Begin a transaction that writes rows which nobody else writes, without waiting for a turn where that is possible."""
        ...

    def commit(self, connection: PoolProxiedConnection) -> None:
        """Commit durably, and raise StoreUnusable when that went where no other process would find it."""
        ...

    def failure(self, error: Exception, store: str) -> RecordanceError | None:
        """Return what a driver's error means to a caller of the port; None for an error that is not the driver's."""
        ...

    def is_lost(self, connection: PoolProxiedConnection) -> bool:
        """Whether the connection has ended by itself, so that nothing can be asked on it any more."""
        ...

    def data_version(self, engine: Engine) -> int:
        """Return a number that differs from the last one returned when anybody has changed the store since; it is cheap."""
        ...

    def rewrite(self, connection: PoolProxiedConnection, seq: int, head: int) -> bool:
        """Write the database anew unless that was done since the journal row `seq`, and note that it was up to `head`.

        What erasing overwrites is a row where it stands. Copies of it stay in pages that rows were moved out of, and only this
        reaches them. The connection is in no transaction. False where somebody writes; True where that is not our business.
        """
        ...

    def truncate_log(self, connection: PoolProxiedConnection, patience: float) -> bool:
        """Empty the log beside the database, waiting up to `patience` seconds for readers of what it holds.

        The connection is in no transaction. False where somebody still reads; True where there is no log, or none of ours.
        """
        ...

    def take_over(self, connection: PoolProxiedConnection) -> None:
        """Make up for what rows that were put in as they stand leave undone: numbering goes on after them."""
        ...

    def vacuum(self) -> bool | None:
        """Have a server clear away the row versions that erasing left, and return whether it did; None without a server."""
        ...

    def copies(self) -> Sequence[Path]:
        """Return the copies that `back_up` has made and that are still there."""
        ...

    def scraps(self) -> Sequence[Path]:
        """Return what is left of copies that were never finished; while somebody migrates, one of them may be growing."""
        ...

    def damage(self, connection: PoolProxiedConnection) -> Sequence[str]:
        """Return what the database's own check of its pages, indexes and references finds wrong."""
        ...

    def migrating(self, engine: Engine) -> AbstractContextManager[Connection]:
        """Open the one writing transaction in which tables are changed; it commits at the end, and undoes all on an error."""
        ...

    def back_up(self, ending: str) -> Path | None:
        """Copy the whole store as it is now beside itself, its name extended by `ending`, and return where.

        None where that is the business of whoever runs the database.
        """
        ...

    def duty(self, name: str) -> Duty:
        """Return the duty of this name, not yet taken."""
        ...

    def watch(self, wake: Callable[[], None]) -> Watch | None:
        """Call `wake`, in a thread, whenever another opening of the store has committed; None where nobody is told of that."""
        ...

    def close(self) -> None:
        """Release what is held outside of the engine."""
        ...
