"""The miss recorder port: telemetry that may fail, and never delays a recall (T8)."""

from collections.abc import Sequence
from typing import Protocol

from recordance.domain.alias import MissOutcome
from recordance.domain.instant import Instant


class MissRecorder(Protocol):
    """Takes note of terms that found nothing."""

    @property
    def lost(self) -> int:
        """How many notes could not be kept so far."""
        ...

    def record(self, term_keys: Sequence[str], outcome: MissOutcome, fence: str, at: Instant) -> None:
        """Take note of folded terms and return at once; never raises. What cannot be kept is lost, with a word in the log."""
        ...

    def settle(self) -> None:
        """Wait, within a bound, until what was noted before is in the ledger; never raises."""
        ...
