"""Processes that write into one store and commit to replicas of their own, for tests of what happens between them and after.

Run as a program: `follower_processes.py FOLDER SEED` says "ready <slot>", waits for a line on stdin, then writes and commits for
ever, and says before each commit how far the journal is, after it how far its replica is.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

TRUTH, REPLICAS = "truth.db", "replicas"


class Process:
    """A running process of this module."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(folder), str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        ready, self.slot = self._out.readline().split()
        assert ready == "ready"

    def go(self) -> None:
        """Let it begin."""
        assert self.process.stdin
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def told(self) -> Iterator[tuple[str, int]]:
        """What it says, as it comes, until it ends: ("written", head) before each commit, ("committed", applied) after it."""
        return ((word, int(seq)) for word, seq in map(str.split, self._out))

    def committed(self) -> Iterator[int]:
        """The journal seqs that it had committed, as they come, until it ends."""
        return (seq for word, seq in self.told() if word == "committed")

    def kill(self) -> None:
        """End it at once, as a crash would."""
        self.process.kill()

    @property
    def _out(self) -> IO[str]:
        assert self.process.stdout
        return self.process.stdout


@contextmanager
def running(folder: Path, *seeds: int) -> Iterator[list[Process]]:
    """Processes on the store in `folder`, one a seed, started and not yet let go; ended at the end."""
    processes = [Process(folder, seed) for seed in seeds]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.process.communicate()


def _run(folder: Path, seed: int) -> None:
    from recordance.usecases.follow import TermFollower
    from recordance_adapters.driven.replica_slots import adopt_slot
    from recordance_adapters.driven.sql_truth.opening import open_sql_truth
    from support.slots import terms_in
    from support.truths import IDENTITY

    truth = open_sql_truth(folder / TRUTH)
    slot = adopt_slot(folder / REPLICAS, time.time())
    follower = TermFollower(truth, terms_in(slot, IDENTITY.store), time.monotonic)
    print("ready", slot.path.name, flush=True)
    sys.stdin.readline()
    chance = random.Random(seed)
    while True:
        _write(truth, chance)
        print("written", follower.status().head, flush=True)
        follower.commit()
        print("committed", follower.status().applied, flush=True)


def _write(truth: Any, chance: random.Random) -> None:
    """Capture a few capsules, and archive and forget some of the earlier ones, in one transaction each."""
    from support.truths import entombed, remember, stands, write

    numbers = remember(truth, *(f"tokio w{chance.randrange(30)} w{chance.randrange(30)}" for _ in range(chance.randint(1, 20))))
    write(truth, stands(chance.choice(numbers), archived_at=1))
    if len(numbers) > 1:
        write(truth, entombed(numbers[0]))


if __name__ == "__main__":
    _run(Path(sys.argv[1]), int(sys.argv[2]))
