"""Marks in the place of a format: of a store that is still arriving, and of one that was moved away.

A format is what every program looks at before anything else, and in every transaction; so no program, older or newer, takes what
bears a mark for a store. A store that was moved away has a table besides, which says where to.
"""

from sqlalchemy import Column, Engine, Integer, MetaData, Table, Text, select

from recordance.errors import StoreUnusable
from recordance_adapters.driven.sql_truth.migrations import HEAD

_ARRIVING, _MOVED = "arriving-", "moved-"
ARRIVING = f"{_ARRIVING}{HEAD}"
"""What a store of this program's format bears until everything has arrived."""
MOVED = f"{_MOVED}{HEAD}"
"""What a store of this program's format bears once it was moved away."""
MARKS = frozenset({ARRIVING, *(f"{_MOVED}{number:04}" for number in range(1, int(HEAD) + 1))})
"""What a move can open: what it began itself, and what was moved away in whatever format."""

moved_away = Table(
    "moved_away",
    MetaData(),
    Column("one", Integer, primary_key=True, autoincrement=False),
    Column("place", Text, nullable=False),
)
"""Where a store was moved to, in the words of who moved it. The table is there under the mark alone."""

_HALF = (
    "a store is still being moved here, and is of no use before everything has arrived: "
    "run the command that moves it again, which goes on where it stopped"
)
_HALF_BY_ANOTHER = (
    "a store is still being moved here by a program of another format: let that program finish, or move it to another place"
)
_GONE = (
    "the store was moved away: use the place that it was moved to, "
    "or give this one back its use with recordance move --reopen, from when on there are two"
)


def was_moved_away(mark: str) -> bool:
    """Whether a store with this format, or mark, is in use elsewhere."""
    return mark.startswith(_MOVED)


def format_under(mark: str) -> str:
    """Return the format that a store had when it was moved away."""
    return mark.removeprefix(_MOVED)


def require_settled(engine: Engine, version: str) -> None:
    """Raise StoreUnusable where the format that was found is a mark; the text says where the store is, the lesson what to do."""
    if version.startswith(_ARRIVING):
        lesson = _HALF if version == ARRIVING else _HALF_BY_ANOTHER
        raise StoreUnusable(lesson, lesson=lesson)
    if was_moved_away(version):
        raise StoreUnusable(f"{_GONE} (it is now {place_moved_to(engine)})", lesson=_GONE)


def turned(found: str, known: str) -> StoreUnusable:
    """Return what it means that an open store has another format than when it was opened."""
    if was_moved_away(found):
        lesson = "the store was moved away meanwhile; use the place that it was moved to"
    elif found.startswith(_ARRIVING):
        lesson = "another store is being moved here; restart this program when it has arrived"
    else:
        lesson = f"the store was migrated from format {known} to {found} meanwhile; restart this program"
    return StoreUnusable(lesson, lesson=lesson)


def place_moved_to(engine: Engine) -> str:
    """Return where a store that bears the mark was moved to."""
    with engine.connect() as connection:
        return str(connection.scalars(select(moved_away.c.place)).one())
