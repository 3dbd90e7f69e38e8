"""Processes that write into one store, for tests of what happens between them and after their end.

Run as a program: `truth_writers.py PLACE NAME COUNT`, where the place is a file or the URL of a Postgres database, says
"ready <name>", waits for a line on stdin, captures COUNT capsules one by one (for ever if COUNT is 0), and says
"answered <number>" after each write.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

from support.processes import Process, running


def writing(place: Path | str, *names: str, count: int = 0) -> AbstractContextManager[list[Process]]:
    """Processes that write into the store in a file or behind a URL, one a name."""
    return running(__file__, *((place, name, count) for name in names))


def written_at_once(writers: Sequence[Process]) -> dict[str, list[int]]:
    """Let them all go at once; return by name the numbers that each was answered with, once each has ended."""
    with ThreadPoolExecutor(len(writers)) as pool:
        hearing = {writer.name: pool.submit(list, writer.numbers("answered")) for writer in writers}
        for writer in writers:
            writer.go()
        return {name: heard.result() for name, heard in hearing.items()}


def content_of(name: str, place: int) -> str:
    """What the process `name` writes at its n-th write."""
    return f"{name} writes {place}"


def _write(store: str, name: str, count: int) -> None:
    from recordance_adapters.driven.sql_truth.opening import open_postgres_truth, open_sql_truth
    from support.truths import remember

    truth = open_postgres_truth(store) if store.startswith("postgresql:") else open_sql_truth(Path(store))
    print("ready", name, flush=True)
    sys.stdin.readline()
    place = 0
    while not count or place < count:
        place += 1
        (number,) = remember(truth, content_of(name, place), tags=(name,))
        print("answered", number, flush=True)
    truth.close()


if __name__ == "__main__":
    _write(sys.argv[1], sys.argv[2], int(sys.argv[3]))
