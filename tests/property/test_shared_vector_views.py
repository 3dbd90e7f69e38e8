"""Whatever the writers of a shared index do while others search it, every recall answers as the truth at its own snapshot."""

import copy
import random
from collections import Counter
from pathlib import Path

import pytest

from recordance.errors import Fault, ReplicaDamaged
from recordance.ports.truth import Truth
from recordance.usecases.shared_vector_follow import SharedVectorFollower
from recordance_adapters.driven.in_memory.shared_vectors import MemorySharedIndex
from support.shared_indexes import Duties, MetIndex, scanned, sharing
from support.truths import opened, write
from support.vector_views import VectorScene, recall_holds

PROCESSES = 3
STEPS = 40
DEPTH = 3
"""How many things may happen within each other."""


class Company:
    """Processes over one truth and one index. Between any two calls of one of them the others may do anything."""

    def __init__(self, truth: Truth, seed: int) -> None:
        self.truth = truth
        self.chance = random.Random(seed)
        self.scene = VectorScene(seed)
        self.index = MemorySharedIndex()
        self.duties = Duties()
        self.often = 0.2
        self.troubled = 0.0
        self.done = Counter[str]()
        self._seconds = 0.0
        self._depth = 0
        self._at_it: list[int] = []
        self._processes = [self._process() for _ in range(PROCESSES)]

    def live(self) -> None:
        """Do one thing after the other, each with others in between."""
        for _ in range(STEPS):
            self._happen()

    def _process(self) -> SharedVectorFollower:
        return sharing(self.truth, MetIndex(self.index, self._met), self.duties, self._monotonic)

    def _monotonic(self) -> float:
        self._seconds += 0.25
        return self._seconds

    def _met(self, name: str) -> None:
        if self.chance.random() < self.troubled:
            self.done["trouble"] += 1
            raise Fault(f"no answer to {name}")
        if self._depth < DEPTH and self.chance.random() < self.often:
            self._happen()

    def _happen(self) -> None:
        self._depth += 1
        try:
            self._one_thing()
        finally:
            self._depth -= 1

    def _one_thing(self) -> None:
        free = [place for place in range(PROCESSES) if place not in self._at_it]
        match self.chance.choices(("write", "commit", "recall", "end", "vanish", "put back"), (6, 8, 6, 0.4, 0.3, 0.6))[0]:
            case "write":
                write(self.truth, *(self.scene.write() for _ in range(self.chance.randint(1, 4))))
            case "commit" if free:
                self._commit(self.chance.choice(free))
            case "recall":
                self._recall(self._processes[self.chance.randrange(PROCESSES)])
            case "end" if free:
                self._processes[self.chance.choice(free)] = self._process()
            case "vanish":
                self.index.vanish()
            case "put back" if self._earlier is not None:
                self.index._replica, self.index._position = copy.deepcopy(self._earlier)
            case _:
                self._earlier = copy.deepcopy((self.index._replica, self.index._position))

    _earlier: tuple[object, object] | None = None

    def _commit(self, place: int) -> None:
        self._at_it.append(place)
        try:
            self._processes[place].commit()
            self.done["commit"] += 1
        except (Fault, ReplicaDamaged):
            self.done["failed commit"] += 1
        finally:
            self._at_it.remove(place)

    def _recall(self, follower: SharedVectorFollower) -> None:
        view = recall_holds(follower, self.truth, *(self.scene.query() for _ in range(2)))
        self.done["scan" if scanned(view) else "search"] += 1


@pytest.mark.parametrize(
    ("adapter", "seed"), [("in_memory", seed) for seed in range(30)] + [("sqlite", seed) for seed in range(4)]
)
def test_every_recall_beside_writers_answers_as_its_own_snapshot(adapter: str, seed: int, tmp_path: Path) -> None:
    """Decision 2, O11: writes, commits, ends, deletions and restored servers, between any two calls of a recall or a commit."""
    with opened(adapter, tmp_path) as truth:
        company = Company(truth, seed)
        company.live()
        assert company.done["search"] > 0, (seed, company.done)
        assert company.done["commit"] > 3, (seed, company.done)


@pytest.mark.parametrize(
    ("adapter", "seed"), [("in_memory", seed) for seed in range(10)] + [("sqlite", seed) for seed in range(2)]
)
def test_every_recall_from_a_server_that_fails_now_and_then_is_exact(adapter: str, seed: int, tmp_path: Path) -> None:
    """Decision 2: what the index does not answer is compared from the truth; once it answers, it is asked again."""
    with opened(adapter, tmp_path) as truth:
        company = Company(truth, seed)
        company.troubled = 0.05
        company.live()
        assert company.done["trouble"] > 0, (seed, company.done)
        company.troubled = company.often = 0.0
        for follower in company._processes:
            follower.commit()
            company._recall(follower)
        assert all(follower.status().applied == follower.status().head for follower in company._processes), seed
