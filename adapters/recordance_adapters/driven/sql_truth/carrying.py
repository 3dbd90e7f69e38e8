"""Carrying the rows of one store into the tables of another, page by page, until both hold the same.

Nothing depends on how far an earlier attempt came, or on what was written to the source since: what is not so in the source is
taken away first, then what is lacking is brought. Rows are compared as they stand, so that only those that differ are written.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Boolean, Column, Delete, Integer, Select, Table, Update, bindparam, delete, func, select, update
from sqlalchemy.sql import ColumnElement

from recordance.ports.moving import Progress
from recordance_adapters.driven.sql_truth import tables
from recordance_adapters.driven.sql_truth.rows import Row, Rows
from recordance_adapters.driven.sql_truth.truth import SqlTruth

OF_A_PLACE = frozenset({tables.alembic_version, tables.replica})
"""What tells of a place and not of what is stored there, and so stays where it is."""
CARRIED = tuple(table for table in tables.metadata.sorted_tables if table not in OF_A_PLACE)
"""Every other table, those first that others refer to."""

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Pace:
    """Rows that are read and compared at once, of each side, and such pages that are written in one transaction.

    A transaction is what an interruption leaves undone at most.
    """

    rows: int = 500
    pages: int = 40


PACE = Pace()
_AFTER, _UPTO, _KEY, _LAST = "after_", "upto_", "key_", "last_"


def carry(source: Rows, target: SqlTruth, progress: Progress, pace: Pace = PACE) -> Mapping[str, int]:
    """Bring the tables of `target` to what the transaction `source` reads, and return how many rows each table has there.

    `progress` hears of the rows that were looked at, on both sides. Each turn is committed, so that whoever is interrupted goes
    on from there. Raises what the databases do.
    """
    counts = {table.name: _count(source, table) for table in CARRIED}
    with target.reading() as reader:
        before = sum(_count(reader.rows, table) for table in CARRIED)
    walk = _Walk(source, target, progress, before + sum(counts.values()), pace)
    for table in reversed(CARRIED):
        walk.along(table, walk.take_away)
    for table in CARRIED:
        walk.along(table, walk.bring)
    return counts


def difference(source: Rows, target: Rows, progress: Progress, pace: Pace = PACE) -> str | None:
    """Return which row is not the same on both sides, by table and key, None if there is none; every column is compared."""
    counts = {table: _count(source, table) for table in CARRIED}
    done, total = 0, sum(counts.values())
    for table, expected in counts.items():
        if (found := _count(target, table)) != expected:
            return f"{table.name} has {found} rows where the source has {expected}"
        for after, upto in _pages(source, table, pace):
            here, there = _page(source, table, after, upto), _page(target, table, after, upto)
            if here != there:
                strange = next(key for key in (*here, *there) if here.get(key) != there.get(key))
                return f"{table.name} {', '.join(map(str, strange))}"
            done += len(here)
            progress(done, total)
    return None


class _Walk:
    """Both sides on the way along their tables."""

    def __init__(self, source: Rows, target: SqlTruth, progress: Progress, total: int, pace: Pace) -> None:
        self._source = source
        self._target = target
        self._pace = pace
        self._progress = progress
        self._done, self._total = 0, total

    def along(self, table: Table, step: Callable[[Table, Rows, Any], Any]) -> None:
        """Take one step after the other until there is none, so many in a transaction."""
        after = None
        while True:
            with self._target.writing() as writer:
                for _ in range(self._pace.pages):
                    after = step(table, writer.rows, after)
                    self._progress(self._done, self._total)
                    if after is None:
                        return

    def take_away(self, table: Table, target: Rows, after: Any) -> Any:
        """Delete from a page of the target what the source has not; return where the next page begins, None at the end.

        What differs is put right where it stands, as others may refer to it. Where rows must differ from each other in more than
        their keys, one in its place could be in the way of another: there it goes first.
        """
        upto = _bound(target, table, after, self._pace)
        here, there = _page(self._source, table, after, upto), _page(target, table, after, upto)
        wanted = here.items() if any(index.unique for index in table.indexes) else None
        gone = [key for key, row in there.items() if (key not in here if wanted is None else (key, row) not in wanted)]
        if gone:
            target.change_many(_deletion(table), [_of_key(table, key) for key in gone])
        self._done += len(there)
        return upto

    def bring(self, table: Table, target: Rows, after: Any) -> Any:
        """Write into the target what is lacking or different in a page of the source; return where the next page begins."""
        upto = _bound(self._source, table, after, self._pace)
        here, there = _page(self._source, table, after, upto), _page(target, table, after, upto)
        target.insert(table, [row for key, row in here.items() if key not in there])
        different = [(key, row) for key, row in here.items() if key in there and there[key] != row]
        if different:
            names = [column.name for column in table.c]
            given = [{**dict(zip(names, row, strict=True)), **_of_key(table, key)} for key, row in different]
            target.change_many(_correction(table), given)
        self._done += len(here)
        return upto


def _pages(rows: Rows, table: Table, pace: Pace) -> Iterator[tuple[Any, Any]]:
    """Yield the bounds of the pages, the lower one excluded, None where there is none."""
    after = None
    while (upto := _bound(rows, table, after, pace)) is not None:
        yield after, upto
        after = upto
    yield after, None


def _page(rows: Rows, table: Table, after: Any, upto: Any) -> Mapping[Key, Row]:
    given = _given(after, upto)
    truths = [place for place, column in enumerate(table.c) if isinstance(column.type, Boolean)]
    found = rows.all(_between(table, *given), **given)
    places = _key_places(table)
    return {tuple(row[place] for place in places): _truthful(row, truths) if truths else tuple(row) for row in found}


def _truthful(row: Row, truths: Sequence[int]) -> Row:
    """Return a row with the truth values that a database without any has as numbers."""
    return tuple(bool(value) if place in truths else value for place, value in enumerate(row))


def _bound(rows: Rows, table: Table, after: Any, pace: Pace) -> Any:
    """Return the last leading key of the page that begins after one, None where the page is the last."""
    given = _given(after, None)
    found = rows.all(_last_of_page(table, *given), **given, **{_LAST: pace.rows - 1})
    return found[0][0] if found else None


def _given(after: Any, upto: Any) -> dict[str, Any]:
    """Return the bounds that there are, under the names that statements give them."""
    return {name: bound for name, bound in ((_AFTER, after), (_UPTO, upto)) if bound is not None}


def _count(rows: Rows, table: Table) -> int:
    return int(rows.all(_number(table))[0][0])


@cache
def _key_places(table: Table) -> tuple[int, ...]:
    names = list(table.c)
    return tuple(names.index(column) for column in table.primary_key)


def _lead(table: Table) -> Column[Any]:
    return next(iter(table.primary_key))


def _of_key(table: Table, key: Key) -> dict[str, Any]:
    return {f"{_KEY}{column.name}": value for column, value in zip(table.primary_key, key, strict=True)}


@cache
def _number(table: Table) -> Select[Any]:
    return select(func.count()).select_from(table)


@cache
def _last_of_page(table: Table, *bounds: str) -> Select[Any]:
    """A page ends with all the rows of its last leading key, so it may have some more."""
    lead = _lead(table)
    return select(lead).where(*_within(table, bounds)).order_by(lead).limit(1).offset(bindparam(_LAST, type_=Integer))


@cache
def _between(table: Table, *bounds: str) -> Select[Any]:
    return select(table).where(*_within(table, bounds))


def _within(table: Table, bounds: Collection[str]) -> Iterator[ColumnElement[bool]]:
    lead = _lead(table)
    if _AFTER in bounds:
        yield lead > bindparam(_AFTER, type_=lead.type)
    if _UPTO in bounds:
        yield lead <= bindparam(_UPTO, type_=lead.type)


@cache
def _deletion(table: Table) -> Delete:
    return delete(table).where(*(column == bindparam(f"{_KEY}{column.name}") for column in table.primary_key))


@cache
def _correction(table: Table) -> Update:
    keyed = [column == bindparam(f"{_KEY}{column.name}") for column in table.primary_key]
    return update(table).where(*keyed).values({each.name: bindparam(each.name) for each in table.c if not each.primary_key})
