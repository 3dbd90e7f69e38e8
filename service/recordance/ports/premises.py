"""The premises port: the places of a store that may hold bytes of what was forgotten, though no row has any (W6)."""

from collections.abc import Sequence
from typing import Protocol

from recordance.domain.place import Place


class Premises(Protocol):
    """Everything of one store that keeps bytes: the truth's file, its log, the indexes of every process, idle ones, our backups.

    What was forgotten is named by its journal seq; everything forgotten before it is meant as well. No method raises for a place
    that cannot be purged now: that place is pending.
    """

    def purge(self, seq: int) -> Sequence[Place]:
        """Erase what was forgotten up to `seq` wherever this process may, and return every place as it is then.

        Waits, within a bound, for readers that hold a log, and for the processes that hold an index: each purges its own.
        """
        ...

    def tidy(self, seq: int) -> Sequence[Place]:
        """Do the same without waiting for anybody."""
        ...

    def settle(self, seq: int) -> bool:
        """Do the same for the background, and return whether nothing is left that it should take up again."""
        ...
