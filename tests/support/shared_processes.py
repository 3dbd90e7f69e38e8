"""Processes that write embeddings into one store and share one collection on a server, for tests of who writes it.

Run as a program: `shared_processes.py FOLDER URL SEED` says "ready <seed>", waits for a line on stdin, then writes, recalls and
commits for ever. It says "written <head>" before each recall, "searched <head>" or "scanned <head>" after it, and
"committed <applied>" after each commit; it ends at a recall that does not answer as the truth does.
"""

import random
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from recordance.ports.truth import Truth
from recordance.usecases.shared_vector_follow import SharedVectorFollower
from support.processes import Process, running
from support.vector_processes import TRUTH, question, write_some
from support.vector_views import SPACE, recall_holds

COLLECTION = "shared"


def sharing_processes(folder: Path, url: str, *seeds: int) -> AbstractContextManager[list[Process]]:
    """Processes on the store in `folder` and the server there, one a seed, each named after its seed."""
    return running(__file__, *((folder, url, seed) for seed in seeds))


def sharing_at(truth: Truth, url: str) -> SharedVectorFollower:
    """A follower of a truth in a file, with a client of its own, as the composition root makes it."""
    from recordance_adapters.driven.qdrant_vectors.remote import RemoteVectors, open_collection
    from support.truths import IDENTITY

    remote = RemoteVectors(url=url, collection=COLLECTION, timeout=30.0)
    duty = truth.duty("vector index")  # type: ignore[attr-defined]

    @contextmanager
    def on_duty() -> Iterator[bool]:
        try:
            yield duty.held()
        finally:
            duty.release()

    return SharedVectorFollower(
        truth,
        SPACE,
        lambda: open_collection(remote, IDENTITY.store),
        on_duty,
        lambda: secrets.token_hex(8),
        time.monotonic,
        patience=0.1,
    )


def _run(folder: Path, url: str, seed: int) -> None:
    from recordance_adapters.driven.sql_truth.opening import open_sql_truth
    from support.shared_indexes import scanned

    truth, chance = open_sql_truth(folder / TRUTH), random.Random(seed)
    follower = sharing_at(truth, url)
    print("ready", seed, flush=True)
    sys.stdin.readline()
    while True:
        print("written", write_some(truth, chance), flush=True)
        view = recall_holds(follower, truth, question(chance))
        print("scanned" if scanned(view) else "searched", follower.status().head, flush=True)
        if chance.random() < 0.7:
            follower.commit()
            print("committed", follower.status().applied, flush=True)


if __name__ == "__main__":
    _run(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
