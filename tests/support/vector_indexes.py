"""Vector indexes of every kind, what is put into them, and what they must answer by the predicates and the exact cosine."""

import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from recordance.domain.capsule import Capsule, LabelField
from recordance.domain.embedding import Measure, Vector, vector_of
from recordance.domain.instant import EARLIEST, LATEST, Instant
from recordance.domain.validity import EventRange, TimeWindow
from recordance.ports.vectors import Near, VectorReplica, tolerance
from recordance.query.fence import Fence, LabelFence, MemberFence, Scope, SubtreeFence, admits
from recordance.query.nearness import VectorPoint, VectorQuery, vector_point
from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica
from support.slots import STORE, adopted_slot
from support.truths import NOON, days, make_capture

VECTOR_REPLICAS = ("in_memory", "edge", "client", "double", "server")
"""Every adapter of the port, by name; a contract test runs against each."""
NUMBERS = (*range(1, 25), 2**40, 10**17)
PROJECTS = ("nott", "nott/x", "nottx", "nott/x/y", "Nott", "nott/", "проект/日", "p" * 3000)
SESSIONS = ("s", "S", "under:nott", "project_id", "日" * 200)


@contextmanager
def vector_replica(adapter: str, folder: Path) -> Iterator[VectorReplica]:
    """An empty replica of an adapter, closed at the end; one that keeps files is that of the lowest free slot below `folder`."""
    match adapter:
        case "in_memory":
            yield MemoryVectorReplica()
        case "edge":
            from recordance_adapters.driven.qdrant_vectors.opening import open_vectors

            with adopted_slot(folder) as slot, closing(open_vectors(slot.path, STORE, slot.others())) as replica:
                yield replica
        case "client" | "double" | "grpc" | "server":
            from support.qdrant_servers import SharedAsReplica, collection

            with collection(adapter) as index:
                yield SharedAsReplica(index)
        case _:
            raise AssertionError(adapter)


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A folder that is gone at the end, in memory where the system has a place for that: an index that is emptied over and over
    waits for a disk each time.
    """
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Path(name)


@dataclass(frozen=True)
class Embedded:
    """A capsule with its vector."""

    capsule: Capsule
    vector: Vector

    @property
    def point(self) -> VectorPoint:
        return vector_point(self.capsule, self.vector)


def embedded(
    number: int,
    vector: Sequence[float],
    project: str | None = None,
    session: str | None = None,
    event: tuple[int, int] | None = None,
) -> Embedded:
    """A capsule with this vector, these labels and this event range."""
    labels = {LabelField.PROJECT: project, LabelField.SESSION: session}
    capture = make_capture(
        number,
        labels={field: label for field, label in labels.items() if label is not None},
        event=None if event is None else EventRange(Instant(event[0]), Instant(event[1])),
    )
    return Embedded(capture.capsule, vector_of(vector))


def asking_near(
    vector: Sequence[float],
    *fences: Fence,
    window: TimeWindow | None = None,
    among: frozenset[int] | None = None,
) -> VectorQuery:
    """A query inside these fences."""
    return VectorQuery(vector=vector_of(vector), scope=Scope(fences), window=window, among=among)


def numbers_near(replica: VectorReplica, query: VectorQuery, count: int = 1000) -> list[int]:
    """The numbers that a replica proposes, in their order."""
    return [near.number for near in replica.nearest(query, count)]


# ── what must be answered ─────────────────────────────────────────────────────────────────────────────────────────────────────


def cosines(held: Mapping[int, Embedded], query: VectorQuery) -> dict[int, float]:
    """The exact cosine of everything that the predicates admit."""
    measure = Measure(query.vector)
    return {
        number: measure.cosine(each.vector)
        for number, each in held.items()
        if admits(query.scope, each.capsule, {}) and _meets(query.window, each.capsule.event) and _is_among(query.among, number)
    }


def _meets(window: TimeWindow | None, event: EventRange | None) -> bool:
    return window is None or (event is not None and window.meets(event))


def _is_among(among: frozenset[int] | None, number: int) -> bool:
    return among is None or number in among


def answers_exactly(near: Sequence[Near], expected: Mapping[int, float], count: int, dimension: int) -> None:
    """Assert that an index proposed `count` of what was expected, all of it if that is less, and nothing better was left out."""
    error = tolerance(dimension)
    numbers = [each.number for each in near]
    assert len(numbers) == len(set(numbers)) == min(count, len(expected))
    assert expected.keys() >= set(numbers)
    scores = [each.score for each in near]
    assert scores == sorted(scores, reverse=True)
    assert all(abs(each.score - expected[each.number]) <= error for each in near)
    left_out = [cosine for number, cosine in expected.items() if number not in set(numbers)]
    assert not left_out or max(left_out) <= scores[-1] + error


# ── what is drawn ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def drawn_vector(chance: random.Random, dimension: int) -> list[float]:
    """A vector that is never all zero, now and then very short, very long, lopsided, or one of few."""
    scale = chance.choice([1.0, 1.0, 1.0, 1e-38, 1e38])
    if chance.random() < 0.3:
        values = [float(chance.choice([-1, 0, 1])) for _ in range(dimension)]
        values[chance.randrange(dimension)] = 1.0
    else:
        values = [chance.gauss(0, 1) * 10 ** chance.uniform(-3, 0) or 1.0 for _ in range(dimension)]
    return [value * scale for value in values]


def drawn_embedded(chance: random.Random, number: int, dimension: int) -> Embedded:
    """A capsule with a vector, labels that meet, and an event range or none."""
    start = chance.choice(_INSTANTS)
    event = chance.choice([None, (start, start), (start, min(start + chance.choice([1, 999, days(1)]), LATEST))])
    project, session = chance.choice([None, *PROJECTS]), chance.choice([None, *SESSIONS])
    return embedded(number, drawn_vector(chance, dimension), project, session, event)


def drawn_query(chance: random.Random, held: Mapping[int, Embedded], dimension: int) -> VectorQuery:
    """A query whose fences and window are about what is held; its direction is now and then that of a vector that is."""
    vector = drawn_vector(chance, dimension)
    if held and chance.random() < 0.3:
        vector = list(chance.choice(sorted(held.items()))[1].vector.values)
    fences = [chance.choice([_subtree, _label, _member])(chance) for _ in range(chance.choice([0, 0, 1, 1, 2]))]
    among = chance.choice([None, None, frozenset(chance.sample(NUMBERS, chance.randint(0, len(NUMBERS))))])
    return asking_near(vector, *fences, window=_window(chance), among=among)


def _subtree(chance: random.Random) -> Fence:
    known = ["no", "", *PROJECTS]
    return SubtreeFence(frozenset(chance.sample(known, chance.choice([0, 1, 1, 2, 3]))))


def _label(chance: random.Random) -> Fence:
    field, known = chance.choice([(LabelField.PROJECT, PROJECTS), (LabelField.SESSION, SESSIONS)])
    return LabelFence(field, frozenset(chance.sample([None, "unknown", *known], chance.choice([0, 1, 1, 2, 3]))))


def _member(chance: random.Random) -> Fence:
    return MemberFence(frozenset(chance.sample([10**6, *NUMBERS], chance.randint(0, 12))))


def _window(chance: random.Random) -> TimeWindow | None:
    start, end = (chance.choice([None, Instant(chance.choice(_INSTANTS) + chance.choice([-1, 0, 1]))]) for _ in range(2))
    return None if start is None and end is None else TimeWindow(start, end)


_INSTANTS = [Instant(NOON + step) for step in (-days(1), -1000, -999, -1, 0, 1, 999, 1000, days(1))]
assert all(EARLIEST < instant < LATEST for instant in _INSTANTS)
