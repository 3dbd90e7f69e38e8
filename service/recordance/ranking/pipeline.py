"""Fusion of any number of lanes, each with its weight and its depth, and what a reranker makes of it (L10, L16).

Each lane enters with its first ranks, and these are what is fused: score = Σ over the lanes of weight × part, where the part of
rrf is 1 ÷ (60 + rank). The other two ask words and meaning for all of that, wherever it ranks there. legacy: part = share, which
is the idf of the question's words found ÷ that of all, or the cosine. convex: part = the cosine; for words the BM25 with
b = 0.3 ÷ its highest among what is fused; for near spellings and links the score ÷ the highest of the lane's first ranks.
The default is convex with a weight of 1 for words and meaning, so that it is half the one and half the other. Ties fall to append
order. What lies behind the depth of every lane follows what is fused, in the order of its ranks.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from recordance.query.pipeline import LaneShare, PipelineFusion, Stage
from recordance.ranking.blend import RANK_OFFSET

_DIGITS = 12
"""Sums that differ by less than what rounding does to them are ties."""


@dataclass(frozen=True, slots=True)
class LaneHit:
    """What a lane says for a capsule: the score (above 0) by which it ranks, and the same as a share in 0..1 of all there is."""

    number: int
    score: float
    share: float


@dataclass(frozen=True, slots=True)
class LaneFound:
    """What one lane found, best first, and how it enters a fusion.

    `judged` is what it says of everything that is fused, for fusions by scores; None where nobody asked, so that all it says is
    what it found.
    """

    stage: Stage
    enters: LaneShare
    hits: tuple[LaneHit, ...]
    judged: tuple[LaneHit, ...] | None = None

    @property
    def front(self) -> tuple[LaneHit, ...]:
        """What of it enters."""
        return self.hits[: self.enters.depth]

    @property
    def said(self) -> tuple[LaneHit, ...]:
        """What a fusion by scores adds."""
        return self.front if self.judged is None else self.judged


@dataclass(frozen=True, slots=True)
class Fused:
    """A capsule in the fused ranking: its score (above 0), its rank, from 1, in each lane that found it, and the sum's parts.

    What lies behind the depth of every lane has no parts.
    """

    number: int
    score: float
    ranks: Mapping[Stage, int]
    parts: Mapping[Stage, float]


@dataclass(frozen=True, slots=True)
class Fitting:
    """A fused capsule with how well it fits beside the one that fits best, 0..1: what a blend makes of a ranking."""

    fused: Fused
    similarity: float


def fitted(ranking: Sequence[Fused]) -> tuple[Fitting, ...]:
    """Return a fused ranking with what each score is of the best one."""
    return tuple(Fitting(each, each.score / ranking[0].score) for each in ranking)


def rejudged(ranking: Sequence[Fused], scores: Sequence[float]) -> tuple[Fitting, ...]:
    """Return the ranking with its first ones in the order of a reranker's scores, equal ones as they were; the rest behind them.

    Scores that do not all lie in 0..1 are taken for log-odds, as cross-encoders give them.
    """
    shares = scores if all(0.0 <= score <= 1.0 for score in scores) else [_share(score) for score in scores]
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    best = max(shares, default=1.0) or 1.0
    judged = [Fitting(ranking[place], shares[place] / best) for place in order]
    rest = ranking[len(scores) :]
    least = judged[-1].similarity if judged else 1.0
    return (*judged, *(Fitting(each, least * each.score / ranking[0].score) for each in rest))


def _share(log_odds: float) -> float:
    """Return the logistic of a score, without an overflow for the least of them."""
    odds = math.exp(-abs(log_odds))
    return (1.0 if log_odds >= 0.0 else odds) / (1.0 + odds)


def brought_in(lanes: Sequence[LaneFound]) -> tuple[int, ...]:
    """Return what is fused: what stands among the first ranks of any lane, each once."""
    return tuple(dict.fromkeys(hit.number for lane in lanes for hit in lane.front))


def fuse(lanes: Sequence[LaneFound], fusion: PipelineFusion) -> tuple[Fused, ...]:
    """Return everything that any lane found, best first."""
    parts: dict[int, dict[Stage, float]] = {}
    for lane in lanes:
        for number, part in _PARTS[fusion](lane).items():
            parts.setdefault(number, {})[lane.stage] = lane.enters.weight * part
    scores = {number: round(math.fsum(own.values()), _DIGITS) for number, own in parts.items()}
    scores |= _behind(lanes, scores)
    ranks = _ranks(lanes)
    order = sorted(scores, key=lambda number: (-scores[number], number))
    return tuple(Fused(number, scores[number], ranks[number], parts.get(number, {})) for number in order)


Parts = Mapping[int, float]
"""Of each capsule what a lane gives it, before the lane's weight."""


def _by_rank(lane: LaneFound) -> Parts:
    """Reciprocal rank fusion: Cormack, Clarke and Büttcher, SIGIR 2009."""
    return {hit.number: 1.0 / (RANK_OFFSET + rank) for rank, hit in enumerate(lane.front, start=1)}


def _by_share(lane: LaneFound) -> Parts:
    return {hit.number: hit.share for hit in lane.said}


def _by_score(lane: LaneFound) -> Parts:
    """A convex combination: Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023.

    A cosine has a scale of its own: divided by its highest, it would say as much where nothing is near.
    """
    if lane.stage is Stage.SEMANTIC:
        return _by_share(lane)
    highest = max((hit.score for hit in lane.said), default=1.0)
    return {hit.number: hit.score / highest for hit in lane.said}


_PARTS: Mapping[PipelineFusion, Callable[[LaneFound], Parts]] = {
    PipelineFusion.RRF: _by_rank,
    PipelineFusion.LEGACY: _by_share,
    PipelineFusion.CONVEX: _by_score,
}


def _behind(lanes: Sequence[LaneFound], fused: Mapping[int, float]) -> Mapping[int, float]:
    """Return the scores of what lies behind the depth of every lane that found it: below all that is fused."""
    least = min(fused.values(), default=0.0)
    places: dict[int, int] = {}
    for lane in lanes:
        for place, hit in enumerate(lane.hits[lane.enters.depth :], start=1):
            if hit.number not in fused:
                places[hit.number] = min(place, places.get(hit.number, place))
    return {number: least * RANK_OFFSET / (RANK_OFFSET + place) for number, place in places.items()}


def _ranks(lanes: Sequence[LaneFound]) -> Mapping[int, Mapping[Stage, int]]:
    ranks: dict[int, dict[Stage, int]] = {}
    for lane in lanes:
        for rank, hit in enumerate(lane.hits, start=1):
            ranks.setdefault(hit.number, {})[lane.stage] = rank
    return ranks
