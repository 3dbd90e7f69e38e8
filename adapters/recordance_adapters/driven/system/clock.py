"""Clocks: the machine's, and one that stands still for golden answers and reproducible demos."""

import time

from recordance.domain.instant import Instant


class SystemClock:
    """The machine's clock in UTC; the time zone it is set to never matters (case H2)."""

    def now(self) -> Instant:
        """Return the present instant, to the microsecond."""
        return Instant(time.time_ns() // 1_000)


class FixedClock:
    """A clock that always reads the same, so that an answer depends on the store alone (O11)."""

    def __init__(self, instant: Instant) -> None:
        self._instant = instant

    def now(self) -> Instant:
        """Return the instant that was set."""
        return self._instant
