"""Several processes over one store and one collection: at their sudden ends, and at the end of the collection."""

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from recordance.ports.truth import Truth
from recordance_adapters.driven.sql_truth.opening import open_sql_truth
from support.processes import Process, last_of
from support.qdrant_double import QdrantDouble, qdrant_double
from support.shared_indexes import scanned
from support.shared_processes import COLLECTION, sharing_at, sharing_processes
from support.truths import IDENTITY
from support.vector_processes import TRUTH, question
from support.vector_views import SPACE, recall_holds


@pytest.fixture
def truth(tmp_path: Path) -> Iterator[Truth]:
    with closing(open_sql_truth(tmp_path / TRUTH, identity=IDENTITY)) as truth:
        yield truth


@pytest.fixture(scope="module")
def double() -> Iterator[QdrantDouble]:
    with qdrant_double() as double:
        yield double


def until(process: Process, word: str, times: int = 1) -> int:
    """Listen to a process until it has said a word so often; fails where it ends before."""
    for said, number in process.told():
        if said == word:
            times -= 1
            if not times:
                return number
    raise AssertionError(f"process {process.name} ended before it said {word!r} again")


def test_a_killed_writer_and_a_collection_that_is_deleted_under_load_cost_no_recall_its_truth(
    truth: Truth, double: QdrantDouble, tmp_path: Path
) -> None:
    """case C6, case D5: each process ends at the first recall that does not answer as the truth does; none does.

    The duty ends with its process, and what that left half done is done by whoever comes next.
    """
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    with sharing_processes(tmp_path, double.url, *(chance.randrange(2**32) for _ in range(2))) as (doomed, other):
        doomed.go()
        other.go()
        said = doomed.killed_after(chance.randint(4, 9))
        for harm in (double.delete, double.empty):
            until(other, "searched")
            harm(COLLECTION)
            until(other, "committed", 2)
    with closing(sharing_at(truth, double.url)) as follower:
        recall_holds(follower, truth, question(chance))
        follower.commit()
        assert not scanned(recall_holds(follower, truth, *(question(chance) for _ in range(5)))), f"seed {seed}"
        assert follower.status().applied == follower.status().head >= last_of(said, "committed")
        with truth.reading() as reader:
            space = reader.space(SPACE)
            assert space is not None
            assert follower.held() == space.vectors, f"seed {seed}"
