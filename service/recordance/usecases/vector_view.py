"""What a recall sees of a space's vectors, and how it holds the index still meanwhile (decision 1)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from recordance.ports.truth import TruthReader
from recordance.ports.vectors import Near
from recordance.query.nearness import VectorQuery
from recordance.usecases.follow import FollowerStatus
from recordance.usecases.turns import Turns
from recordance.usecases.vector_scan import scan_of_all


class VectorView(Protocol):
    """What a recall searches: the vectors of a space exactly as its snapshot of the truth has them."""

    @property
    def tolerance(self) -> float:
        """By how much a score may be off the exact cosine."""
        ...

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        """Return the `count` nearest that the query admits, the highest score first, or all that have a cosine above zero."""
        ...

    def disprove(self) -> None:
        """Take note that a score was off by more than `tolerance`; from here on the truth is scanned."""
        ...


class StillVectors(Protocol):
    """The vectors of one space, held still for one recall."""

    def at(self, reader: TruthReader) -> VectorView:
        """Return the vectors as of a snapshot that was opened since they are held still; usable as long as both are."""
        ...


class SteadyVectors(Protocol):
    """The vectors of one space as a recall asks for them. Safe for threads."""

    def steady(self) -> AbstractContextManager[StillVectors]:
        """Hold the vectors still until the end; open the snapshot inside."""
        ...


class FollowedVectors(Protocol):
    """A follower of one space, with a replica of its own or with an index that it shares. Safe for threads.

    Every method raises what the truth raises; `commit`, `rebuild` and `open` raise Fault when the index cannot be opened or
    written. A recall never fails for an index: where none can be asked, it scans the truth.
    """

    @property
    def alarms(self) -> int:
        """A number that has grown whenever a commit is due for another reason than a write."""
        ...

    def steady(self) -> AbstractContextManager[StillVectors]:
        """Hold the vectors still until the end; open the snapshot inside."""
        ...

    def commit(self) -> None:
        """Bring the index up to the truth's head, durably."""
        ...

    def rebuild(self, progress: Callable[[int, int], None]) -> None:
        """Empty the index and fill it again from the truth."""
        ...

    def open(self) -> None:
        """See where the index is, for whoever asks how far it is."""
        ...

    def held(self) -> int | None:
        """Return how many vectors the index holds, for upkeep; None where it cannot be asked or is no good."""
        ...

    def status(self) -> FollowerStatus:
        """Return how far the index is."""
        ...

    def close(self) -> None:
        """Let the index go; from then on recalls scan."""
        ...


class Hold:
    """A turn at the index for one recall, which may be over before the recall is."""

    def __init__(self, turns: Turns, patience: float) -> None:
        self._turns = turns
        self.held = turns.take(patience)

    def let_go(self) -> None:
        """Give the turn back if it is still held."""
        if self.held:
            self.held = False
            self._turns.give_back()


class Steady:
    """The index of one space held still for one recall."""

    def __init__(self, hold: Hold, indexed: Callable[[TruthReader], VectorView | None], space: str) -> None:
        self._hold = hold
        self._indexed = indexed
        self._space = space

    def at(self, reader: TruthReader) -> VectorView:
        """Return the vectors as of a snapshot that was opened since the index is held still; usable as long as both are.

        Where the index cannot be brought there, the view scans the truth, and the index is let go at once.
        """
        view = self._indexed(reader) if self._hold.held else None
        if view is None:
            self._hold.let_go()
            view = scan_of_all(reader, self._space)
        return view


class ScannedSpace:
    """A space that nobody follows: every recall compares with the truth itself, which is exact and slower."""

    def __init__(self, space: str) -> None:
        self._space = space

    @contextmanager
    def steady(self) -> Iterator[StillVectors]:
        """See FollowedVectors; there is nothing to hold still."""
        yield self

    def at(self, reader: TruthReader) -> VectorView:
        """See StillVectors."""
        return scan_of_all(reader, self._space)
