"""Whether a new relation would close a circle, and whether those that are there do (W3)."""

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator

Step = Callable[[Collection[int]], Iterable[int]]
"""From some capsules to those one relation further, in one reading."""


def leads_to(start: int, goal: int, forward: Step, backward: Step) -> bool:
    """Whether following relations from `start` arrives at `goal`; a capsule leads to itself.

    Searches from both ends, always where fewer capsules have been seen: a new capsule that nothing points to ends the search at
    once, however long the chain behind the other is.
    """
    if start == goal:
        return True
    ahead, behind = {start}, {goal}
    front, back = {start}, {goal}
    while front and back:
        if len(ahead) <= len(behind):
            front = set(forward(front)) - ahead
            ahead |= front
            met = front & behind
        else:
            back = set(backward(back)) - behind
            behind |= back
            met = back & ahead
        if met:
            return True
    return False


class RelationPairs:
    """The relations of one kind, two whole numbers each, so that those of a large store fit into little memory."""

    def __init__(self) -> None:
        self._sources = array("q")
        self._targets = array("q")

    def __len__(self) -> int:
        return len(self._sources)

    def add(self, source: int, target: int) -> None:
        """Add a relation."""
        self._sources.append(source)
        self._targets.append(target)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield (source, target) of each relation, in the order in which they were added."""
        return zip(self._sources, self._targets, strict=True)

    def circle(self) -> tuple[int, ...]:
        """Return the capsules of one circle, in order from its lowest number; empty if there is none.

        Takes relations away whose target leads nowhere, until none is left or only circles and what leads to them.
        """
        into = sorted(range(len(self)), key=self._targets.__getitem__)
        by_target = array("q", (self._targets[each] for each in into))
        leaving = Counter(self._sources)
        ends = [target for target in set(self._targets) if target not in leaving]
        while ends:
            end = ends.pop()
            for place in range(bisect_left(by_target, end), bisect_right(by_target, end)):
                source = self._sources[into[place]]
                leaving[source] -= 1
                if not leaving[source]:
                    del leaving[source]
                    ends.append(source)
        return self._walked(leaving)

    def _walked(self, circling: Collection[int]) -> tuple[int, ...]:
        """Return the circle that one arrives at from the lowest of `circling`, each of which leads to another of them."""
        onward = {source: target for source, target in self.pairs() if source in circling and target in circling}
        seen: dict[int, int] = {}
        here = min(onward, default=0)
        while onward and here not in seen:
            seen[here] = len(seen)
            here = onward[here]
        found = [capsule for capsule, place in seen.items() if place >= seen[here]]
        first = found.index(min(found)) if found else 0
        return (*found[first:], *found[:first])
