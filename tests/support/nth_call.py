"""Failing each call of something in turn, the first, the second and so on, and looking at what comes of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from recordance.errors import RecordanceError
from support.recalls import Recalls
from support.watching import Told


@dataclass
class Nth:
    """Refuses one call, counted from when it was armed, among those whose names begin so."""

    ports: tuple[str, ...]
    error: Callable[[], RecordanceError]
    place: int | None = None
    seen: list[str] = field(default_factory=list)

    def __call__(self, name: str, given: tuple[Any, ...]) -> None:
        """Count a call that is about to be made, and refuse it if it is the one."""
        if not name.startswith(self.ports):
            return
        self.seen.append(name)
        if len(self.seen) == self.place:
            raise self.error()

    def arm(self, place: int | None) -> None:
        """Count anew, and refuse the call at this place."""
        self.seen.clear()
        self.place = place


@dataclass(frozen=True)
class Course:
    """How often the same question was answered, and how often refused, while each call that it makes failed once."""

    answered: int
    refused: int


def each_call_failed(
    furnished: Callable[[Told], Recalls],
    ask: Callable[[Recalls], str],
    ports: str,
    error: Callable[[], RecordanceError],
    bound: int,
) -> Course:
    """Fail each call to `ports`, fewer than `bound`: every answer must be the whole one, and so must the next after it."""
    expected = ask(furnished(Nth((), error)))
    refused = answered = 0
    for place in range(1, bound):
        nth = Nth((ports,), error)
        recalls = furnished(nth)
        nth.arm(place)
        try:
            assert ask(recalls) == expected, place
            answered += 1
        except type(error()):
            refused += 1
        met = len(nth.seen)
        nth.arm(None)
        assert ask(recalls) == expected, place
        if met < place:
            break
    assert met < bound
    return Course(answered, refused)
