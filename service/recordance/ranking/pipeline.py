"""Fusion of any number of lanes, each with its weight and its depth, and what a reranker makes of it (L10, L16).

Ties fall to append order. Each lane enters with its first ranks; what lies behind them in every lane follows what is fused, in
the order of its ranks.
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
    """What one lane found, best first, and how it enters a fusion."""

    stage: Stage
    enters: LaneShare
    hits: tuple[LaneHit, ...]

    @property
    def front(self) -> tuple[LaneHit, ...]:
        """What of it enters."""
        return self.hits[: self.enters.depth]


@dataclass(frozen=True, slots=True)
class Fused:
    """A capsule in the fused ranking: its score (above 0), and its rank, from 1, in each lane that found it."""

    number: int
    score: float
    ranks: Mapping[Stage, int]


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


def fuse(lanes: Sequence[LaneFound], fusion: PipelineFusion) -> tuple[Fused, ...]:
    """Return everything that any lane found, best first."""
    totals: dict[int, float] = {}
    for lane in lanes:
        part = _PARTS[fusion](lane)
        for rank, hit in enumerate(lane.front, start=1):
            totals[hit.number] = totals.get(hit.number, 0.0) + lane.enters.weight * part(rank, hit)
    scores = {number: round(total, _DIGITS) for number, total in totals.items()}
    scores |= _behind(lanes, scores)
    ranks = _ranks(lanes)
    order = sorted(scores, key=lambda number: (-scores[number], number))
    return tuple(Fused(number, scores[number], ranks[number]) for number in order)


Part = Callable[[int, LaneHit], float]
"""What a rank and its hit are worth before the lane's weight."""


def _by_rank(_: LaneFound) -> Part:
    """Reciprocal rank fusion: Cormack, Clarke and Büttcher, SIGIR 2009."""
    return lambda rank, _: 1.0 / (RANK_OFFSET + rank)


def _by_share(_: LaneFound) -> Part:
    return lambda _, hit: hit.share


def _by_score(lane: LaneFound) -> Part:
    """A convex combination: Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023."""
    highest = max((hit.score for hit in lane.front), default=1.0)
    return lambda _, hit: hit.score / highest


_PARTS: Mapping[PipelineFusion, Callable[[LaneFound], Part]] = {
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
