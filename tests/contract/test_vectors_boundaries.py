"""Vector indexes where they are easily wrong: at the ends of time, at the cut, at odd lengths, and at what must not come in."""

import math
from collections.abc import Iterator

import pytest

from recordance.domain.capsule import LabelField
from recordance.domain.embedding import vector_of
from recordance.domain.instant import EARLIEST, LATEST, Instant
from recordance.domain.validity import TimeWindow
from recordance.errors import Fault, ReplicaDamaged
from recordance.ports.vectors import VectorReplica, tolerance
from recordance.query.fence import Fence, LabelFence, MemberFence, SubtreeFence
from support.qdrant_servers import LOCAL_WARNINGS
from support.truths import NOON
from support.vector_indexes import (
    VECTOR_REPLICAS,
    Embedded,
    answers_exactly,
    asking_near,
    cosines,
    embedded,
    numbers_near,
    quick_folder,
    vector_replica,
)

pytestmark = LOCAL_WARNINGS
EAST, NORTH, WEST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]
FAR = 2**53


@pytest.fixture(params=VECTOR_REPLICAS, scope="module")
def replica(request: pytest.FixtureRequest) -> Iterator[VectorReplica]:
    with quick_folder() as folder, vector_replica(request.param, folder) as replica:
        yield replica


def fill(replica: VectorReplica, *held: Embedded) -> None:
    """Empty an index and put these into it."""
    replica.clear(held[0].vector.dimension)
    replica.put([each.point for each in held], ())


@pytest.mark.parametrize("adapter", VECTOR_REPLICAS)
def test_an_index_that_was_never_begun_holds_and_finds_nothing(adapter: str) -> None:
    """case E1: nobody has said yet how long its vectors are, and a query of any length is answered."""
    with quick_folder() as folder, vector_replica(adapter, folder) as new:
        assert (new.dimension, new.count, new.applied, new.mark) == (0, 0, 0, "")
        assert numbers_near(new, asking_near(EAST)) == []
        new.put((), [1, 2])
        new.clear(2)
        assert (new.dimension, new.count) == (2, 0)
        assert numbers_near(new, asking_near(EAST)) == []


def test_a_vector_that_is_put_again_is_in_the_place_of_the_old_one(replica: VectorReplica) -> None:
    """case D7: nothing is near to what a capsule said before, and no capsule is found twice."""
    fill(replica, embedded(1, EAST, "a"), embedded(2, NORTH, "a"))
    for _ in range(2):
        replica.put([embedded(1, WEST, "b").point], ())
        assert numbers_near(replica, asking_near(EAST)) == [2, 1]
        assert numbers_near(replica, asking_near(WEST, SubtreeFence(frozenset({"a"})))) == [2]
        assert numbers_near(replica, asking_near(WEST, SubtreeFence(frozenset({"b"})))) == [1]
        assert replica.count == 2
    replica.put([embedded(2, EAST).point, embedded(2, WEST, "b").point], ())
    assert replica.nearest(asking_near(WEST), 9)[1].score == pytest.approx(1.0)
    assert replica.count == 2


def test_what_is_dropped_is_found_no_more_and_can_come_again(replica: VectorReplica) -> None:
    """W6, case D1: gone from every search, and from the counts; a number that was never there costs nothing."""
    fill(replica, embedded(1, EAST), embedded(2, NORTH), embedded(3, WEST))
    for _ in range(2):
        replica.put((), [1, 77])
        assert (numbers_near(replica, asking_near(EAST)), replica.count) == ([2, 3], 2)
    replica.put([embedded(1, EAST).point], [3])
    assert (numbers_near(replica, asking_near(EAST)), replica.count) == ([1, 2], 2)
    replica.clear(3)
    assert (replica.count, replica.dimension) == (0, 3)


def test_a_large_catch_up_is_written_whole(replica: VectorReplica) -> None:
    """Decision 1: an index takes its points in steps; none is lost between two of them."""
    chosen = [embedded(number, [1.0, number / 1000]) for number in range(1, 1203)]
    fill(replica, *chosen)
    assert replica.count == len(chosen)
    assert sorted(numbers_near(replica, asking_near(EAST), 5000)) == [each.capsule.number for each in chosen]
    replica.put((), range(1, 1201))
    assert numbers_near(replica, asking_near(EAST), 5000) == [1201, 1202]


def test_a_position_is_kept_as_it_was_told_and_emptied_with_the_rest(replica: VectorReplica) -> None:
    """Decision 1: it advances when it is told to, goes back with the data, and is no point that anybody finds."""
    fill(replica, embedded(1, EAST))
    assert (replica.applied, replica.mark) == (0, "")
    replica.settle(5, "mark")
    replica.put([embedded(2, EAST).point], ())
    assert (replica.applied, replica.mark, replica.count) == (5, "mark", 2)
    replica.settle(6)
    assert (replica.applied, replica.mark) == (6, "")
    assert sorted(numbers_near(replica, asking_near(EAST))) == [1, 2]
    replica.put((), [1, 2])
    assert (numbers_near(replica, asking_near(EAST)), replica.count) == ([], 0)
    replica.clear(2)
    assert (replica.applied, replica.mark) == (0, "")


PREFIXES = {
    frozenset({"nott"}): [1, 2, 4, 6],
    frozenset({"nott/x"}): [2, 4],
    frozenset({"nott", "nottx"}): [1, 2, 3, 4, 6],
    frozenset({"not"}): [],
    frozenset({""}): [],
    frozenset({"nott/"}): [6],
    frozenset[str](): [],
}


@pytest.mark.parametrize("prefixes", PREFIXES)
def test_a_subtree_is_the_prefix_and_what_lies_below_it(replica: VectorReplica, prefixes: frozenset[str]) -> None:
    """F1: `nott` is not `nottx`, an unstamped capsule lies nowhere, and a slash at the end is a project of its own."""
    stamps = ["nott", "nott/x", "nottx", "nott/x/y", None, "nott//z"]
    fill(replica, *(embedded(number, EAST, project=stamp) for number, stamp in enumerate(stamps, 1)))
    assert sorted(numbers_near(replica, asking_near(EAST, SubtreeFence(prefixes)))) == PREFIXES[prefixes]


LABELS: dict[str, tuple[Fence, list[int]]] = {
    "unstamped": (LabelFence(LabelField.PROJECT, frozenset({None})), [3, 4]),
    "either": (LabelFence(LabelField.PROJECT, frozenset({None, "nott"})), [1, 3, 4]),
    "exact": (LabelFence(LabelField.PROJECT, frozenset({"nott"})), [1]),
    "none": (LabelFence(LabelField.PROJECT, frozenset()), []),
    "session": (LabelFence(LabelField.SESSION, frozenset({"s"})), [1]),
    "other case": (LabelFence(LabelField.SESSION, frozenset({"S"})), [2]),
    "no session": (LabelFence(LabelField.SESSION, frozenset({None})), [3]),
    "like a field": (LabelFence(LabelField.SESSION, frozenset({"session_id"})), [4]),
    "a project's name": (LabelFence(LabelField.SESSION, frozenset({"nott"})), []),
    "numbers": (MemberFence(frozenset({2, 3, 99})), [2, 3]),
    "no numbers": (MemberFence(frozenset()), []),
}


@pytest.mark.parametrize(("fence", "inside"), LABELS.values(), ids=LABELS.keys())
def test_labels_are_compared_whole_and_none_is_a_label_of_its_own(
    replica: VectorReplica, fence: Fence, inside: list[int]
) -> None:
    """F2, F5: character by character; bearing no label is told from bearing any."""
    stamps = [("nott", "s"), ("nott/x", "S"), (None, None), (None, "session_id")]
    fill(replica, *(embedded(number, EAST, *stamp) for number, stamp in enumerate(stamps, 1)))
    assert sorted(numbers_near(replica, asking_near(EAST, fence))) == inside


def test_numbers_from_elsewhere_are_a_fence_beside_the_others(replica: VectorReplica) -> None:
    """F4: what only the truth can judge comes as numbers, many of them at times, and narrows what the other fences leave."""
    fill(replica, *(embedded(number, EAST, project="a" if number % 2 else "b") for number in range(1, 9)))
    fence = SubtreeFence(frozenset({"a"}))
    assert sorted(numbers_near(replica, asking_near(EAST, fence, among=frozenset({1, 2, 3, 99})))) == [1, 3]
    assert sorted(numbers_near(replica, asking_near(EAST, MemberFence(frozenset({3, 4})), among=frozenset({1, 2, 3})))) == [3]
    assert len(numbers_near(replica, asking_near(EAST, among=frozenset(range(5_000))))) == 8
    assert numbers_near(replica, asking_near(EAST, among=frozenset())) == []


@pytest.mark.parametrize("moment", [NOON, NOON + 999, NOON + 1, -1, 0, 1, FAR - 2, 2 - FAR])
def test_a_window_meets_an_event_to_the_microsecond(replica: VectorReplica, moment: int) -> None:
    """F3: both ends are inclusive; one microsecond before or after is outside, and an undated capsule always."""
    fill(replica, embedded(1, EAST, event=(moment, moment + 1)), embedded(2, EAST), embedded(3, EAST, event=(moment, moment)))
    windows = {
        (moment, moment): [1, 3],
        (moment + 1, moment + 1): [1],
        (None, moment): [1, 3],
        (None, moment - 1): [],
        (moment + 1, None): [1],
        (moment + 2, None): [],
        (moment - 5, moment - 1): [],
        (moment - 5, moment + 5): [1, 3],
    }
    for (start, end), inside in windows.items():
        window = TimeWindow(None if start is None else Instant(start), None if end is None else Instant(end))
        assert sorted(numbers_near(replica, asking_near(EAST, window=window))) == inside, window


@pytest.mark.parametrize("moment", [LATEST, LATEST - 1, FAR + 1, -FAR - 1, EARLIEST + 1, EARLIEST])
def test_a_window_far_away_in_time_lets_through_all_that_it_meets(replica: VectorReplica, moment: int) -> None:
    """F3: engines compare with double floats, which no longer tell microseconds there; they may propose more, never less."""
    fill(replica, *(embedded(number, EAST, event=(moment + step, moment + step)) for number, step in enumerate((-50, 0, 50), 1)))
    here = Instant(moment)
    for window in (TimeWindow(here, None), TimeWindow(None, here), TimeWindow(here, here)):
        found = set(numbers_near(replica, asking_near(EAST, window=window)))
        assert found == {2} | ({3} if window.end is None else set()) | ({1} if window.start is None else set())


@pytest.mark.parametrize("dimension", [1, 2, 384, 1536, 4096])
@pytest.mark.parametrize("scale", [1.0, 1e-38, 1e38])
def test_scores_are_within_their_tolerance_at_every_length_and_size(replica: VectorReplica, dimension: int, scale: float) -> None:
    """L17, case E1: an embedding of any model; components near the ends of what float32 holds neither vanish nor overflow."""
    waves = [[math.sin(number * place + 1) * scale for place in range(1, dimension + 1)] for number in range(1, 13)]
    held = {number: embedded(number, wave) for number, wave in enumerate(waves, 1)}
    fill(replica, *held.values())
    for wave in (waves[0], waves[5], [-value for value in waves[7]], [scale] * dimension):
        query = asking_near(wave)
        answers_exactly(replica.nearest(query, 4), cosines(held, query), 4, dimension)
        answers_exactly(replica.nearest(query, 99), cosines(held, query), 99, dimension)


def test_of_equal_vectors_any_may_stand_at_the_cut_and_none_beyond_is_better(replica: VectorReplica) -> None:
    """L4: whoever asks for five of twenty equal ones gets five; the judge widens until what is left is surely behind."""
    held = {number: embedded(number, EAST if number <= 20 else NORTH) for number in range(1, 31)}
    fill(replica, *held.values())
    query = asking_near([2.0, 1.0])
    for count in (1, 5, 20, 21, 25, 30, 99):
        answers_exactly(replica.nearest(query, count), cosines(held, query), count, 2)
    assert {near.number for near in replica.nearest(query, 20)} == set(range(1, 21))


def test_vectors_that_point_away_are_proposed_too(replica: VectorReplica) -> None:
    """L4: whether a cosine is high enough is the judge's to say; an index only orders."""
    fill(replica, embedded(1, WEST), embedded(2, NORTH), embedded(3, [-1.0, -1e-6]))
    near = replica.nearest(asking_near(EAST), 3)
    assert [each.number for each in near[:1]] == [2]
    assert [each.score for each in near] == pytest.approx([0.0, -1.0, -1.0], abs=tolerance(2))


@pytest.mark.parametrize("vector", [[math.nan, 1.0], [math.inf, 1.0], [0.0, 0.0], [1.0], [1.0, 0.0, 0.0]], ids=str)
def test_what_has_no_direction_or_another_length_never_gets_in(replica: VectorReplica, vector: list[float]) -> None:
    """case E3, case E1: an engine takes NaN without complaint and ranks it first for ever after."""
    fill(replica, embedded(1, EAST))
    with pytest.raises(Fault) as raised:
        replica.put([embedded(2, vector).point], ())
    assert not isinstance(raised.value, ReplicaDamaged)
    with pytest.raises(Fault):
        replica.nearest(asking_near(vector), 5)
    assert numbers_near(replica, asking_near(EAST)) == [1]
    assert vector_of(vector).dimension == len(vector)
