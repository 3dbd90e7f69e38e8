"""The clock port."""

from typing import Protocol

from recordance.domain.instant import Instant


class Clock(Protocol):
    """Tells the time; read once per call at the surface, never inside the pure core."""

    def now(self) -> Instant:
        """Return the present instant."""
        ...
