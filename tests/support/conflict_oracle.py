"""The oracle of resolved conflicts: what restates a corrected value stands below the correction (O9), by the obvious loops."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from support.dialect_oracle import Reading

LEAST = 0.6
"""Which share of all their words two texts have in common that say the same of the same subject."""


@dataclass(frozen=True)
class ConflictOracle:
    """What was corrected among some capsules, in one reading of a store."""

    reading: Reading

    def resolved(self, pool: Sequence[int]) -> dict[int, list[int]]:
        """Return, for each correction in the pool that has any, what of the pool restates what it retired."""
        retired = {number: self._retired(number) for number in pool}
        found = {}
        for correction in pool:
            over = [
                number
                for number in sorted(pool)
                if number != correction
                and number not in retired[correction]
                and correction not in retired[number]
                and any(self._restates(number, old, correction, retired) for old in retired[correction])
            ]
            if over:
                found[correction] = over
        return found

    def _restates(self, number: int, old: int, correction: int, retired: Mapping[int, set[int]]) -> bool:
        """Whether a capsule says again what was retired, and is nearer to that than to what took its place.

        What corrects something itself was born with its own capsule, anything else with what it repeats.
        """
        if old not in self.reading.plain:
            return False
        alike, own = self._shared(number, old), self._shared(number, correction)
        return alike >= LEAST and alike > own and (number if retired[number] else old) < correction

    def _shared(self, one: int, other: int) -> float:
        first, second = (set(self.reading.plain[each]) for each in (one, other))
        return len(first & second) / len(first | second) if first | second else 0.0

    def _retired(self, number: int) -> set[int]:
        """Return what a capsule supersedes in any number of steps, as far as the caller may see it."""
        found, waiting = set[int](), [number]
        while waiting:
            source = waiting.pop()
            new = {each.target for each in self.reading.world.relations if each.kind == "supersedes" and each.source == source}
            new = {each for each in new - found if self.reading.sees(self.reading.world.capsules[each])}
            found |= new
            waiting += new
        return found


def demoted(order: Sequence[int], over: Mapping[int, Sequence[int]]) -> list[int]:
    """Return the order with each restatement no higher than below all its corrections; in a circle the first stays first."""
    waiting, placed = list(order), list[int]()
    while waiting:
        free = [
            number
            for number in waiting
            if not any(number in restatements and correction in waiting for correction, restatements in over.items())
        ]
        placed.append(free[0] if free else waiting[0])
        waiting.remove(placed[-1])
    return placed
