"""Running statements: compiled to SQL text once per engine, then straight to the driver's cursor.

An execution through SQLAlchemy's connection costs twenty times what SQLite needs for the row, and a recall makes a dozen.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, repeat
from operator import is_not
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlalchemy import Table, bindparam, insert
from sqlalchemy.engine import Dialect
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.sql import ClauseElement, ColumnElement
from sqlalchemy.sql.ddl import ExecutableDDLElement

if TYPE_CHECKING:
    from sqlalchemy.sql.compiler import SQLCompiler

Row = tuple[Any, ...]
V = TypeVar("V", int, str)
SIZES = (1, 8, 48, 500)
"""For how many members a statement exists; fewer are filled up by repeating one. Below every database's variable limit."""
_MEMBER = "member_"
MOST_INSERTIONS = 1_000
"""How many different shapes of rows are remembered as SQL text."""
_NONES = repeat(None)
Build = Callable[[int], ClauseElement]
"""Returns the statement for so many members; cached, so that the same object comes back."""


def among(column: ColumnElement[Any], size: int) -> ColumnElement[bool]:
    """Return the condition that `column` is one of `size` members, to be given when the statement runs."""
    return column.in_([bindparam(f"{_MEMBER}{place}", type_=column.type) for place in range(size)])


@dataclass(frozen=True, slots=True)
class Prepared:
    """SQL text with the names of its parameters by position; the members of `among` stand between `before` and `after`."""

    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    constants: dict[str, Any]


class Compiler:
    """Compiles each statement once for one engine. Safe for threads: at worst a statement is compiled twice."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._prepared: dict[ClauseElement, Prepared] = {}
        self._insertions: dict[tuple[Table, bytes], str] = {}

    def prepared(self, statement: ClauseElement) -> Prepared:
        """Return the compiled form of a statement that lives as long as the module."""
        found = self._prepared.get(statement)
        if found is None:
            found = self._prepared[statement] = self.compiled(statement)
        return found

    def compiled(self, statement: ClauseElement) -> Prepared:
        """Return the compiled form of a statement that is run once."""
        compiled = cast("SQLCompiler", statement.compile(dialect=self._dialect, compile_kwargs={"render_postcompile": True}))
        names = tuple(compiled.positiontup or ())
        members = [place for place, name in enumerate(names) if name.startswith(_MEMBER)]
        first, last = (members[0], members[-1] + 1) if members else (len(names), len(names))
        asked = {name for name, bind in compiled.binds.items() if bind.required}
        constants = {name: value for name, value in compiled.params.items() if name not in asked}
        return Prepared(str(compiled), names[:first], names[last:], constants)

    def definition(self, change: ExecutableDDLElement) -> str:
        """Return the SQL text of a change of tables."""
        return str(change.compile(dialect=self._dialect))

    def insertion(self, table: Table, shape: bytes) -> str:
        """Return the SQL text that inserts a row of which only the columns marked in `shape` are not NULL."""
        found = self._insertions.get((table, shape))
        if found is None:
            if len(self._insertions) > MOST_INSERTIONS:
                self._insertions.clear()
            names = [column.name for column in compress(table.c, shape)]
            statement = insert(table).values({name: bindparam(name) for name in names})
            found = self._insertions[table, shape] = self.compiled(statement).text
        return found


class Rows:
    """One transaction's connection, as statements with named parameters."""

    def __init__(self, cursor: DBAPICursor, compiler: Compiler) -> None:
        self._cursor = cursor
        self._compiler = compiler

    def all(self, statement: ClauseElement, **given: Any) -> Sequence[Row]:
        """Return every row that a statement of the module's life finds."""
        return self._run(self._compiler.prepared(statement), given)

    def once(self, statement: ClauseElement) -> Sequence[Row]:
        """Return every row of a statement that was built for this one question and holds its own values."""
        return self._run(self._compiler.compiled(statement), {})

    def prepare(self, statement: ClauseElement) -> Prepared:
        """Return the compiled form of a statement that this transaction runs several times."""
        return self._compiler.compiled(statement)

    def run(self, prepared: Prepared, **given: Any) -> Sequence[Row]:
        """Return every row that a statement finds which `prepare` has compiled."""
        return self._run(prepared, given)

    def among(self, build: Build, members: Iterable[V], **given: Any) -> Iterator[Row]:
        """Return the rows of `build`'s statement for any number of members, each asked for once, in chunks."""
        distinct = list(dict.fromkeys(members))
        for start in range(0, len(distinct), SIZES[-1]):
            chunk = distinct[start : start + SIZES[-1]]
            size = next(size for size in SIZES if size >= len(chunk))
            chunk.extend(chunk[-1:] * (size - len(chunk)))
            yield from self._run(self._compiler.prepared(build(size)), given, chunk)

    def change(self, statement: ClauseElement, **given: Any) -> int:
        """Run one writing statement and return how many rows it changed."""
        prepared = self._compiler.prepared(statement)
        self._cursor.execute(prepared.text, _positional(prepared, given, ()))
        return self._cursor.rowcount

    def define(self, change: ExecutableDDLElement) -> None:
        """Change the tables themselves."""
        self._cursor.execute(self._compiler.definition(change))

    def insert(self, table: Table, rows: Iterable[Row]) -> None:
        """Insert rows whose values stand in the order of the table's columns.

        Rows that are NULL in the same columns go together and leave those out: to bind a None costs the driver of SQLite as
        much as ten texts, and most columns of a capsule are NULL.
        """
        shapes: dict[bytes, list[Row]] = {}
        for row in rows:
            shape = bytes(map(is_not, row, _NONES))
            shapes.setdefault(shape, []).append(tuple(compress(row, shape)) if 0 in shape else row)
        for shape, present in shapes.items():
            self._each(self._compiler.insertion(table, shape), present)

    def change_many(self, statement: ClauseElement, given: Sequence[dict[str, Any]]) -> int:
        """Run one writing statement for each set of parameters, in order, and return how many rows were changed in all."""
        prepared = self._compiler.prepared(statement)
        self._each(prepared.text, [_positional(prepared, each, ()) for each in given])
        return self._cursor.rowcount

    def _each(self, statement: str, rows: Sequence[Row]) -> None:
        """Run a statement for each row; what a driver does to send many at once costs it as much as another one."""
        if len(rows) == 1:
            self._cursor.execute(statement, rows[0])
        else:
            self._cursor.executemany(statement, rows)

    def _run(self, prepared: Prepared, given: dict[str, Any], members: Sequence[Any] = ()) -> Sequence[Row]:
        self._cursor.execute(prepared.text, _positional(prepared, given, members))
        return self._cursor.fetchall()


def _positional(prepared: Prepared, given: dict[str, Any], members: Sequence[Any]) -> Row:
    known = {**prepared.constants, **given} if prepared.constants else given
    if not prepared.after:
        return (*(known[name] for name in prepared.before), *members)
    return (*(known[name] for name in prepared.before), *members, *(known[name] for name in prepared.after))
