"""The clock port."""

from collections.abc import Callable
from typing import Protocol

from recordance.domain.instant import Instant


class Clock(Protocol):
    """Tells the time; read once per call at the surface, never inside the pure core."""

    def now(self) -> Instant:
        """Return the present instant."""
        ...


Stopwatch = Callable[[], float]
"""Tells seconds that only ever grow, from any beginning: how long something took, never when. It is no part of any answer's bytes
but where somebody asks how long the stages of a recall took (L10)."""


def standing_stopwatch() -> float:
    """A stopwatch that nobody started."""
    return 0.0
