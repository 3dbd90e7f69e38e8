"""The premises of a store on a database server: its rows, the indexes of this machine, and those of all others (W6).

What a server keeps of rows that are gone is cleared away by itself when it is asked to. What lies in its files after that, in its
log, its standbys and its backups, no client can reach.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from recordance.domain.place import DATABASE_SERVER, IDLE, OUTSIDE, TRUTH, Place, PlaceState, pending
from recordance_adapters.driven.system.index_folders import IndexFolders
from recordance_adapters.driven.system.other_hosts import Elsewhere

LOOK_SECONDS = 0.05
"""How long to wait between two looks at what others have yet to do."""
SWEEP_SECONDS = 1.0
"""How long whoever waits for nobody else waits for the server to clear away what was erased."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerGrounds:
    """What the premises of one store consist of.

    `swept` tells whether the server has cleared away everything that was erased up to a seq, and has it begin where not, waiting
    up to so many seconds for that;
    `folders` are the indexes on this machine, `elsewhere` those of others, `further` what else there is. `tell` says to the
    others that this process's own are clean by now, and whether that could be said.
    """

    swept: Callable[[int, float], bool]
    folders: IndexFolders
    elsewhere: Callable[[int], Elsewhere]
    further: Callable[[int], Sequence[Place]]
    tell: Callable[[], bool]


class ServerPremises:
    """Premises on a server (see Premises). Safe for threads; times and pauses are those of FolderPremises."""

    def __init__(
        self, grounds: ServerGrounds, patience: float, monotonic: Callable[[], float], pause: Callable[[float], None]
    ) -> None:
        self._grounds = grounds
        self._patience = patience
        self._monotonic = monotonic
        self._pause = pause
        self._turn = threading.Lock()
        self._told = 0

    def purge(self, seq: int) -> Sequence[Place]:
        """See Premises; whoever has ended, or has not been heard of for some minutes, is not waited for."""
        deadline = self._monotonic() + self._patience
        while True:
            places, awaited = self._look(seq, 0.0)
            if not awaited or self._monotonic() >= deadline:
                return places
            self._pause(LOOK_SECONDS)

    def tidy(self, seq: int) -> Sequence[Place]:
        """See Premises."""
        return self._look(seq, SWEEP_SECONDS)[0]

    def settle(self, seq: int) -> bool:
        """See Premises: other hosts see to their own, and one that has ended may not be back for days."""
        return not pending(self._here(seq, SWEEP_SECONDS))

    def _look(self, seq: int, patience: float) -> tuple[Sequence[Place], bool]:
        """Return every place, and whether one of them is about to be purged by somebody who lives."""
        here, others = self._here(seq, patience), self._grounds.elsewhere(seq)
        places = (here[0], _SERVER, *here[1:], *others.places, Place(IDLE, PlaceState.PURGED), *OUTSIDE)
        return places, pending(here) or others.awaited

    def _here(self, seq: int, patience: float) -> Sequence[Place]:
        """Purge what can be purged from this host, and return the places of that, the truth's rows first."""
        grounds, rows = self._grounds, self._rows(seq, patience)
        with self._turn:
            own = list(grounds.folders.own(seq))
            if self._told < seq and not pending(own) and grounds.tell():
                self._told = seq
            return [rows, *own, *grounds.folders.others(seq), *grounds.further(seq)]

    def _rows(self, seq: int, patience: float) -> Place:
        """The rows are empty by the very transaction that forgot; versions of them from before are cleared away afterwards."""
        if self._grounds.swept(seq, patience):
            return Place(TRUTH, PlaceState.PURGED)
        return Place(TRUTH, PlaceState.PENDING, _UNSWEPT)


_UNSWEPT = (
    "its rows are empty; earlier versions of them are cleared away once no snapshot needs them, "
    "or when the server vacuums where this program's user may not"
)
_SERVER = Place(
    DATABASE_SERVER,
    PlaceState.OUTSIDE,
    "the free room of its files, its write-ahead log, standbys and base backups keep it until they are written over or made anew",
)
