"""Processes that write into one store, for tests of what happens between them and after their end.

Run as a program: `truth_writers.py FILE NAME COUNT` says "ready", waits for a line on stdin, captures COUNT capsules one by one
(for ever if COUNT is 0), and says after each write which number it was answered with.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


class Writer:
    """A running process of this module."""

    def __init__(self, file: Path, name: str, count: int = 0) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(file), name, str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        assert self._out.readline() == "ready\n"

    def go(self) -> None:
        """Let it begin to write."""
        assert self.process.stdin
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def answered(self) -> Iterator[int]:
        """The numbers that it was answered with, as they come, until it ends."""
        return map(int, self._out)

    def kill(self) -> None:
        """End it at once, as a crash would, and leave what it said to be read."""
        self.process.kill()

    @property
    def _out(self) -> IO[str]:
        assert self.process.stdout
        return self.process.stdout


@contextmanager
def writing(file: Path, *names: str, count: int = 0) -> Iterator[list[Writer]]:
    """Processes that write into the store of `file`, one a name, started and not yet let go; ended at the end."""
    writers = [Writer(file, name, count) for name in names]
    try:
        yield writers
    finally:
        for writer in writers:
            writer.kill()
            writer.process.communicate()


def content_of(name: str, place: int) -> str:
    """What the process `name` writes at its n-th write."""
    return f"{name} writes {place}"


def _write(file: Path, name: str, count: int) -> None:
    from recordance_adapters.driven.sql_truth.opening import open_sql_truth
    from support.truths import remember

    truth = open_sql_truth(file)
    print("ready", flush=True)
    sys.stdin.readline()
    place = 0
    while not count or place < count:
        place += 1
        (number,) = remember(truth, content_of(name, place), tags=(name,))
        print(number, flush=True)
    truth.close()


if __name__ == "__main__":
    _write(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
