"""The indexes in the slots of one folder as places that may hold bytes of what was forgotten (W6).

What lies on the disk is all that counts: whether another process has purged its index is read from the position beside it.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from recordance.domain.place import Place, PlaceState, pending
from recordance.errors import RecordanceError

_log = logging.getLogger(__name__)

CleanUpTo = Callable[[Path], int | None]
"""Up to which seq nothing of what was forgotten is in an index of the slot at this path; None if it has no such index."""


class OtherSlot(Protocol):
    """A slot that another process may hold."""

    @property
    def path(self) -> Path:
        """Its folder, whose name is its number."""
        ...

    def remove(self) -> bool:
        """Remove it with every byte in it unless a process holds it; return whether it is gone."""
        ...


@dataclass(frozen=True, slots=True)
class IndexFolders:
    """The slots below one folder: this process's own, the rest, and what may lie in each, by name."""

    slot: Path
    found: Callable[[], Sequence[OtherSlot]]
    indexes: Mapping[str, CleanUpTo]

    def own(self, seq: int) -> Iterator[Place]:
        """Yield the indexes of this process."""
        return self._places(self.slot, "", "it is about to be emptied and written anew", seq)

    def others(self, seq: int) -> Iterator[Place]:
        """Yield the indexes in slots that are or were in use by others; idle ones that are not clean are removed.

        A slot that comes to be while these are looked at may be a copy of one that was not clean yet: it is looked at as well.
        """
        seen: set[Path] = set()
        while new := [slot for slot in self.found() if slot.path not in seen]:
            for slot in sorted(new, key=lambda slot: int(slot.path.name)):
                seen.add(slot.path)
                note = "the process that holds it has not emptied it yet"
                places = list(self._places(slot.path, f"replica {slot.path.name}, ", note, seq))
                if not pending(places) or not done(slot.remove):
                    yield from places

    def _places(self, slot: Path, owner: str, note: str, seq: int) -> Iterator[Place]:
        for name, clean_up_to in self.indexes.items():
            clean = clean_up_to(slot)
            if clean is not None and clean < seq:
                yield Place(owner + name, PlaceState.PENDING, note)
            elif clean is not None or not owner:
                yield Place(owner + name, PlaceState.PURGED)


def done(attempt: Callable[[], bool]) -> bool:
    """Whether an attempt succeeds; what goes wrong is in the log, and tried again."""
    try:
        return attempt()
    except (RecordanceError, OSError) as failure:
        _log.info("a place could not be purged yet: %s", failure)
        return False
