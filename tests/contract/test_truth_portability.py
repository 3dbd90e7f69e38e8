"""One set of tables and statements for every database: what is one database's own stands in one module."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from inspect import signature
from types import ModuleType

import pytest
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.base import Executable

from recordance.domain.capsule import LabelField
from recordance.query.fence import (
    CreationFence,
    LabelBarrier,
    LabelFence,
    MarkFence,
    MarkField,
    MemberFence,
    SubtreeFence,
)
from recordance_adapters.driven import sql_truth
from recordance_adapters.driven.sql_truth import changes, fencing, forgetting, tables
from recordance_adapters.driven.sql_truth.rows import SIZES, Compiler
from support import checkout
from support.truths import NOON

OWN_MODULES = {"sqlite": "sqlite_dialect.py", "postgres": "postgres_dialect.py"}
OWN_WORDS = {"sqlite": ("import sqlite3", "PRAGMA"), "postgres": ("import psycopg", "from psycopg", "pg_")}
DIALECTS = {"sqlite": sqlite.dialect(paramstyle="qmark"), "postgresql": postgresql.dialect(paramstyle="format")}


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.iter_modules(sql_truth.__path__, f"{sql_truth.__name__}."):
        if not found.ispkg:
            yield importlib.import_module(found.name)


def statements() -> dict[str, ClauseElement]:
    """Every statement that a module holds or builds, by name."""
    found: dict[str, ClauseElement] = {f"change {kind.__name__}": way.statement for kind, way in changes.WAYS.items()}
    found |= {f"erase {place}": statement for place, statement in enumerate(forgetting._ERASE)}
    for module in modules():
        for name, value in vars(module).items():
            if isinstance(value, Executable) and isinstance(value, ClauseElement):
                found[f"{module.__name__} {name}"] = value
            elif (
                hasattr(value, "cache_info")
                and value.__module__ == module.__name__
                and list(signature(value).parameters) == ["size"]
            ):
                found |= {f"{module.__name__} {name} of {size}": value(size) for size in SIZES}
    return found


def takes_a_size(function: Callable[..., object]) -> bool:
    return list(signature(function).parameters) == ["size"]


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_every_statement_is_the_same_for_every_database(dialect: Dialect) -> None:
    """W14: the same statements with their parameters by position, so that what holds on one database holds on the next."""
    found = statements()
    assert len(found) > 40
    mark = "?" if dialect.paramstyle == "qmark" else "%s"
    for name, statement in found.items():
        prepared = Compiler(dialect).compiled(statement)
        members = next((size for size in SIZES if name.endswith(f" of {size}")), 0)
        assert prepared.text.count(mark) == len(prepared.before) + members + len(prepared.after), name


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_every_fence_is_the_same_for_every_database(dialect: Dialect) -> None:
    """F4, W14: each kind alone and all together, with and without values."""
    for values in (frozenset[str](), frozenset({"a"}), frozenset({"a", "b"})):
        fences = (
            LabelFence(LabelField.SESSION, values | {None}),
            LabelFence(LabelField.KIND, values),
            LabelBarrier(LabelField.KIND, values),
            SubtreeFence(values),
            MarkFence(MarkField.TAGS, values),
            CreationFence(NOON, None),
            MemberFence(frozenset(range(len(values)))),
        )
        mark = "?" if dialect.paramstyle == "qmark" else "%s"
        for asked in (fences, *((fence,) for fence in fences)):
            prepared = Compiler(dialect).compiled(fencing.embedded_where("default", asked))
            assert (
                prepared.text.count(mark) == len(prepared.before) == len([prepared.constants[each] for each in prepared.before])
            )


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_every_table_can_be_made_in_every_database(dialect: Dialect) -> None:
    """W14: labels are compared by code point everywhere, and rows number themselves where they must."""
    covering = 0
    for table in tables.made_for(dialect.name).sorted_tables:
        made = str(CreateTable(table).compile(dialect=dialect))
        assert made.count('COLLATE "C"') == (0 if dialect.name == "sqlite" else made.count("COLLATE"))
        for index in table.indexes:
            statement = str(CreateIndex(index).compile(dialect=dialect))
            assert index.name in statement
            covering += "WHERE" in statement
    assert covering > 2, "some indexes cover only a part of their rows"
    journal = str(CreateTable(tables.journal).compile(dialect=dialect))
    assert ("COLLATE" in journal) is (dialect.name == "postgresql")


@pytest.mark.parametrize("database", OWN_WORDS)
def test_what_is_a_databases_own_stands_in_its_own_modules(database: str) -> None:
    """Decision 8: the database is one URL; nothing else in the truth knows which one it is."""
    folder = "adapters/recordance_adapters/driven/sql_truth/"
    sources = [path for path in checkout.python_files("adapters") if path.as_posix().startswith(folder)]
    texts = {path.name: (checkout.ROOT / path).read_text(encoding="utf-8") for path in sources}
    knowing = {name for name, text in texts.items() if any(word in text for word in OWN_WORDS[database])}
    assert len(sources) > 10
    assert OWN_MODULES[database] in knowing
    assert not [name for name in knowing if not name.startswith(f"{database}_")]


def test_transactions_are_begun_by_the_dialects_alone() -> None:
    """Decision 8: how a snapshot and a turn to write are had differs, and stands in one place for each."""
    folder = "adapters/recordance_adapters/driven/sql_truth/"
    sources = [path for path in checkout.python_files("adapters") if path.as_posix().startswith(folder)]
    beginning = {path.name for path in sources if "BEGIN" in (checkout.ROOT / path).read_text(encoding="utf-8")}
    assert beginning == set(OWN_MODULES.values())
