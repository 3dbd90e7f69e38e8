"""Whatever was written, and however the index came to be, a vector view answers as the truth does at its own snapshot."""

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from recordance.errors import ReplicaDamaged
from recordance.ports.truth import Truth
from recordance.usecases.vector_follow import VectorFollower
from recordance.usecases.vector_scan import scan_of_all
from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica
from recordance_adapters.driven.qdrant_vectors.opening import open_vectors
from support.slots import adopted_slot
from support.stores import standing_still
from support.truths import ADAPTERS, IDENTITY, opened, write
from support.vector_views import SPACE, Crashing, MetReplica, VectorScene, following, is_scan, recall_holds, view_holds

STEPS = 30


@pytest.fixture(params=ADAPTERS)
def truth(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Truth]:
    with opened(request.param, tmp_path) as truth:
        yield truth


def live_on(truth: Truth, scene: VectorScene, chance: random.Random, begin: Callable[[], VectorFollower]) -> int:
    """Write, commit, restart and recall by chance; return how many of the recalls an index answered."""
    follower, searched = begin(), 0
    for _ in range(STEPS):
        write(truth, *(scene.write() for _ in range(chance.randint(0, 4))))
        match chance.randint(0, 5):
            case 0 | 1:
                commit(follower)
            case 2:
                follower = begin()
        searched += not is_scan(recall_holds(follower, truth, *(scene.query() for _ in range(4))))
    return searched


def commit(follower: VectorFollower) -> None:
    """Commit as a background does, which tries again later when it failed."""
    try:
        follower.commit()
    except ReplicaDamaged:
        assert follower.status().applied < follower.status().head


@pytest.mark.parametrize("seed", range(4))
def test_every_view_answers_as_the_truth_whatever_was_written_and_committed(truth: Truth, seed: int) -> None:
    """O11, W4, case D7: captures, embeddings, replacements, revisions, forgets and a new dimension, in any order."""
    replica = MemoryVectorReplica()
    assert live_on(truth, VectorScene(seed), random.Random(seed), lambda: following(truth, replica)) > STEPS // 6


@pytest.mark.parametrize("seed", range(4))
def test_every_view_answers_as_the_truth_after_sudden_ends(truth: Truth, seed: int) -> None:
    """Decision 1, case C6: of what was not settled any part may be lost; the next process goes on from what was."""
    replica, chance = Crashing(), random.Random(seed)

    def begin() -> VectorFollower:
        nonlocal replica
        replica = replica.crashed(chance)
        return following(truth, replica)

    assert live_on(truth, VectorScene(seed), chance, begin) > STEPS // 6


@pytest.mark.parametrize("seed", range(4))
def test_every_view_of_the_embedded_engine_answers_as_the_truth(truth: Truth, tmp_path: Path, seed: int) -> None:
    """L17: but for the rounding that the view admits; an index that is opened again goes on from where it was."""
    with adopted_slot(tmp_path / "replicas") as slot, ExitStack() as opened:

        def begin() -> VectorFollower:
            opened.close()
            others, store = slot.others(), IDENTITY.store
            follower = VectorFollower(truth, SPACE, lambda: open_vectors(slot.path, store, others), standing_still)
            return opened.enter_context(closing(follower))

        assert live_on(truth, VectorScene(seed), random.Random(seed), begin) > STEPS // 6


@pytest.mark.parametrize("seed", range(4))
def test_every_view_answers_as_the_truth_whatever_call_finds_damage(truth: Truth, seed: int) -> None:
    """Decision 1: a recall never hears of a flipped byte, whenever it comes; a later commit puts it right."""
    weather, scene = Weather(random.Random(seed)), VectorScene(seed)
    replica = MetReplica(MemoryVectorReplica(), weather.met)
    live_on(truth, scene, random.Random(seed), lambda: following(truth, replica))
    assert weather.damages > 3, f"seed {seed}"
    weather.often = 0.0
    follower = following(truth, replica)
    follower.commit()
    assert not is_scan(recall_holds(follower, truth, *(scene.query() for _ in range(4)))), f"seed {seed}"


class Weather:
    """Damages some calls of a replica by chance."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.often = 0.1
        self.damages = 0

    def met(self, name: str) -> None:
        if name != "close" and self._chance.random() < self.often:
            self.damages += 1
            raise ReplicaDamaged(f"a byte is flipped under {name}")


@pytest.mark.parametrize("seed", range(4))
def test_a_scan_of_the_truth_is_the_definition_itself(truth: Truth, seed: int) -> None:
    """L3, L4, F3, F4: fences, windows and numbers, any count, the same question more than once."""
    scene = VectorScene(seed)
    for _ in range(10):
        write(truth, *(scene.write() for _ in range(12)))
        with truth.reading() as reader:
            scan = scan_of_all(reader, SPACE)
            queries = [scene.query() for _ in range(8)]
            for query in queries * 2:
                view_holds(scan, reader, query, 1, 2, 5, 1_000)
                assert all(near.score > -scan.tolerance for near in scan.nearest(query, 1_000))
