"""The housing port: what upkeep wants to know of the place that a store lives in; no other use case asks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from recordance.domain.instant import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowerSeen:
    """A process that follows the store, as it has told of itself last.

    `name` is that of its folder of indexes, `slot` the folder's number on its `host`. `silence` is how many microseconds have
    passed since it was seen at `seen_at`; `left_at` is when it ended in order. `ours` is the process that is asked.
    """

    name: str
    host: str
    slot: int
    seen_at: Instant
    silence: int
    left_at: Instant | None
    ours: bool


class Housing(Protocol):
    """The place of one store, and the versions of what keeps it there."""

    @property
    def place(self) -> str:
        """Where the store is, as its owner names it."""
        ...

    def sizes(self) -> Mapping[str, int]:
        """Return the bytes of each part of the store."""
        ...

    def versions(self) -> Mapping[str, str]:
        """Return the versions of the program, its engines and the store's format."""
        ...

    def exposed(self) -> Sequence[str]:
        """Return the parts of the store that others than its owner may read or write."""
        ...

    def obstacle(self) -> str | None:
        """Return why nothing can be written there; None where it can."""
        ...

    def damage(self) -> Sequence[str]:
        """Return what the truth's own check of itself finds wrong; may take long in a large store."""
        ...

    def followers(self) -> Sequence[FollowerSeen] | None:
        """Return who follows the store; None where nobody says so, since all of them are on this machine."""
        ...

    def indexed(self) -> int:
        """Return how many documents this process's copy of the term index holds."""
        ...

    def served_otherwise(self) -> int:
        """Return how many processes of this machine follow the store with other text services (O11, T9)."""
        ...
