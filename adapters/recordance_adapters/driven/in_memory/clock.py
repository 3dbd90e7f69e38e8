"""A clock that is told what time it is."""

from recordance.domain.instant import Instant


class MemoryClock:
    """Stands still until somebody moves it (see Clock)."""

    def __init__(self, now: Instant) -> None:
        self._now = now

    def now(self) -> Instant:
        """See Clock."""
        return self._now

    def set(self, now: Instant) -> None:
        """Let it be `now`; earlier than before is allowed, as it is on machines."""
        self._now = now

    def advance(self, microseconds: int) -> None:
        """Let so much time go by."""
        self._now = Instant(self._now + microseconds)
