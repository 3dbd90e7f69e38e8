"""Diversity: what comes first also differs from what came before it (L11).

Maximal marginal relevance, greedy and deterministic: Carbonell and Goldstein, SIGIR 1998. Each place goes to the contender with
the highest `balance · relevance − (1 − balance) · likeness`, its likeness being the largest to anything chosen so far.
"""

import heapq
import math
import operator
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from recordance.domain.embedding import Vector
from recordance.domain.similarity import likeness


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """What may be chosen: its number, its relevance in 0..1, its content's distinct folded words, its vector where it has one.

    The vectors of all contenders come from one space.
    """

    number: int
    relevance: float
    words: AbstractSet[str]
    vector: Vector | None = None


def diverse(contenders: Sequence[Contender], wanted: int, balance: float) -> tuple[int, ...]:
    """Return the numbers of up to `wanted` contenders in the order in which they are chosen.

    `balance` in 0..1: 1.0 is relevance alone. Equal values fall to the order of `contenders`, so that 1.0 returns that order
    where it never ascends in relevance. Two are alike by the cosine of their vectors where both have one, else by the words that
    they share (Jaccard); opposite vectors are no less alike than unrelated ones, 0.
    """
    spread = _Spread(contenders, balance)
    return tuple(spread.next() for _ in range(min(wanted, len(contenders))))


class _Spread:
    """A choice in progress. What is chosen only ever makes a contender worse, so that a value that is out of date is a bound."""

    def __init__(self, contenders: Sequence[Contender], balance: float) -> None:
        self._balance = balance
        self._of = [_Comparable(each) for each in contenders]
        self._chosen: list[_Comparable] = []
        self._waiting = [(-balance * each.relevance, place) for place, each in enumerate(contenders)]
        heapq.heapify(self._waiting)

    def next(self) -> int:
        """Choose one more: the best bound that turns out to be no bound but the value."""
        while True:
            _, place = heapq.heappop(self._waiting)
            own = self._of[place]
            value = self._brought_up(own, place)
            if own.compared == len(self._chosen) and not self._is_beaten(value, place):
                self._chosen.append(own)
                return own.number
            heapq.heappush(self._waiting, (value, place))

    def _brought_up(self, own: "_Comparable", place: int) -> float:
        """Compare with what was chosen, only until another bound is better; return the value, negated, or the bound so far."""
        value = self._value(own)
        while own.compared < len(self._chosen) and not self._is_beaten(value, place):
            own.likeness = max(own.likeness, own.likeness_to(self._chosen[own.compared]))
            own.compared += 1
            value = self._value(own)
        return value

    def _is_beaten(self, value: float, place: int) -> bool:
        return bool(self._waiting) and self._waiting[0] < (value, place)

    def _value(self, own: "_Comparable") -> float:
        return -(self._balance * own.relevance - (1.0 - self._balance) * own.likeness)


class _Comparable:
    """A contender with how alike it is to those of the chosen that it was compared with; its components are read once."""

    def __init__(self, contender: Contender) -> None:
        self.number = contender.number
        self.relevance = contender.relevance
        self.likeness = 0.0
        self.compared = 0
        self.words = contender.words
        self.values = None if contender.vector is None else tuple(contender.vector.values)
        self.norm = 0.0 if contender.vector is None else contender.vector.norm

    def likeness_to(self, other: "_Comparable") -> float:
        """Return how alike two contenders are, 0 to 1."""
        if self.values is None or other.values is None:
            return likeness(self.words, other.words)
        cosine = math.fsum(map(operator.mul, self.values, other.values)) / (self.norm * other.norm)
        return min(max(cosine, 0.0), 1.0)
