"""Fusion: the rankings of two lanes become one (L5, L16). Ties fall to append order."""

from collections.abc import Mapping, Sequence

from recordance.ranking.blend import RANK_OFFSET

_RANK_DIGITS, _SCORE_DIGITS = 15, 12
"""Sums that differ by less than what rounding does to them are ties: 1/72 + 1/120 is 2/90, though not in floating point."""


def by_ranks(lanes: Sequence[Mapping[int, int]]) -> tuple[int, ...]:
    """Return the numbers that any lane ranks (number → rank, from 1), best first, by the sum of 1 ÷ (60 + rank).

    Reciprocal rank fusion: Cormack, Clarke and Büttcher, SIGIR 2009.
    """
    scores = rank_scores(lanes)
    return tuple(sorted(scores, key=lambda number: (-scores[number], number)))


def rank_scores(lanes: Sequence[Mapping[int, int]]) -> dict[int, float]:
    """Return the sum of 1 ÷ (60 + rank) of each number that any lane ranks, so rounded that equal sums are equal."""
    return _summed([{number: 1.0 / (RANK_OFFSET + rank) for number, rank in lane.items()} for lane in lanes], _RANK_DIGITS)


def by_scores(lanes: Sequence[Mapping[int, float]]) -> tuple[int, ...]:
    """Return the numbers that any lane scores (above 0), best first, by the mean of the scores, each ÷ its lane's highest.

    A convex combination: Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023.
    """
    highest = [max(lane.values(), default=1.0) for lane in lanes]
    shares = [{number: score / most for number, score in lane.items()} for lane, most in zip(lanes, highest, strict=True)]
    scores = _summed(shares, _SCORE_DIGITS)
    return tuple(sorted(scores, key=lambda number: (-scores[number], number)))


def _summed(parts: Sequence[Mapping[int, float]], digits: int) -> dict[int, float]:
    totals: dict[int, float] = {}
    for part in parts:
        for number, share in part.items():
            totals[number] = totals.get(number, 0.0) + share
    return {number: round(total, digits) for number, total in totals.items()}
