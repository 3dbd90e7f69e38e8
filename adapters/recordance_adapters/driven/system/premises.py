"""The premises of a store in a folder: its truth's file and log, the indexes in all slots, our own backups (see Premises).

What lies on the disk is all that counts: whether another process has purged its index is read from the position beside it.
"""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recordance.domain.place import BACKUPS, IDLE, LOG, OUTSIDE, TERM_INDEX, TRUTH, VECTOR_INDEX, Place, PlaceState, pending
from recordance.errors import RecordanceError
from recordance_adapters.driven.system.index_folders import CleanUpTo, IndexFolders, OtherSlot, done

_log = logging.getLogger(__name__)

LOOK_SECONDS = 0.02
"""How long to wait between two looks at what others have yet to do."""


def nothing_further(_seq: int) -> Sequence[Place]:
    """Return no place, for a store that has no others."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What the premises of one store consist of.

    `rewrite` writes the truth's file anew unless that was done since a journal seq, and says whether it is done; `truncate_log`
    empties the log within so many seconds, and says whether it is empty; `erase_backups` erases what was forgotten in our own
    backups, and names those where that failed. `slot` is this process's own, `others` are the rest, `indexes` what may lie in
    each, by name; `further` is what else there is.
    """

    rewrite: Callable[[int], bool]
    truncate_log: Callable[[float], bool]
    erase_backups: Callable[[], Sequence[str]]
    slot: Path
    others: Callable[[], Sequence[OtherSlot]]
    indexes: Mapping[str, CleanUpTo]
    further: Callable[[int], Sequence[Place]] = nothing_further


class FolderPremises:
    """Premises on a disk. Safe for threads.

    `patience` is how many seconds `purge` waits at most, `pause` waits for so many between two looks, `monotonic` tells the time.
    """

    def __init__(self, grounds: Grounds, patience: float, monotonic: Callable[[], float], pause: Callable[[float], None]) -> None:
        self._grounds = grounds
        self._patience = patience
        self._monotonic = monotonic
        self._pause = pause
        self._turn = threading.Lock()
        self._rewritten = 0
        self._emptied = 0
        self._erased = 0

    def purge(self, seq: int) -> Sequence[Place]:
        """See Premises."""
        deadline = self._monotonic() + self._patience
        while True:
            places = self.tidy(seq)
            if not pending(places) or self._monotonic() >= deadline:
                return places
            self._pause(LOOK_SECONDS)

    def tidy(self, seq: int) -> Sequence[Place]:
        """See Premises."""
        with self._turn:
            indexes = IndexFolders(self._grounds.slot, self._grounds.others, self._grounds.indexes)
            own, others = indexes.own(seq), (*indexes.others(seq), *self._grounds.further(seq))
            return (self._truth(seq), self._log(seq), *own, *others, Place(IDLE, PlaceState.PURGED), self._backups(seq), *OUTSIDE)

    def settle(self, seq: int) -> bool:
        """See Premises: what other processes of this folder have yet to do is looked after, since one may die over it."""
        return not pending(self.tidy(seq))

    def _truth(self, seq: int) -> Place:
        """Write the file anew: its rows are empty by the very transaction that forgot, its pages are not."""
        if self._rewritten < seq and done(lambda: self._grounds.rewrite(seq)):
            self._rewritten = seq
        note = "its file is written anew as soon as nobody writes and its disk has room"
        return Place(TRUTH, PlaceState.PURGED) if self._rewritten >= seq else Place(TRUTH, PlaceState.PENDING, note)

    def _log(self, seq: int) -> Place:
        """Empty the log unless that was done since; what is written into it afterwards is no longer what was forgotten.

        It does not count before the file was written anew: until then a page may come into the log with what lies between its
        rows.
        """
        if self._emptied < seq and done(lambda: self._grounds.truncate_log(0.0)) and seq <= self._rewritten:
            self._emptied = seq
        note = "it is emptied once the file of the truth is written anew and nobody reads from it any more"
        return Place(LOG, PlaceState.PURGED) if self._emptied >= seq else Place(LOG, PlaceState.PENDING, note)

    def _backups(self, seq: int) -> Place:
        if self._erased < seq:
            left = _left(self._grounds.erase_backups)
            if left:
                return Place(BACKUPS, PlaceState.PENDING, f"not erased yet: {', '.join(left)}")
            self._erased = seq
        return Place(BACKUPS, PlaceState.PURGED)


class ClosedPremises:
    """Premises where nothing may be written: nobody can purge from here, nor tell what others have purged (see Premises)."""

    def purge(self, seq: int) -> Sequence[Place]:  # noqa: ARG002 - whatever was forgotten
        """See Premises."""
        note = "nothing can be written here; ask where the store may be written"
        places = [Place(name, PlaceState.PENDING, note) for name in (TRUTH, LOG, TERM_INDEX, VECTOR_INDEX, IDLE, BACKUPS)]
        return (*places, *OUTSIDE)

    def tidy(self, seq: int) -> Sequence[Place]:
        """See Premises."""
        return self.purge(seq)

    def settle(self, seq: int) -> bool:
        """See Premises."""
        return not pending(self.purge(seq))


def _left(erase: Callable[[], Sequence[str]]) -> Sequence[str]:
    try:
        return erase()
    except (RecordanceError, OSError) as failure:
        _log.info("backups could not be erased yet: %s", failure)
        return ("all",)
