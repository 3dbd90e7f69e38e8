"""Processes of programs in this folder: started, let go, listened to as they speak, and killed as a crash would.

Such a program says "ready" and the name that it goes by once it is set up, waits for a line on stdin, and then says a word and a
number a line, such as "committed 7".
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO


class Process:
    """A running process of a program, set up and not yet let go."""

    def __init__(self, program: str, *words: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, program, *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        ready, self.name = self._out.readline().rstrip("\n").split(" ", 1)
        assert ready == "ready"

    def go(self) -> None:
        """Let it begin."""
        assert self.process.stdin
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def told(self) -> Iterator[tuple[str, int]]:
        """What it says, as it comes, until it ends."""
        return ((word, int(number)) for word, number in map(str.split, self._out))

    def numbers(self, said: str) -> Iterator[int]:
        """The numbers that it says with one word, as they come, until it ends."""
        return (number for word, number in self.told() if word == said)

    def killed_after(self, lines: int) -> Sequence[tuple[str, int]]:
        """Kill it once it has said so many lines, in the midst of the next; return all that it said, the last of it included."""
        said: list[tuple[str, int]] = []
        for line in self.told():
            said.append(line)
            if len(said) == lines:
                self.process.kill()
        return said

    @property
    def _out(self) -> IO[str]:
        assert self.process.stdout
        return self.process.stdout


def last_of(said: Sequence[tuple[str, int]], sought: str) -> int:
    """The last number that was said with a word; 0 if none was."""
    return next((number for word, number in reversed(said) if word == sought), 0)


@contextmanager
def running(program: str, *each: Sequence[object]) -> Iterator[list[Process]]:
    """Processes of a program, one for each of the words that it is started with; ended at the end, whatever state they are in."""
    processes: list[Process] = []
    try:
        processes += (Process(program, *words) for words in each)
        yield processes
    finally:
        for process in processes:
            process.process.kill()
            process.process.communicate()
