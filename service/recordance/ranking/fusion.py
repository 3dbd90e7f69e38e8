"""Fusion: the rankings of two lanes become one (L5, L16).

`rrf` is reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): each lane adds 1 ÷ (60 + rank). `convex` is the mean
of both lanes' scores, each divided by its lane's maximum (Bruch, Gai and Ingber, TOIS 2023, call such sums convex combinations).
"""

from collections.abc import Mapping, Sequence

from recordance.query.lane import Fusion
from recordance.ranking.blend import RANK_OFFSET

_DIGITS = {Fusion.RRF: 15, Fusion.CONVEX: 12}
"""Scores that differ by less than what rounding does to them are ties: 1/72 + 1/120 is 2/90, though not in floating point."""

Lane = Sequence[tuple[int, float]]
"""The ranking of one lane, best first: (capsule number, the lane's score, above 0)."""


def fused(lanes: Sequence[Lane], fusion: Fusion) -> tuple[int, ...]:
    """Return the numbers that any lane ranks, best first; ties fall to append order."""
    totals: dict[int, float] = {}
    for lane in lanes:
        for number, score in _scores(lane, fusion, len(lanes)).items():
            totals[number] = totals.get(number, 0.0) + score
    digits = _DIGITS[fusion]
    return tuple(sorted(totals, key=lambda number: (-round(totals[number], digits), number)))


def _scores(lane: Lane, fusion: Fusion, lanes: int) -> Mapping[int, float]:
    match fusion:
        case Fusion.RRF:
            return {number: 1.0 / (RANK_OFFSET + rank) for rank, (number, _) in enumerate(lane, start=1)}
        case Fusion.CONVEX:
            highest = max((score for _, score in lane), default=1.0)
            return {number: score / highest / lanes for number, score in lane}
