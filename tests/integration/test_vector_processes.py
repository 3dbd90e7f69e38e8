"""Processes with vector indexes of their own on one store: side by side, and at their sudden ends."""

import random
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from recordance.ports.truth import Truth
from recordance.usecases.vector_follow import VectorFollower
from recordance_adapters.driven.qdrant_vectors.opening import open_vectors
from recordance_adapters.driven.replica_slots import Slot
from recordance_adapters.driven.sql_truth.opening import open_sql_truth
from support.processes import last_of
from support.slots import adopted_slot
from support.truths import IDENTITY
from support.vector_processes import REPLICAS, TRUTH, embedding_processes, question
from support.vector_views import SPACE, MetReplica, is_scan, recall_holds

ROUNDS = 4


@pytest.fixture
def truth(tmp_path: Path) -> Iterator[Truth]:
    with closing(open_sql_truth(tmp_path / TRUTH, identity=IDENTITY)) as truth:
        yield truth


@contextmanager
def joined(truth: Truth, slot: Slot, indexes: list[MetReplica]) -> Iterator[VectorFollower]:
    """A follower of this process in a slot; the index that it opens is added to `indexes`."""

    def opening() -> MetReplica:
        indexes.append(MetReplica(open_vectors(slot.path, IDENTITY.store, slot.others())))
        return indexes[-1]

    with closing(VectorFollower(truth, SPACE, opening, time.monotonic, patience=60.0)) as follower:
        yield follower


def test_an_index_whose_process_was_killed_amid_its_puts_is_brought_up_by_the_next(truth: Truth, tmp_path: Path) -> None:
    """case C6, case C7, case C10: killed at random moments: nothing is lost, nothing dropped is back, none starts anew."""
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    for place in range(ROUNDS):
        with embedding_processes(tmp_path, chance.randrange(2**32)) as (process,):
            assert process.name == "0"
            process.go()
            last = last_of(process.killed_after(chance.randint(3, 20)), "committed")
        indexes: list[MetReplica] = []
        with adopted_slot(tmp_path / REPLICAS) as slot, joined(truth, slot, indexes) as follower:
            assert slot.path.name == "0"
            recall_holds(follower, truth, question(chance))  # it scans, or opens the index where many would be scanned
            follower.commit()
            assert not is_scan(recall_holds(follower, truth, *(question(chance) for _ in range(5)))), f"seed {seed}"
            (index,) = indexes
            assert (index.cleared == []) or (last == 0 and place == 0), f"seed {seed}"
            assert follower.status().applied == follower.status().head >= last
            with truth.reading() as reader:
                space = reader.space(SPACE)
                assert space is not None
                assert index.count == space.vectors


def test_what_a_killed_process_had_committed_is_not_put_again(truth: Truth, tmp_path: Path) -> None:
    """Decision 2: the position on disk is never ahead of the points, and not behind them by more than the last commit."""
    with embedding_processes(tmp_path, 5) as (process,):
        process.go()
        last = last_of(process.killed_after(12), "committed")
    with adopted_slot(tmp_path / REPLICAS) as slot:
        with closing(open_vectors(slot.path, IDENTITY.store, slot.others())) as index:
            applied = index.applied
        assert applied >= last > 0
        indexes: list[MetReplica] = []
        with joined(truth, slot, indexes) as follower, truth.reading() as reader:
            follower.commit()
            later = {row.capsule for row in reader.journal(applied, reader.head())}
            assert {number for put in indexes[0].put_numbers for number in put} <= later


def test_processes_on_one_store_see_each_others_vectors_at_once(truth: Truth, tmp_path: Path) -> None:
    """case C1, case C9, case C10: two write, recall and commit at once; a third that only recalls misses nothing."""
    indexes: list[MetReplica] = []
    chance = random.Random(3)
    with adopted_slot(tmp_path / REPLICAS) as slot, joined(truth, slot, indexes) as follower:
        with embedding_processes(tmp_path, 1, 2) as processes:
            assert sorted([slot.path.name, *(process.name for process in processes)]) == ["0", "1", "2"]
            for process in processes:
                process.go()
            told = [process.told() for process in processes]
            for place in range(20):
                answered = max(seq for seq in (next(each)[1] for each in told))
                view = recall_holds(follower, truth, question(chance))
                assert follower.status().head >= answered
                if place % 4 == 0:
                    follower.commit()
                assert place == 0 or not is_scan(view)
            assert all(process.process.poll() is None for process in processes)
        follower.commit()
        assert not is_scan(recall_holds(follower, truth, question(chance)))
        assert indexes[0].cleared == [8]
