"""Seeded texts, queries and vectors, so that every run measures the same work.

Words are spread as in real text (Zipf's law); vectors lie in clusters, as those of models do.
"""

from __future__ import annotations

import bisect
import itertools
import random
from collections.abc import Iterator
from typing import Any

EXPONENT = 1.05
VOCABULARY = 30_000
WORDS = (30, 50)
INELIGIBLE = 0.2
"""The share of capsules that have expired: they match, are counted, and may not ground."""
DIMENSION = 384
CLUSTERS = 200
_SCATTERS = 500
_DECIMALS = 4
"""Decimals of a component as it is sent: what matters of a float32, in half the bytes."""
_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va")


class Zipf:
    """Draws words of one vocabulary; the n-th most frequent has weight 1 ÷ n^1.05."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._bounds = list(itertools.accumulate(1.0 / rank**EXPONENT for rank in range(1, VOCABULARY + 1)))

    def word(self) -> str:
        """Return one word."""
        return spelled(bisect.bisect_left(self._bounds, self._chance.random() * self._bounds[-1]))

    def text(self) -> str:
        """Return a text of 30 to 50 words."""
        return " ".join(self.word() for _ in range(self._chance.randint(*WORDS)))

    def expired(self) -> bool:
        """Return whether the next capsule has expired."""
        return self._chance.random() < INELIGIBLE


def spelled(rank: int) -> str:
    """Return the word of a frequency rank: four syllables, distinct for distinct ranks."""
    return "".join(_SYLLABLES[rank >> shift & 15] for shift in (12, 8, 4, 0))


def capsules(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield `count` items for `memory_store`."""
    source = Zipf(seed)
    for place in range(count):
        item: dict[str, Any] = {"content": source.text(), "project_id": f"bench/{place % 10}"}
        if source.expired():
            item |= {"valid_from": "2020-01-01T00:00:00Z", "valid_to": "2021-01-01T00:00:00Z"}
        yield item


def queries(count: int, seed: int) -> list[list[str]]:
    """Return `count` queries of three single words drawn from the same distribution, so that common words are common in them."""
    source = Zipf(seed)
    return [[source.word() for _ in range(3)] for _ in range(count)]


def vectors(seed: int) -> Iterator[list[float]]:
    """Yield vectors of DIMENSION components without end, each a cluster's centre with some scatter around it.

    The centres are the same for every seed, so that queries drawn with another one fall into the clusters of what is stored.
    """
    centres, scatters = _gaussians(CLUSTERS, 0, 1.0), _gaussians(_SCATTERS, seed, 0.5)
    chance = random.Random(seed)
    while True:
        parts = zip(chance.choice(centres), chance.choice(scatters), chance.choice(scatters), strict=True)
        yield [round(centre + one + other, _DECIMALS) for centre, one, other in parts]


def _gaussians(count: int, seed: int, deviation: float) -> list[list[float]]:
    chance = random.Random(seed)
    return [[chance.gauss(0.0, deviation) for _ in range(DIMENSION)] for _ in range(count)]
