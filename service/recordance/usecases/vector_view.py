"""What a recall sees of a space's vectors, and how it holds the index still meanwhile (decision 1)."""

from collections.abc import Callable, Sequence
from typing import Protocol

from recordance.ports.truth import TruthReader
from recordance.ports.vectors import Near
from recordance.query.nearness import VectorQuery
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
