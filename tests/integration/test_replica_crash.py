"""Processes with replicas of their own on one store: side by side, and at their sudden ends."""

import random
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from recordance.ports.truth import Truth
from recordance.usecases.follow import TermFollower
from recordance_adapters.driven.sql_truth.opening import open_sql_truth
from support.documents import asking
from support.follower_processes import REPLICAS, TRUTH, committing
from support.processes import last_of
from support.replicas import holds
from support.slots import adopted_terms
from support.truths import IDENTITY

ROUNDS = 5
QUERIES = (asking("tokio"), asking("w1"), asking("w2 w3", "w4"))


@pytest.fixture
def truth(tmp_path: Path) -> Iterator[Truth]:
    with closing(open_sql_truth(tmp_path / TRUTH, identity=IDENTITY)) as truth:
        yield truth


def test_an_index_whose_process_was_killed_while_it_committed_is_brought_up_by_the_next(truth: Truth, tmp_path: Path) -> None:
    """case C6, case C7: killed at random moments; nothing committed is lost, nothing held twice, and none starts anew."""
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    for _ in range(ROUNDS):
        with committing(tmp_path, chance.randrange(2**32)) as (process,):
            assert process.name == "0"
            process.go()
            last = last_of(process.killed_after(chance.randint(1, 16)), "committed")
        with adopted_terms(tmp_path / REPLICAS, IDENTITY.store) as replica:
            assert replica.slot.name == "0"
            assert replica.applied >= last
            follower = TermFollower(truth, replica, time.monotonic)
            with follower.at_head() as view:
                assert view.head >= last
                holds(view, *QUERIES)
            follower.commit()
            with follower.at_head() as view:
                holds(view, *QUERIES)
                assert replica.snapshot().document_count == view.reader.corpus().capsules


def test_processes_on_one_store_follow_each_other_in_slots_of_their_own(truth: Truth, tmp_path: Path) -> None:
    """case C1, case C7, case C9: three write and commit at once; a recall sees all that was answered before it."""
    with (
        adopted_terms(tmp_path / REPLICAS, IDENTITY.store) as replica,
        committing(tmp_path, 1, 2, 3) as processes,
    ):
        assert sorted([replica.slot.name, *(process.name for process in processes)]) == ["0", "1", "2", "3"]
        follower = TermFollower(truth, replica, time.monotonic)
        for process in processes:
            process.go()
        answers = [process.numbers("committed") for process in processes]
        for place in range(15):
            answered = max(next(answer) for answer in answers)
            with follower.at_head() as view:
                assert view.head >= answered
                holds(view, *QUERIES)
            if place % 4 == 0:
                follower.commit()


def test_a_process_that_joins_a_busy_store_starts_as_a_copy(truth: Truth, tmp_path: Path) -> None:
    """Decision 2: it takes the files of a replica that another process writes at that moment, and catches up by the journal."""
    with committing(tmp_path, 7) as (process,):
        process.go()
        answers = process.numbers("committed")
        for _ in range(5):
            answered = [next(answers) for _ in range(4)][-1]
            with adopted_terms(tmp_path / REPLICAS, IDENTITY.store) as replica:
                assert replica.slot.name == "1"
                assert replica.applied >= answered
                with TermFollower(truth, replica, time.monotonic).at_head() as view:
                    holds(view, *QUERIES)
                replica.clear(0)
