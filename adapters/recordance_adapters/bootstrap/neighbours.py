"""Those who follow the same truth on a server: this process as it tells them of itself, and what they tell (W6)."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recordance.domain.place import TERM_INDEX, VECTOR_INDEX
from recordance.ports.housing import FollowerSeen
from recordance_adapters.driven.replica_slots import OtherSlot, Slot
from recordance_adapters.driven.replica_slots.identity import folder_name, known_name, name_of
from recordance_adapters.driven.sql_truth.acknowledging import Acknowledgement
from recordance_adapters.driven.system.clock import SystemClock
from recordance_adapters.driven.system.index_folders import CleanUpTo
from recordance_adapters.driven.system.other_hosts import GIVEN_UP, Elsewhere, elsewhere, short_name
from recordance_adapters.driven.system.presence import Presence, Stay

if TYPE_CHECKING:
    from recordance_adapters.driven.sql_truth.truth import SqlTruth


class Neighbours:
    """Who follows one truth beside this process, in its folder and elsewhere. Safe for threads.

    `indexes` tells of each index in a slot up to where it is clean, None where there is none.
    """

    def __init__(self, truth: "SqlTruth", slot: Slot, indexes: Mapping[str, CleanUpTo]) -> None:
        self._truth = truth
        self._now = SystemClock().now  # never a clock that stands still: others judge by it whether we live
        self.slot = slot
        self.indexes = indexes
        self.name = name_of(slot.path)
        self.folder = folder_name(slot.path.parent)
        self.presence = Presence(self._say)

    def beside(self) -> Sequence["Beside"]:
        """Return the other slots of this folder."""
        return [Beside(self._truth, slot) for slot in self.slot.others()]

    def elsewhere(self, seq: int) -> Elsewhere:
        """Return the indexes of other folders for what was forgotten up to a journal seq."""
        said = [each for each in self._truth.acknowledgements() if not self._is_here(each)]
        return elsewhere(said, seq, self._now())

    def seen(self) -> Sequence[FollowerSeen]:
        """Return who follows the truth, this process included, by what each said last."""
        now = self._now()
        return [
            FollowerSeen(
                name=short_name(each.id),
                host=each.host,
                slot=each.slot,
                seen_at=each.seen_at,
                silence=now - each.seen_at,
                left_at=each.left_at,
                ours=each.id == self.name,
            )
            for each in self._truth.acknowledgements()
        ]

    def tidy(self) -> None:
        """Take away what was said of slots of this folder that are gone, and by those who were silent for a month."""
        said, oldest = self._truth.acknowledgements(), self._now() - GIVEN_UP
        here = {known_name(path) for path in (self.slot.path, *(slot.path for slot in self.slot.others()))}
        for each in said:
            if each.seen_at < oldest or (self._is_here(each) and each.id not in here):
                self._truth.dismiss(each.id)

    def _is_here(self, said: Acknowledgement) -> bool:
        return said.id.partition(".")[0] == self.folder

    def _say(self, stay: Stay) -> None:
        if self._truth.obstacle is not None:
            return
        with self._truth.reading() as reader:
            head = reader.head()  # first: an index that comes to be after this has nothing that was forgotten before
        clean = {name: clean_up_to(self.slot.path) for name, clean_up_to in self.indexes.items()}
        now = self._now()
        said = Acknowledgement(
            id=self.name,
            host=platform.node() or "unknown",
            slot=int(self.slot.path.name),
            seen_at=now,
            clean_terms=_or_head(clean[TERM_INDEX], head),
            clean_vectors=_or_head(clean[VECTOR_INDEX], head),
            left_at=now if stay is Stay.ENDS else None,
        )
        self._truth.acknowledge(said)


@dataclass(frozen=True, slots=True)
class Beside:
    """Another slot of the same folder; what its process said goes with it."""

    truth: "SqlTruth"
    slot: OtherSlot

    @property
    def path(self) -> Path:
        """Its folder."""
        return self.slot.path

    def remove(self) -> bool:
        """Remove it unless a process holds it; return whether it is gone."""
        name = known_name(self.slot.path)
        removed = self.slot.remove()
        if removed and name is not None:
            self.truth.dismiss(name)
        return removed


def _or_head(clean: int | None, head: int) -> int:
    return head if clean is None else clean
