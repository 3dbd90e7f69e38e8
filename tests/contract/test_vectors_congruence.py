"""Every vector index answers as the exact cosine and the pure predicates do, whatever was written and whatever is asked."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recordance.domain.capsule import LabelField
from recordance.domain.embedding import vector_of
from recordance.domain.instant import Instant
from recordance.domain.validity import TimeWindow
from recordance.ports.vectors import VectorReplica
from recordance.query.fence import LabelFence, MemberFence, SubtreeFence
from recordance.query.nearness import VectorQuery
from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica
from support.qdrant_servers import LOCAL_WARNINGS
from support.truths import NOON
from support.vector_indexes import (
    NUMBERS,
    VECTOR_REPLICAS,
    Embedded,
    answers_exactly,
    asking_near,
    cosines,
    drawn_embedded,
    drawn_query,
    drawn_vector,
    embedded,
    quick_folder,
    vector_replica,
)

pytestmark = LOCAL_WARNINGS
MANY = 10_000


@pytest.fixture(params=(*VECTOR_REPLICAS, "grpc"), scope="module")
def replica(request: pytest.FixtureRequest) -> Iterator[VectorReplica]:
    with quick_folder() as folder, vector_replica(request.param, folder) as replica:
        yield replica


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32), dimension=st.sampled_from([1, 2, 3, 16]))
def test_after_any_history_every_answer_is_exact(replica: VectorReplica, seed: int, dimension: int) -> None:
    """L4, F1, F2, F3, F4, F5: points come, change and go; each fence and the window, pushed down, agree with the predicate."""
    chance = random.Random(seed)
    replica.clear(dimension)
    held: dict[int, Embedded] = {}
    for _ in range(chance.randint(1, 4)):
        put = [drawn_embedded(chance, number, dimension) for number in chance.sample(NUMBERS, chance.randint(0, len(NUMBERS)))]
        dropped = set(chance.sample([*NUMBERS, 10**6], chance.choice([0, 1, 5]))) - {each.capsule.number for each in put}
        replica.put([each.point for each in put], dropped)
        held |= {each.capsule.number: each for each in put}
        held = {number: each for number, each in held.items() if number not in dropped}
    assert replica.count == len(held)
    for _ in range(30):
        query, count = drawn_query(chance, held, dimension), chance.choice([1, 3, 10, 1000])
        answers_exactly(replica.nearest(query, count), cosines(held, query), count, dimension)


@pytest.fixture(scope="module")
def many() -> Iterator[tuple[VectorReplica, VectorReplica]]:
    """The embedded index and the loop over all, both with the same ten thousand points."""
    chance, loop = random.Random(7), MemoryVectorReplica()
    points = [
        embedded(
            number,
            drawn_vector(chance, 8),
            f"team{chance.randrange(10)}/app{chance.randrange(100)}",
            f"session {chance.randrange(1000)}" if chance.random() < 0.9 else None,
            (NOON + number * 1000, NOON + number * 1000 + chance.randrange(1000)) if number % 2 else None,
        ).point
        for number in range(1, MANY + 1)
    ]
    with quick_folder() as folder, vector_replica("edge", folder) as index:
        for each in (loop, index):
            each.clear(8)
            each.put(points, ())
        yield index, loop


FENCED = {
    "one project of a thousand": lambda place: asking_near([1.0], SubtreeFence(frozenset({f"team{place % 10}/app{place}"}))),
    "one session of a thousand": lambda place: asking_near(
        [1.0], LabelFence(LabelField.SESSION, frozenset({f"session {place}"}))
    ),
    "ten numbers": lambda place: asking_near([1.0], MemberFence(frozenset(range(place * 10 + 1, place * 10 + 11)))),
    "ten numbers that came from elsewhere": lambda place: asking_near([1.0], among=frozenset(range(1, MANY, 1000))),
    "a moment": lambda place: asking_near(
        [1.0], window=TimeWindow(Instant(NOON + place * 10_000), Instant(NOON + place * 10_000 + 20_000))
    ),
    "the unstamped of a team": lambda place: asking_near(
        [1.0], SubtreeFence(frozenset({f"team{place % 10}"})), LabelFence(LabelField.SESSION, frozenset({None}))
    ),
}


@pytest.mark.parametrize("fenced", FENCED.values(), ids=FENCED.keys())
def test_behind_a_fence_that_keeps_one_in_a_thousand_the_best_are_those_of_brute_force(
    many: tuple[VectorReplica, VectorReplica], fenced: Callable[[int], VectorQuery]
) -> None:
    """L4: a fence acts before the best are chosen; an index that cut first and fenced then would return next to nothing."""
    index, loop = many
    chance = random.Random(5)
    for place in range(0, 100, 7):
        query = replace(fenced(place), vector=vector_of(drawn_vector(chance, 8)))
        inside = {near.number: near.score for near in loop.nearest(query, MANY)}
        assert 0 < len(inside) < MANY // 50
        answers_exactly(index.nearest(query, 5), inside, 5, 8)
        answers_exactly(index.nearest(query, MANY), inside, MANY, 8)
