"""Processes that write embeddings into one store and commit to vector indexes of their own, for tests of their sudden ends.

Run as a program: `vector_processes.py FOLDER SEED` says "ready <slot>", waits for a line on stdin, then writes, recalls and
commits for ever. It says "written <head>" before each recall, "recalled <head>" after it, and "committed <applied>" after each
commit; it ends at a recall that does not answer as the truth does.
"""

import random
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path

from recordance.domain.change import Revise
from recordance.domain.journal import Op
from recordance.ports.truth import Truth
from recordance.query.fence import Scope
from recordance.query.nearness import VectorQuery
from support.processes import Process, running
from support.truths import entombed, make_capture, remember, told, write
from support.vector_views import embedding_of, recall_holds, vector

TRUTH, REPLICAS = "truth.db", "replicas"
DIMENSION = 8


def embedding_processes(folder: Path, *seeds: int) -> AbstractContextManager[list[Process]]:
    """Processes on the store in `folder`, one a seed, each named after its slot."""
    return running(__file__, *((folder, seed) for seed in seeds))


def question(chance: random.Random) -> VectorQuery:
    """A question to the vectors that these processes write."""
    return VectorQuery(vector=vector(*(chance.gauss(0.0, 1.0) for _ in range(DIMENSION))), scope=Scope())


def _run(folder: Path, seed: int) -> None:
    from recordance.usecases.vector_follow import VectorFollower
    from recordance_adapters.driven.qdrant_vectors.opening import open_vectors
    from recordance_adapters.driven.replica_slots import adopt_slot
    from recordance_adapters.driven.sql_truth.opening import open_sql_truth
    from support.truths import IDENTITY
    from support.vector_views import SPACE

    truth, slot = open_sql_truth(folder / TRUTH), adopt_slot(folder / REPLICAS, time.time())
    follower = VectorFollower(
        truth, SPACE, lambda: open_vectors(slot.path, IDENTITY.store, slot.others()), time.monotonic, patience=60.0
    )
    print("ready", slot.path.name, flush=True)
    sys.stdin.readline()
    chance = random.Random(seed)
    while True:
        print("written", write_some(truth, chance), flush=True)
        recall_holds(follower, truth, question(chance))
        print("recalled", follower.status().head, flush=True)
        if chance.random() < 0.7:
            follower.commit()
            print("committed", follower.status().applied, flush=True)


def write_some(truth: Truth, chance: random.Random) -> int:
    """Capture a few capsules with vectors, replace one, revise one and forget one, in a transaction each; return the head."""
    numbers = remember(truth, *(f"statement {chance.random()}" for _ in range(chance.randint(4, 30))))
    with truth.reading() as reader:
        capsules = reader.capsules(numbers)
    write(truth, *(embedding_of(capsule, question(chance).vector) for capsule in capsules.values()))
    replaced, revised, forgotten = chance.sample(numbers, 3)
    write(truth, embedding_of(capsules[replaced], question(chance).vector))
    other = make_capture(revised, f"statement {chance.random()} said anew", revision=2)
    write(truth, told(Op.REVISED, revised, Revise(other.capsule, other.text)))
    return write(truth, entombed(forgotten, f"mac-{forgotten}"))


if __name__ == "__main__":
    _run(Path(sys.argv[1]), int(sys.argv[2]))
