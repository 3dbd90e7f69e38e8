"""Fences of more values than a statement should take, judged by the predicate on rows that were found otherwise (F4)."""

from collections.abc import Iterator, Sequence

from recordance.query.fence import Fence, MemberFence, Scope, admits, marks_of
from recordance_adapters.driven.sql_truth.fencing import is_small
from recordance_adapters.driven.sql_truth.reading_capsules import CapsuleReading

_JUDGED_AT_ONCE = 500


def small_fences(scope: Scope) -> list[Fence]:
    """Return the fences that the database is asked for."""
    return [fence for fence in scope.fences if is_small(fence)]


def large_fences(scope: Scope) -> list[Fence]:
    """Return the fences that are judged here."""
    return [fence for fence in scope.fences if not is_small(fence)]


class FencedReading(CapsuleReading):
    """What judges capsules beside the database."""

    def judged(self, numbers: Sequence[int], fences: Sequence[Fence]) -> Iterator[int]:
        """Return which of `numbers` these fences admit, in their order; only members are told by their number alone."""
        for fence in fences:
            if isinstance(fence, MemberFence):
                numbers = [number for number in numbers if number in fence.numbers]
        others = Scope(tuple(fence for fence in fences if not isinstance(fence, MemberFence)))
        if not others.fences:
            yield from numbers
            return
        for start in range(0, len(numbers), _JUDGED_AT_ONCE):
            yield from self._admitted(others, numbers[start : start + _JUDGED_AT_ONCE])

    def _admitted(self, scope: Scope, numbers: Sequence[int]) -> list[int]:
        capsules, texts = self.capsules(numbers), self.texts(numbers)
        return [number for number in numbers if admits(scope, capsules[number], marks_of(texts[number]))]
