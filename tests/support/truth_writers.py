"""Processes that write into one store, for tests of what happens between them and after their end.

Run as a program: `truth_writers.py FILE NAME COUNT` says "ready <name>", waits for a line on stdin, captures COUNT capsules one
by one (for ever if COUNT is 0), and says "answered <number>" after each write.
"""

import sys
from contextlib import AbstractContextManager
from pathlib import Path

from support.processes import Process, running


def writing(file: Path, *names: str, count: int = 0) -> AbstractContextManager[list[Process]]:
    """Processes that write into the store of `file`, one a name."""
    return running(__file__, *((file, name, count) for name in names))


def content_of(name: str, place: int) -> str:
    """What the process `name` writes at its n-th write."""
    return f"{name} writes {place}"


def _write(file: Path, name: str, count: int) -> None:
    from recordance_adapters.driven.sql_truth.opening import open_sql_truth
    from support.truths import remember

    truth = open_sql_truth(file)
    print("ready", name, flush=True)
    sys.stdin.readline()
    place = 0
    while not count or place < count:
        place += 1
        (number,) = remember(truth, content_of(name, place), tags=(name,))
        print("answered", number, flush=True)
    truth.close()


if __name__ == "__main__":
    _write(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
