"""What a recall sees through the follower: the truth at exactly its head, whatever the replica has applied."""

import itertools
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from recordance.domain.journal import Op
from recordance.ports.terms import TermReplica
from recordance.ports.truth import Truth
from recordance.query.document import TermQuery
from recordance.query.fence import Scope
from recordance.query.memory_index import MemoryIndex
from recordance.ranking.keys import text_key_of
from recordance.ranking.scoring import Scorer, weigh
from recordance.usecases.follow import CATCH_UP_ROWS, OVERLAY_ROWS, OVERLAY_WORDS, TermFollower
from recordance_adapters.driven.in_memory.terms import MemoryReplica
from support.documents import REPLICAS, adopted, asking, query_about
from support.replicas import Faults, FaultyReplica, answers, holds, whole_index
from support.scenes import Scene
from support.stores import standing_still
from support.truths import entombed, opened, remember, stands, told, write

BOUND = 60.0
TOKIO = asking("tokio")


@pytest.fixture
def truth(tmp_path: Path) -> Iterator[Truth]:
    with opened("in_memory", tmp_path) as truth:
        yield truth


@pytest.fixture(params=REPLICAS)
def replica(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TermReplica]:
    with adopted(request.param, tmp_path) as replica:
        yield replica


def counted(follower: TermFollower) -> int:
    with follower.at_head() as view:
        return view.terms.tally(TOKIO).eligible


def test_a_recall_sees_every_write_that_was_answered_before_it(truth: Truth, replica: TermReplica) -> None:
    """Decision 1: written, changed, forgotten; committed to the replica or not."""
    follower = TermFollower(truth, replica, standing_still)
    assert counted(follower) == 0
    remember(truth, "pin tokio", "tokio runtime")
    assert counted(follower) == 2
    write(truth, stands(1, archived_at=1))
    assert counted(follower) == 1
    follower.commit()
    assert counted(follower) == 1
    write(truth, stands(1, Op.RESTORED), entombed(2))
    assert counted(follower) == 1
    remember(truth, "tokio again")
    assert counted(follower) == 2
    follower.commit()
    assert counted(follower) == 2
    assert replica.snapshot().document_count == 2


@pytest.mark.parametrize("seed", range(6))
def test_every_view_answers_as_the_truth_at_its_own_head(truth: Truth, replica: TermReplica, seed: int) -> None:
    """O11: whatever was written and wherever commits fell, then and long after more was written."""
    scene, chance = Scene(seed), random.Random(seed)
    follower = TermFollower(truth, replica, standing_still)
    write(truth, *scene.beginning(20))
    with ExitStack() as views:
        kept = []
        for _ in range(25):
            write(truth, *(scene.write() for _ in range(chance.randint(0, 3))), at=scene.moment())
            if chance.random() < 0.3:
                follower.commit()
            view = views.enter_context(follower.at_head())
            documents = list(whole_index(view.reader).documents())
            queries = [query_about(documents, chance) for _ in range(6)]
            holds(view, *queries)
            kept.append((view, queries))
        for view, queries in kept:
            holds(view, *queries)


@pytest.mark.parametrize("seed", range(4))
def test_what_a_view_leaves_out_is_not_above_its_horizon(truth: Truth, replica: TermReplica, seed: int) -> None:
    """L17: replica and overlay each leave something out, and one bound holds for both."""
    scene, chance = Scene(seed), random.Random(seed)
    follower = TermFollower(truth, replica, standing_still)
    for _ in range(2):
        write(truth, *itertools.islice(scene.beginning(60), 60), *(scene.write() for _ in range(30)))
        with follower.at_head() as view:
            index = whole_index(view.reader)
            for _ in range(20):
                query = query_about(list(index.documents()), chance)
                weights = weigh(view.terms.frequencies(query.words, Scope()), view.reader.corpus())
                exact = strengths(index, query, Scorer(query.groups, weights))
                for count in (1, 3, 12):
                    proposals = view.terms.proposals(query, count, weights)
                    left_out = [key for number, key in exact.items() if number not in proposals.numbers]
                    horizon = proposals.horizon and text_key_of(query.order)(proposals.horizon)
                    assert horizon is not None or not left_out
                    assert all(key >= horizon for key in left_out if horizon), query
        follower.commit()


def strengths(index: MemoryIndex, query: TermQuery, scorer: Scorer) -> dict[int, tuple[float, ...]]:
    """What ranks every eligible match, less being better."""
    eligible = [number for number, reason in index.judged(query).items() if reason is None]
    hits = [scorer.score(number, index.document(number).words) for number in eligible]
    return {hit.number: text_key_of(query.order)(hit) for hit in hits if hit is not None}


def test_a_commit_brings_the_replica_to_the_head_and_empties_the_overlay(truth: Truth, replica: TermReplica) -> None:
    """Decision 1: rows that change no document count as applied too, or a commit would be due for ever."""
    follower = TermFollower(truth, replica, standing_still)
    remember(truth, "tokio one", "tokio two")
    write(truth, told(Op.FED_BACK, 1))
    assert counted(follower) == 2
    status = follower.status()
    assert (status.head, status.applied, status.overlay) == (3, 0, 2)
    follower.commit()
    status = follower.status()
    assert (status.head, status.applied, status.overlay) == (3, 3, 0)
    write(truth, told(Op.FED_BACK, 1))
    follower.commit()
    assert follower.status().applied == replica.applied == 4


def test_a_commit_needs_no_recall_before_it(truth: Truth, replica: TermReplica) -> None:
    """Decision 1: a server that only imports keeps its index up as well."""
    follower = TermFollower(truth, replica, standing_still)
    remember(truth, *(f"tokio {place}" for place in range(30)))
    follower.commit()
    assert (replica.applied, replica.snapshot().document_count) == (30, 30)


def test_many_rows_are_written_before_they_are_shown(truth: Truth, replica: TermReplica) -> None:
    """Decision 1: the overlay stays small; the recall that finds it too large writes the replica first."""
    follower = TermFollower(truth, replica, standing_still)
    remember(truth, *(f"tokio {place}" for place in range(OVERLAY_ROWS)))
    assert (counted(follower), replica.applied) == (OVERLAY_ROWS, 0)
    remember(truth, "tokio again")
    assert (counted(follower), replica.applied) == (OVERLAY_ROWS + 1, OVERLAY_ROWS + 1)
    assert follower.status().overlay == 0


def test_many_words_are_written_before_they_are_shown(truth: Truth, replica: TermReplica) -> None:
    """Decision 1: a few long contents fill the memory as many short ones do."""
    follower = TermFollower(truth, replica, standing_still)
    long = " ".join(["tokio", *(f"w{place}" for place in range(OVERLAY_WORDS // 10))])
    remember(truth, *(f"{long} {place}" for place in range(9)))
    assert (counted(follower), replica.applied) == (9, 0)
    remember(truth, long)
    assert (counted(follower), replica.applied) == (10, 10)
    assert follower.status().overlay == 0


def test_a_capsule_with_many_rows_is_written_once(truth: Truth) -> None:
    """Decision 1: a catch-up costs what changed, not how often it changed."""
    remember(truth, "tokio", "other")
    write(truth, *(stands(1, Op.ARCHIVED if place % 2 else Op.RESTORED) for place in range(2 * CATCH_UP_ROWS)))
    faults = Faults()
    follower = TermFollower(truth, FaultyReplica(MemoryReplica(), faults), standing_still)
    follower.commit()
    assert faults.writes == [([1, 2], CATCH_UP_ROWS), ([], 2 * CATCH_UP_ROWS), ([], 2 * CATCH_UP_ROWS + 2)]
    assert counted(follower) == 1


def test_views_stay_as_they_are_while_others_write_commit_and_rebuild(truth: Truth, replica: TermReplica) -> None:
    """O11: a recall in flight is not touched by what the follower does for others."""
    follower = TermFollower(truth, replica, standing_still)
    remember(truth, "tokio one", "tokio two")
    with follower.at_head() as first:
        write(truth, entombed(1))
        with follower.at_head() as second:
            follower.commit()
            remember(truth, "tokio three")
            follower.rebuild(lambda _done, _total: None)
            with follower.at_head() as third:
                for view, expected in ((first, [1, 2]), (second, [2]), (third, [2, 3])):
                    holds(view, TOKIO)
                    assert answers(view.terms, TOKIO)[0] == expected


def test_threads_that_write_commit_and_recall_at_once_each_see_their_own_head(truth: Truth, replica: TermReplica) -> None:
    """Decision 1: the pair of replica and overlay is one state for each reader, in any interleaving."""
    follower, done, scene = TermFollower(truth, replica, time.monotonic), threading.Event(), Scene(1)
    write(truth, *scene.beginning(20))

    def write_on() -> None:
        for _ in range(150):
            write(truth, scene.write())

    def commit_on() -> None:
        while not done.is_set():
            follower.commit()

    def recall_on(chance: random.Random) -> int:
        heads = []
        while not done.is_set():
            with follower.at_head() as view:
                holds(view, asking(chance.choice(["w1", "w2", "w1 w3"])))
                heads.append(view.head)
        assert heads == sorted(heads)
        return len(heads)

    with ThreadPoolExecutor(5) as pool:
        recalls = [pool.submit(recall_on, random.Random(seed)) for seed in range(3)]
        commits = pool.submit(commit_on)
        try:
            pool.submit(write_on).result(BOUND)
        finally:
            done.set()
        commits.result(BOUND)
        assert all(each.result(BOUND) for each in recalls)
    assert follower.status().head > 150
