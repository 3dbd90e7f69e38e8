"""When a capsule holds, when the thing that it tells of happened, and the interval that a caller asks about."""

from dataclasses import dataclass

from recordance.domain.instant import Instant


@dataclass(frozen=True, slots=True)
class Validity:
    """From when (inclusive) until when (exclusive; None is open) a capsule holds (W1)."""

    valid_from: Instant
    valid_to: Instant | None = None

    def expired_at(self, at: Instant) -> bool:
        """Whether the end has been reached: the end itself no longer holds."""
        return self.valid_to is not None and self.valid_to <= at

    def begun_at(self, at: Instant) -> bool:
        """Whether the beginning has been reached: the beginning itself holds."""
        return self.valid_from <= at

    def holds_at(self, at: Instant) -> bool:
        """Whether it has begun and has not ended."""
        return self.begun_at(at) and not self.expired_at(at)


@dataclass(frozen=True, slots=True)
class EventRange:
    """When the thing that a capsule tells of happened; both ends inclusive, equal for a moment (F3)."""

    event_from: Instant
    event_to: Instant


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """The fact-time that a caller asks about; both ends inclusive, None is open, never both None (F3)."""

    start: Instant | None
    end: Instant | None

    def meets(self, event: EventRange) -> bool:
        """Whether the event range and the window share an instant."""
        if self.start is not None and event.event_to < self.start:
            return False
        return self.end is None or event.event_from <= self.end
