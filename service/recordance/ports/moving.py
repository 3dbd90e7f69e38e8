"""What a move of a store needs: two places, one transaction that holds the source, and marks that no crash leaves ambiguous."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from recordance.ports.truth import TruthReader

Progress = Callable[[int, int], None]
"""Hears of what is done, of how much."""


class Standing(Enum):
    """What a place holds, as far as a move is concerned."""

    EMPTY = "empty"
    """A store into which nothing was ever written; it becomes the one that is moved there."""
    SETTLED = "settled"
    """A store in use."""
    ARRIVING = "arriving"
    """A part of a store; nobody but a move can open it."""
    MOVED_AWAY = "moved_away"
    """A store that is in use elsewhere; nobody but a move can open it, which leaves it as it is."""


@dataclass(frozen=True, slots=True)
class Home:
    """A place in words, what it holds, of which store, and where a store that was moved away is now."""

    place: str
    standing: Standing
    store: str
    moved_to: str | None = None


class Leaving(Enum):
    """What becomes of the source."""

    SEALED = "sealed"
    """Writes to it wait while it is carried, and it is marked as moved away in the end: one store, in one place."""
    OPEN = "open"
    """It is read in one snapshot and goes on: from then on there are two stores of one identity."""


class Hold(Protocol):
    """The source in one transaction."""

    @property
    def source(self) -> TruthReader:
        """What it holds, in the snapshot of that transaction."""
        ...

    def carry(self, progress: Progress) -> Mapping[str, int]:
        """Make the rows of the target those of the source, and return how many each table has; to be repeated at will."""
        ...

    def target(self) -> AbstractContextManager[TruthReader]:
        """Open a snapshot of what the target holds now."""
        ...

    def difference(self, progress: Progress) -> str | None:
        """Return which row is not the same in both, in the words of a person, None if there is none."""
        ...

    def seal(self) -> None:
        """Mark the source as moved away once the transaction ends without an error."""
        ...


class Moving(Protocol):
    """A move between two places that are open. Its steps raise what the truth's port does; each can be repeated."""

    def source(self) -> Home:
        """Return what is to be moved."""
        ...

    def target(self) -> Home:
        """Return where to."""
        ...

    def begin(self) -> None:
        """Mark the target as arriving, with the identity of the source; raises StoreUnusable if it is not empty any more."""
        ...

    def hold(self, leaving: Leaving) -> AbstractContextManager[Hold]:
        """Open the transaction that holds the source, or only looks at it if it is left open."""
        ...

    def settle(self) -> None:
        """Make the target a store that everybody can open, and clear away what it took back on the way."""
        ...
