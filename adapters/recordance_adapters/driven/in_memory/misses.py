"""A miss recorder that writes at once, so that nothing has to settle."""

from collections.abc import Sequence

from recordance.domain.alias import MissOutcome
from recordance.domain.instant import Instant
from recordance.errors import RecordanceError
from recordance.ports.truth import Truth


class MemoryMisses:
    """Counts misses in a truth as they are noted (see MissRecorder). What the truth refuses is lost."""

    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self.lost = 0

    def record(self, term_keys: Sequence[str], outcome: MissOutcome, fence: str, at: Instant) -> None:
        """See MissRecorder."""
        try:
            with self._truth.writing() as writer:
                writer.count_misses(term_keys, outcome, fence, at)
        except RecordanceError:
            self.lost += 1

    def settle(self) -> None:
        """See MissRecorder: nothing ever waits."""
