"""Stores of vectors that live on, questions about them, and what a vector view must answer.

`VectorScene` draws, from one seed, the next write and the next question; components are few, so that cosines tie and are zero.
"""

import itertools
import random
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from recordance.domain.capsule import Capsule, LabelField
from recordance.domain.change import Capture, ChangeSet, PutEmbedding, PutSpace, Revise
from recordance.domain.embedding import DEFAULT_SPACE, Embedding, Measure, Space, Vector, vector_of
from recordance.domain.instant import Instant
from recordance.domain.journal import Op
from recordance.domain.validity import EventRange, TimeWindow
from recordance.ports.truth import Truth, TruthReader
from recordance.ports.vectors import Near, VectorReplica
from recordance.query.fence import Fence, LabelFence, MemberFence, Scope, SubtreeFence, admits
from recordance.query.nearness import VectorPoint, VectorQuery
from recordance.usecases.vector_follow import VectorFollower
from recordance.usecases.vector_scan import VectorScan
from recordance.usecases.vector_view import FollowedVectors, VectorView
from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica
from support.stores import standing_still
from support.truths import ACTOR, NOON, captured, days, entombed, make_capture, stands, told, write

SPACE = DEFAULT_SPACE
PROJECTS = ("nott", "nott/x", "nottx", "other")
SESSIONS = ("s1", " s1", "AND")
COMPONENTS = (-1.0, -0.5, 0.0, 0.0, 0.25, 0.5, 1.0)


def vector(*components: float) -> Vector:
    """A vector."""
    return vector_of(components)


def asks(*components: float, **given: object) -> VectorQuery:
    """A query with any other field of it; unfenced if nothing else is said."""
    return replace(VectorQuery(vector=vector(*components), scope=Scope()), **given)


def embed(truth: Truth, number: int, *components: float, space: str = SPACE) -> int:
    """Give a capsule a vector, in one transaction, and return the head after it."""
    with truth.reading() as reader:
        capsule = reader.capsules([number])[number]
    return write(truth, embedding_of(capsule, vector(*components), space))


def embedding_of(capsule: Capsule, given: Vector, space: str = SPACE) -> ChangeSet:
    """The change set that gives a capsule a vector in a space of the vector's dimension."""
    return told(
        Op.EMBEDDED,
        capsule.number,
        PutSpace(Space(space, given.dimension), NOON),
        PutEmbedding(Embedding(capsule.number, space, capsule.content_digest, given, NOON)),
    )


def remember_embedded(truth: Truth, count: int, dimension: int = 4, seed: int = 1) -> list[int]:
    """Capture so many capsules, each with a vector, in one transaction; return their numbers."""
    chance = random.Random(seed)
    with truth.writing() as writer:
        first = writer.last_number() + 1
        captures = [make_capture(number, f"statement {number}") for number in range(first, first + count)]
        vectors = [vector(*(chance.gauss(0.0, 1.0) for _ in range(dimension))) for _ in captures]
        each_alone = [embedding_of(each.capsule, given) for each, given in zip(captures, vectors, strict=True)]
        changes = itertools.chain.from_iterable(each.changes for each in each_alone)
        entries = itertools.chain.from_iterable(each.entries for each in each_alone)
        writer.apply(captured(*captures).then(ChangeSet(tuple(changes), tuple(entries))), ACTOR, NOON)
    return [each.capsule.number for each in captures]


class VectorScene:
    """A store that lives on: what is written next and what is asked next, drawn from one seed."""

    def __init__(self, seed: int, dimension: int = 3) -> None:
        self._chance = random.Random(seed)
        self._dimension = dimension
        self._alive: dict[int, Capture] = {}
        self._embedded: set[int] = set()
        self._last = 0

    def write(self) -> ChangeSet:
        """Return a write that fits what was written before."""
        if len(self._alive) < 3:
            return self._a_capture()
        makers = (
            self._a_capture, self._a_capture, self._an_embedding, self._an_embedding, self._an_embedding, self._a_revision,
            self._a_correction, self._a_standing, self._a_forgetting, self._an_end,
        )  # fmt: skip
        return self._chance.choice(makers)()

    def query(self) -> VectorQuery:
        """Return a question about what was written."""
        chance = self._chance
        fences = tuple(fence for fence in self._fences() if chance.random() < 0.2)
        numbers = range(1, self._last + 2)
        return VectorQuery(
            vector=self._vector(),
            scope=Scope(fences),
            window=self._window() if chance.random() < 0.3 else None,
            among=frozenset(number for number in numbers if chance.random() < 0.5) if chance.random() < 0.2 else None,
        )

    def _a_capture(self) -> ChangeSet:
        self._last += 1
        capture = self._labelled(make_capture(self._last, f"statement {self._last}"))
        self._alive[self._last] = capture
        change = captured(capture)
        return change.then(self._embedding(self._last)) if self._chance.random() < 0.5 else change

    def _labelled(self, capture: Capture) -> Capture:
        chance = self._chance
        labels = {LabelField.PROJECT: chance.choice((None, *PROJECTS)), LabelField.SESSION: chance.choice((None, *SESSIONS))}
        ends = sorted([self._moment(), self._moment()])
        capsule = replace(
            capture.capsule,
            labels={**capture.capsule.labels, **{field: label for field, label in labels.items() if label is not None}},
            event=EventRange(ends[0], ends[1]) if chance.random() < 0.6 else None,
        )
        return replace(capture, capsule=capsule)

    def _moment(self) -> Instant:
        return Instant(NOON + days(self._chance.randint(-3, 3)))

    def _vector(self) -> Vector:
        while True:
            components = [self._chance.choice(COMPONENTS) for _ in range(self._dimension)]
            if any(components):
                return vector(*components)

    def _an_embedding(self) -> ChangeSet:
        return self._embedding(self._one())

    def _embedding(self, number: int) -> ChangeSet:
        self._embedded.add(number)
        return embedding_of(self._alive[number].capsule, self._vector())

    def _a_revision(self) -> ChangeSet:
        """Other content: the vector goes, and another comes at once or not."""
        number = self._one()
        change = self._reworded(number)
        return change.then(self._embedding(number)) if self._chance.random() < 0.4 else change

    def _a_correction(self) -> ChangeSet:
        """Other labels and dates of the same content: the vector stays, and is fenced by them."""
        number = self._one()
        return self._revised(number, self._alive[number].text.content)

    def _reworded(self, number: int) -> ChangeSet:
        self._embedded.discard(number)
        return self._revised(number, f"statement {number} said anew, {self._chance.random()}")

    def _revised(self, number: int, content: str) -> ChangeSet:
        revision = self._alive[number].capsule.revision + 1
        capture = self._labelled(make_capture(number, content, revision=revision))
        self._alive[number] = capture
        return told(Op.REVISED, number, Revise(capture.capsule, capture.text))

    def _a_standing(self) -> ChangeSet:
        return stands(self._one(), archived_at=NOON)

    def _a_forgetting(self) -> ChangeSet:
        number = self._one()
        del self._alive[number]
        self._embedded.discard(number)
        return entombed(number, f"mac-{number}")

    def _an_end(self) -> ChangeSet:
        """Seldom, every vector goes, and those that come have another dimension (W4)."""
        if self._chance.random() < 0.8:
            return self._a_forgetting()
        change = ChangeSet()
        for number in sorted(self._embedded):
            change = change.then(self._reworded(number))
        self._dimension = self._chance.choice((2, 3, 5))
        return change.then(self._embedding(self._one()))

    def _one(self) -> int:
        return self._chance.choice(sorted(self._alive))

    def _fences(self) -> Iterator[Fence]:
        chance = self._chance
        yield LabelFence(LabelField.PROJECT, frozenset({chance.choice(PROJECTS), None}))
        yield LabelFence(LabelField.SESSION, frozenset({chance.choice(SESSIONS)}))
        yield SubtreeFence(frozenset({chance.choice(PROJECTS)}))
        yield MemberFence(frozenset(range(chance.randint(1, 5), self._last)))

    def _window(self) -> TimeWindow:
        ends = sorted([self._moment(), self._moment()])
        return self._chance.choice((TimeWindow(ends[0], ends[1]), TimeWindow(ends[0], None), TimeWindow(None, ends[1])))


# ── what a view must answer ───────────────────────────────────────────────────────────────────────────────────────────────────


def expected_near(reader: TruthReader, query: VectorQuery, space: str = SPACE) -> list[Near]:
    """Everything with a cosine above zero that the query admits, the nearest first; by the predicates, one by one."""
    every = range(1, reader.last_number() + 1)
    vectors, capsules, measure = reader.vectors(space, every), reader.capsules(every), Measure(query.vector)
    near = [Near(number, measure.cosine(given)) for number, given in vectors.items() if _is_admitted(query, capsules[number])]
    return sorted((each for each in near if each.score > 0.0), key=lambda each: (-each.score, each.number))


def _is_admitted(query: VectorQuery, capsule: Capsule) -> bool:
    in_window = query.window is None or (capsule.event is not None and query.window.meets(capsule.event))
    among = query.among is None or capsule.number in query.among
    return in_window and among and admits(query.scope, capsule, {})


def view_holds(view: VectorView, reader: TruthReader, query: VectorQuery, *counts: int) -> None:
    """Assert that a view answers as the truth does at the reader's head, but for the rounding that it allows itself."""
    occupied = reader.space(SPACE)
    if occupied is None or (occupied.vectors and occupied.space.dimension != query.vector.dimension):
        return
    expected = expected_near(reader, query)
    exact = {near.number: near.score for near in expected}
    for count in counts:
        found = view.nearest(query, count)
        scores = [near.score for near in found]
        assert len(found) <= count, query
        assert len({near.number for near in found}) == len(found), query
        assert scores == sorted(scores, reverse=True), query
        for near in found:
            assert abs(exact.get(near.number, min(near.score, 0.0)) - near.score) <= view.tolerance, (query, near)
        bound = scores[-1] + view.tolerance if len(found) == count else view.tolerance
        assert {near.number for near in found} >= {near.number for near in expected if near.score > bound}, query


def recall_holds(follower: FollowedVectors, truth: Truth, *queries: VectorQuery) -> VectorView:
    """Assert that a recall that comes now finds what the truth has at its snapshot; return the view that it had."""
    with follower.steady() as steady, truth.reading() as reader:
        view = steady.at(reader)
        for query in queries:
            view_holds(view, reader, query, 1, 3, 1_000)
    return view


def is_scan(view: VectorView) -> bool:
    """Whether a view looks at the truth itself."""
    return isinstance(view, VectorScan)


def following(truth: Truth, replica: VectorReplica, patience: float = 60.0) -> VectorFollower:
    """A follower whose index is open as soon as it is wanted."""
    return VectorFollower(truth, SPACE, lambda: replica, standing_still, patience)


class Swapped:
    """A truth that can be put back."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth

    def __getattr__(self, name: str) -> object:
        return getattr(self.truth, name)


# ── replicas that a test meets ────────────────────────────────────────────────────────────────────────────────────────────────


class MetReplica:
    """A replica in front of another one (see VectorReplica). `met` is called with a method's name before it does anything.

    What `met` raises is what the caller sees.
    """

    def __init__(self, replica: VectorReplica, met: Callable[[str], None] = lambda _: None) -> None:
        self._replica = replica
        self._met = met
        self.settled: list[int] = []
        self.put_numbers: list[list[int]] = []
        self.dropped_numbers: list[list[int]] = []
        self.cleared: list[int] = []

    @property
    def applied(self) -> int:
        return self._replica.applied

    @property
    def mark(self) -> str:
        return self._replica.mark

    @property
    def dimension(self) -> int:
        return self._replica.dimension

    @property
    def count(self) -> int:
        self._met("count")
        return self._replica.count

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        self._met("nearest")
        return self._replica.nearest(query, count)

    def put(self, points: Iterable[VectorPoint], dropped: Collection[int]) -> None:
        self._met("put")
        listed = list(points)
        self._replica.put(listed, dropped)
        self.put_numbers.append([point.number for point in listed])
        self.dropped_numbers.append(list(dropped))

    def settle(self, seq: int, mark: str = "") -> None:
        self._met("settle")
        self._replica.settle(seq, mark)
        self.settled.append(seq)

    def clear(self, dimension: int) -> None:
        self._met("clear")
        self._replica.clear(dimension)
        self.cleared.append(dimension)

    def close(self) -> None:
        self._met("close")
        self._replica.close()


class Crashing(MemoryVectorReplica):
    """A replica that can end as suddenly as a process: of what was not settled, any part may be lost."""

    def __init__(self) -> None:
        super().__init__()
        self._now: dict[int, VectorPoint] = {}
        self._durable: dict[int, VectorPoint] = {}

    def put(self, points: Iterable[VectorPoint], dropped: Collection[int]) -> None:
        listed = list(points)
        super().put(listed, dropped)
        self._now |= {point.number: point for point in listed}
        for number in dropped:
            self._now.pop(number, None)

    def settle(self, seq: int, mark: str = "") -> None:
        super().settle(seq, mark)
        self._durable = dict(self._now)

    def clear(self, dimension: int) -> None:
        super().clear(dimension)
        self._now, self._durable = {}, {}

    def crashed(self, chance: random.Random) -> "Crashing":
        """Return what the next process finds: each point as it was settled, or as it was put since."""
        found = Crashing()
        found.clear(self.dimension)
        states = {
            number: chance.choice((self._now, self._durable)).get(number) for number in self._now.keys() | self._durable.keys()
        }
        found.put((point for point in states.values() if point is not None), ())
        found.settle(self.applied, self.mark)
        return found
