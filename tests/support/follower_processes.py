"""Processes that write into one store and commit to replicas of their own, for tests of what happens between them and after.

Run as a program: `follower_processes.py FOLDER SEED` says "ready <slot>", waits for a line on stdin, then writes and commits for
ever, and says before each commit how far the journal is, after it how far its replica is.
"""

import random
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from support.processes import Process, running

TRUTH, REPLICAS = "truth.db", "replicas"


def committing(folder: Path, *seeds: int) -> AbstractContextManager[list[Process]]:
    """Processes on the store in `folder`, one a seed, each named after its slot."""
    return running(__file__, *((folder, seed) for seed in seeds))


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
