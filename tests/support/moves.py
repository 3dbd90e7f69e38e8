"""Moves of stores in this process and in one of their own, in steps so small that a few capsules take many.

A place is a file, or the URL of a database with a schema behind a #. Run as a program: `moves.py SOURCE TARGET` says "ready
move", waits for a line on stdin, moves the store from the one place to the other, says "looked <n>" whenever it is further, and
"moved 0" at its end.
"""

import itertools
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from recordance.domain.identity import StoreIdentity
from recordance.errors import Json
from recordance.ports.moving import Leaving, Progress
from recordance.usecases.move import Phase, Phases, move
from recordance_adapters.driven.sql_truth.carrying import Pace
from recordance_adapters.driven.sql_truth.moving import SqlMoving
from recordance_adapters.driven.sql_truth.opening import open_postgres_truth, open_sql_truth
from recordance_adapters.driven.sql_truth.preparing import Formats
from recordance_adapters.driven.sql_truth.standing import MARKS
from recordance_adapters.driven.sql_truth.truth import SqlTruth

SMALL = Pace(rows=2, pages=2)
"""Small enough that everything is on a page's edge somewhere."""
PATIENCE = 20.0
WAYS = [("sqlite", "sqlite"), ("sqlite", "postgres"), ("postgres", "sqlite")]
"""From which database to which a store is moved in tests."""
_databases: list[str] = []
_schemas = itertools.count(1)


class Stopped(Exception):
    """A move was stopped in its midst."""


def new_place(database: str, folder: Path) -> str:
    """A place of its own where nothing is yet."""
    if database == "sqlite":
        return str(folder / f"store-{next(_schemas)}" / "truth.sqlite")
    from support.postgres_server import session_server

    server = session_server()
    if not _databases:
        _databases.append(server.make_database())
    return f"{server.url_of(_databases[0])}#s{next(_schemas)}"


def opened_at(place: object, formats: Formats | None = None, identity: StoreIdentity | None = None) -> SqlTruth:
    """The truth at a place, made where there is none."""
    url, _, schema = str(place).partition("#")
    if "://" not in url:
        return open_sql_truth(Path(url), formats=formats, patience=PATIENCE, identity=identity)
    return open_postgres_truth(url, formats=formats, patience=PATIENCE, schema=schema or None, identity=identity, pool=2)


@contextmanager
def between(source: object, target: object, pace: Pace = SMALL) -> Iterator[SqlMoving]:
    """A move between two places, each of which may bear a mark."""
    marked = Formats(marks=MARKS)
    with closing(opened_at(source, marked)) as here, closing(opened_at(target, marked)) as there:
        yield SqlMoving(here, str(source), there, str(target), pace)


def moved(source: object, target: object, phases: Phases | None = None, leaving: Leaving = Leaving.SEALED) -> dict[str, Json]:
    """Move a store from one place to another and return the answer."""
    with between(source, target) as moving:
        return move(moving, leaving, phases or unwatched)


def stopped(source: object, target: object, steps: int) -> bool:
    """Move a store, but stop after so many steps as by a crash; return whether it came so far."""
    try:
        moved(source, target, stopping(steps))
    except Stopped:
        return True
    return False


def stopping(steps: int) -> Phases:
    """Phases that stop a move after so many steps in all."""
    left = iter(range(steps))

    def step(done: int, total: int) -> None:
        if next(left, None) is None:
            raise Stopped

    return lambda _: step


def unwatched(_: Phase) -> Progress:
    """Hear nothing of how far a move is."""
    return lambda _done, _total: None


def _run(source: str, target: str) -> None:
    with between(source, target) as moving:
        print("ready move", flush=True)
        sys.stdin.readline()
        move(moving, Leaving.SEALED, lambda _: lambda done, _total: print("looked", done, flush=True))
    print("moved", 0, flush=True)


if __name__ == "__main__":
    _run(sys.argv[1], sys.argv[2])
