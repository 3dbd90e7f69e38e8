"""Moving a store between two databases of any kind: the rows, and the marks that tell every program what it may use (Moving)."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.schema import CreateTable, DropTable

from recordance.errors import StoreUnusable
from recordance.ports.moving import Home, Leaving, Progress, Standing
from recordance.ports.truth import TruthReader
from recordance_adapters.driven.sql_truth.carrying import PACE, Pace, carry, difference
from recordance_adapters.driven.sql_truth.migrations import HEAD
from recordance_adapters.driven.sql_truth.rows import Rows
from recordance_adapters.driven.sql_truth.standing import ARRIVING, MOVED, format_under, moved_away, was_moved_away
from recordance_adapters.driven.sql_truth.tables import alembic_version, miss, store_meta
from recordance_adapters.driven.sql_truth.truth import SqlTruth

_MARK = update(alembic_version).values(version_num=bindparam("mark"))
_SEAL = _MARK.where(alembic_version.c.version_num != MOVED)
_IDENTIFY = update(store_meta).values(store=bindparam("id"), key=bindparam("secret"))
_CLEAR_MISSES = delete(miss)
_SAY_WHERE = insert(moved_away).values(one=1, place=bindparam("where"))
_WHERE = select(moved_away.c.place)
_PATIENCE_SECONDS = 2.0
_NOT_EMPTY = "something was stored there meanwhile: name a place where nothing is"


class SqlMoving:
    """A move from one truth to another (see Moving); `source_place` and `target_place` are what people call them."""

    def __init__(self, source: SqlTruth, source_place: str, target: SqlTruth, target_place: str, pace: Pace = PACE) -> None:
        self._source, self._source_place = source, source_place
        self._target, self._target_place = target, target_place
        self._pace = pace

    def source(self) -> Home:
        """See Moving."""
        return _home(self._source, self._source_place)

    def target(self) -> Home:
        """See Moving."""
        return _home(self._target, self._target_place)

    def begin(self) -> None:
        """See Moving. What recalls of nothing have missed there goes: it says nothing of the store that comes."""
        with self._source.reading() as reader:
            identity = reader.identity()
        with self._target.writing() as writer:
            if writer.head():
                raise StoreUnusable(_NOT_EMPTY, lesson=_NOT_EMPTY)
            writer.rows.change(_CLEAR_MISSES)
            writer.rows.change(_IDENTIFY, id=identity.store, secret=identity.key)
            writer.rows.change(_MARK, mark=ARRIVING)
        self._target = self._target.known_as(identity, ARRIVING)

    @contextmanager
    def hold(self, leaving: Leaving) -> Iterator["SqlHold"]:
        """See Moving."""
        opened = self._source.reading() if leaving is Leaving.OPEN else self._source.writing()
        with opened as reader:
            yield SqlHold(reader, reader.rows, self._target, self._target_place, self._pace)

    def settle(self) -> None:
        """See Moving. What an attempt brought and a later one took back again must leave no byte (W6).

        That comes first: once its target is open, nobody takes up a move again.
        """
        with self._target.reading() as reader:
            head, identity = reader.head(), reader.identity()
        self._target.rewrite(head)
        self._target.vacuum()
        self._target.truncate_log(_PATIENCE_SECONDS)
        with self._target.writing() as writer:
            writer.rows.change(_MARK, mark=HEAD)
        self._target = self._target.known_as(identity, HEAD)


class SqlHold:
    """The source in one transaction (see Hold)."""

    def __init__(self, source: TruthReader, rows: Rows, target: SqlTruth, target_place: str, pace: Pace) -> None:
        self.source = source
        self._rows = rows
        self._target = target
        self._place = target_place
        self._pace = pace

    def carry(self, progress: Progress) -> Mapping[str, int]:
        """See Hold. A database that knows nothing of what it was given answers many questions by reading all of it."""
        counts = carry(self._rows, self._target, progress, self._pace)
        self._target.take_over()
        return counts

    def target(self) -> AbstractContextManager[TruthReader]:
        """See Hold."""
        return self._target.reading()

    def difference(self, progress: Progress) -> str | None:
        """See Hold."""
        with self._target.reading() as reader:
            return difference(self._rows, reader.rows, progress, self._pace)

    def seal(self) -> None:
        """See Hold. A source that an earlier attempt has sealed stays so."""
        if self._rows.change(_SEAL, mark=MOVED):
            self._rows.define(CreateTable(moved_away))
            self._rows.change(_SAY_WHERE, where=self._place)


def reopen(truth: SqlTruth) -> str:
    """Give a store that was moved away its use back, in the format that it had, and return where it was moved to."""
    with truth.writing() as writer:
        ((place,),) = writer.rows.all(_WHERE)
        writer.rows.define(DropTable(moved_away))
        writer.rows.change(_MARK, mark=format_under(truth.format))
    return str(place)


def standing_of(truth: SqlTruth) -> Standing:
    """Return what a place holds."""
    if was_moved_away(truth.format):
        return Standing.MOVED_AWAY
    if truth.format == ARRIVING:
        return Standing.ARRIVING
    with truth.reading() as reader:
        return Standing.SETTLED if reader.head() else Standing.EMPTY


def _home(truth: SqlTruth, place: str) -> Home:
    standing = standing_of(truth)
    with truth.reading() as reader:
        where = reader.rows.all(_WHERE) if standing is Standing.MOVED_AWAY else ()
        return Home(place, standing, reader.identity().store, *(str(row[0]) for row in where))
