"""Metrics of rankings and of scores. Pure; standard library only.

A ranking holds distinct keys, the best first. `relevant` are the keys that answer the question, at least one.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence


def recall_at(cut: int, ranking: Sequence[str], relevant: Collection[str]) -> float:
    """Return the share of `relevant` that stands among the first `cut`."""
    return sum(key in relevant for key in ranking[:cut]) / len(relevant)


def hit_at(cut: int, ranking: Sequence[str], relevant: Collection[str]) -> float:
    """Return 1 if any of `relevant` stands among the first `cut`, else 0."""
    return float(any(key in relevant for key in ranking[:cut]))


def reciprocal_rank(ranking: Sequence[str], relevant: Collection[str]) -> float:
    """Return 1 ÷ the rank of the first of `relevant`, counted from 1; 0 if none is there."""
    return next((1 / rank for rank, key in enumerate(ranking, start=1) if key in relevant), 0.0)


def ndcg_at(cut: int, ranking: Sequence[str], relevant: Collection[str]) -> float:
    """Return the discounted gain of the first `cut` as a share of the best possible one; a key gains 1 or nothing."""
    gained = math.fsum(_discount(rank) for rank, key in enumerate(ranking[:cut], start=1) if key in relevant)
    best = math.fsum(_discount(rank) for rank in range(1, min(cut, len(relevant)) + 1))
    return gained / best


def auroc(present: Sequence[float], missing: Sequence[float]) -> float:
    """Return how likely one of `present` scores above one of `missing`, a tie counting half; neither may be empty."""
    ordered = sorted(missing)
    below = math.fsum((bisect_left(ordered, score) + bisect_right(ordered, score)) / 2 for score in present)
    return below / (len(present) * len(missing))


def mean(values: Sequence[float]) -> float:
    """Return the mean of at least one value."""
    return math.fsum(values) / len(values)


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)
