"""The vector lane: the index proposes the nearest, the truth's own vectors decide (decision 7, L3, L4, L17).

Candidates are read in growing batches until nothing that was not read can come among those that are wanted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from recordance.domain.attaching import other_dimension
from recordance.domain.capsule import Capsule
from recordance.domain.embedding import DEFAULT_SPACE, Measure, Vector
from recordance.domain.validity import TimeWindow
from recordance.ports.truth import TruthReader
from recordance.ports.vectors import Near
from recordance.query.exclusion import Eligibility, ExclusionReason, first_exclusion
from recordance.query.fence import LabelBarrier, Scope, admits, marks_of, reads_marks
from recordance.query.nearness import VectorQuery, pushed, unpushed
from recordance.usecases.vector_view import VectorView

WIDENING = 4
"""By what the number of candidates grows where one reading does not settle the order."""
MOST_NAMED = 5_000
"""How many capsules an index is told by number; where more are admitted, what it proposes is judged afterwards."""


_OF_THE_WINDOW = {ExclusionReason.OUTSIDE_TIME_WINDOW, ExclusionReason.UNDATED}


@dataclass(frozen=True, slots=True)
class NearHit:
    """The vector lane's claim for one capsule: the exact cosine of its vector, above 0; `reason` excludes it, None does not."""

    capsule: Capsule
    cosine: float
    reason: ExclusionReason | None


@dataclass(frozen=True, slots=True)
class Nearest:
    """What the lane found (L4): the best that may ground, in order, and those of the best in the scope that may not."""

    ranked: tuple[NearHit, ...] = ()
    excluded: tuple[NearHit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NearQuestion:
    """What the lane is asked: the `count` (≥ 1) nearest to `vector` in `space` inside `scope`, judged by `eligibility`."""

    vector: Vector
    count: int
    scope: Scope
    eligibility: Eligibility
    space: str = DEFAULT_SPACE


def check_dimension(reader: TruthReader, vector: Vector, name: str = DEFAULT_SPACE) -> None:
    """Raise OtherDimension naming both dimensions when the embeddings in the space `name` have another one (L2)."""
    space = reader.space(name)
    if space is not None and space.vectors and space.space.dimension != vector.dimension:
        raise other_dimension(space.space, vector, "query_embedding")


def nearest(view: VectorView, reader: TruthReader, question: NearQuestion) -> Nearest:
    """Return what the lane finds; `view` is the index as of the reader's head.

    A view whose scores turn out to be wrong is disproved, and asked again: it scans the truth then (case D5).
    """
    search = _Search(view, reader, question)
    found = _found(search, question)
    if search.misled:
        view.disprove()
        found = _found(_Search(view, reader, question), question)
    return found


def _found(search: "_Search", question: NearQuestion) -> Nearest:
    if search.hopeless:
        return Nearest()
    inside = search.best(None, _any)
    fitting = search.best(_pushed_window(question.eligibility), _may_ground)
    return Nearest(fitting, tuple(hit for hit in inside if hit.reason is not None))


class _Search:
    """One question to one view; every candidate is read and judged once.

    `misled` says that a score was further off the exact cosine than the view allows itself, so that its order proves nothing.
    """

    def __init__(self, view: VectorView, reader: TruthReader, question: NearQuestion) -> None:
        self.misled = False
        self._view = view
        self._reader = reader
        self._question = question
        self._measure = Measure(question.vector)
        self._judged: dict[int, NearHit | None] = {}
        self._proposed: dict[VectorQuery, tuple[int, Sequence[Near]]] = {}
        self._query = _query(reader, question)

    @property
    def hopeless(self) -> bool:
        """Whether no capsule with a vector lies inside the scope."""
        return self._query.among is not None and not self._query.among

    def best(self, window: TimeWindow | None, fits: Callable[[NearHit], bool]) -> tuple[NearHit, ...]:
        """Return the best `count` hits inside the scope that fit, ties in append order; all that fit must meet the `window`."""
        query = replace(self._query, window=window)
        wanted, count = self._question.count, 2 * self._question.count
        while True:
            count, near = self._near(query, count)
            self._judge_new(near)
            hits = [hit for each in near if (hit := self._judged[each.number]) is not None and fits(hit)]
            hits.sort(key=lambda hit: (-hit.cosine, hit.capsule.number))
            if len(near) < count or _settled(hits, wanted, near[-1].score + self._view.tolerance):
                return tuple(hits[:wanted])
            count *= WIDENING

    def _near(self, query: VectorQuery, count: int) -> tuple[int, Sequence[Near]]:
        """Return at least `count` proposals, those of an earlier question if they suffice, with how many were asked for."""
        held = self._proposed.get(query)
        if held is None or held[0] < count:
            held = self._proposed[query] = (count, self._view.nearest(query, count))
        return held

    def _judge_new(self, proposed: Sequence[Near]) -> None:
        """Judge by the truth what was not judged yet: an index can lag, it can never invent (decision 4)."""
        scores = {near.number: near.score for near in proposed if near.number not in self._judged}
        numbers = list(scores)
        capsules = self._reader.capsules(numbers)
        vectors = self._reader.vectors(self._question.space, numbers)
        scope, eligibility = self._question.scope, self._question.eligibility
        marked = reads_marks(scope)
        marks = {number: marks_of(text) for number, text in self._reader.texts(numbers).items()} if marked else {}
        for number in numbers:
            capsule, vector = capsules.get(number), vectors.get(number)
            self._judged[number] = None
            if capsule is None or vector is None or not admits(scope, capsule, marks.get(number, {})):
                continue
            cosine = self._measure.cosine(vector)
            self.misled |= abs(cosine - scores[number]) > self._view.tolerance
            if cosine > 0.0:
                self._judged[number] = NearHit(capsule, cosine, first_exclusion(capsule, eligibility))


def _pushed_window(eligibility: Eligibility) -> TimeWindow | None:
    """Return the window that all that may ground must meet; none where the caller waives what it excludes."""
    return None if eligibility.admit & _OF_THE_WINDOW else eligibility.window


def _query(reader: TruthReader, question: NearQuestion) -> VectorQuery:
    """Return what the index is asked; few capsules know telemetry, so that barriers are judged afterwards, like what is many."""
    named = Scope(tuple(fence for fence in unpushed(question.scope).fences if not isinstance(fence, LabelBarrier)))
    among = frozenset(reader.embedded_within(question.space, named)) if named.fences else None
    if among is not None and len(among) > MOST_NAMED:
        among = None
    return VectorQuery(vector=question.vector, scope=pushed(question.scope), among=among)


def _any(_: NearHit) -> bool:
    return True


def _may_ground(hit: NearHit) -> bool:
    return hit.reason is None


def _settled(hits: Sequence[NearHit], wanted: int, bound: float) -> bool:
    """Whether the wanted hits surely stand above everything that was not proposed, which has a cosine of `bound` at most."""
    return bound <= 0.0 or (len(hits) >= wanted and hits[wanted - 1].cosine > bound)
