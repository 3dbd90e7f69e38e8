"""Moves of stores in this process and in one of their own, in steps so small that a few capsules take many.

Run as a program: `moves.py SOURCE TARGET` says "ready move", waits for a line on stdin, moves the store in the file SOURCE to the
file TARGET, says "looked <n>" whenever it is further, and "moved 0" at its end.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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


class Stopped(Exception):
    """A move was stopped in its midst."""


def opened_for_a_move(place: str) -> SqlTruth:
    """A truth as a move opens it, in a file or at the URL of a database, a schema of which may be named behind a #."""
    formats = Formats(marks=MARKS)
    if "://" not in place:
        return open_sql_truth(Path(place), formats=formats, patience=PATIENCE)
    url, _, schema = place.partition("#")
    return open_postgres_truth(url, formats=formats, patience=PATIENCE, schema=schema or None)


@contextmanager
def between(source: str, target: str, pace: Pace = SMALL) -> Iterator[SqlMoving]:
    """A move between two places, which are files or databases."""
    here, there = opened_for_a_move(source), opened_for_a_move(target)
    try:
        yield SqlMoving(here, source, there, target, pace)
    finally:
        here.close()
        there.close()


def moved(source: object, target: object, phases: Phases | None = None, leaving: Leaving = Leaving.SEALED) -> dict[str, Json]:
    """Move a store from one place to another and return the answer."""
    with between(str(source), str(target)) as moving:
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
