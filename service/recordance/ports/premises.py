"""The premises port: the places beside this process's own indexes that may hold bytes of what was forgotten (W6, decision 11)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class PlaceState(StrEnum):
    """What has become of a forgotten content in one place."""

    PURGED = "purged"
    PENDING = "pending"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Place:
    """A place with its state; `note` says what is awaited or why it lies outside, None where there is nothing to say."""

    name: str
    state: PlaceState
    note: str | None = None


class Premises(Protocol):
    """Everything of one store that is neither its truth's rows nor this process's indexes."""

    def purge(self, seq: int) -> Sequence[Place]:
        """Erase what was forgotten up to `seq` from where this process may: logs, idle replicas, our own backups.

        Waits, within a bound, for readers that hold a log and for the replicas of other processes. Returns every place as it is
        then; never raises for one that cannot be purged now, which is pending.
        """
        ...

    def tidy(self, seq: int) -> bool:
        """Do the same without waiting for anybody, and return whether nothing of this process's share is left to do."""
        ...
