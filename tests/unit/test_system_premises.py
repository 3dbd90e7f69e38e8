"""The premises of a store in a folder: which places there are, who is waited for, and for how long (W6, decision 11)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from recordance.domain.place import BACKUPS, IDLE, LOG, TERM_INDEX, TRUTH, VECTOR_INDEX, Place, PlaceState
from recordance.errors import Fault, StoreUnusable
from recordance.ports.premises import Premises
from recordance_adapters.driven.in_memory.premises import MemoryPremises
from recordance_adapters.driven.system.premises import ClosedPremises, FolderPremises, Grounds

PATIENCE = 5.0


@dataclass
class Slot:
    """A slot of another process, which may be gone; `held` says whether it still runs."""

    path: Path
    held: bool = True
    removed: bool = False

    def remove(self) -> bool:
        self.removed = not self.held
        return self.removed


@dataclass
class House:
    """A store's places as a test wants them, and a clock that only waiting moves; `meanwhile` happens at each wait."""

    readers: int = 0
    writers: int = 0
    clean: dict[str, int | None] = field(default_factory=lambda: {"0/terms": 9})
    slots: list[Slot] = field(default_factory=list)
    backups: list[str] = field(default_factory=list)
    meanwhile: Callable[[], None] = lambda: None
    now: float = 0.0
    rewritten: int = 0
    truncated: int = 0
    erasures: int = 0

    def premises(self) -> Premises:
        grounds = Grounds(
            rewrite=self._rewrite,
            truncate_log=self._truncate,
            erase_backups=self._erase,
            slot=Path("0"),
            others=lambda: [slot for slot in self.slots if not slot.removed],
            indexes={TERM_INDEX: self._terms, VECTOR_INDEX: self._vectors},
        )
        return FolderPremises(grounds, PATIENCE, lambda: self.now, self._pause)

    def _rewrite(self, seq: int) -> bool:
        self.rewritten += 1
        return not self.writers

    def _truncate(self, patience: float) -> bool:
        assert patience == 0.0, "others would wait for the log as long as somebody waits for its readers"
        self.truncated += 1
        return not self.readers

    def _erase(self) -> Sequence[str]:
        self.erasures += 1
        return self.backups

    def _terms(self, slot: Path) -> int | None:
        return self.clean.get(f"{slot.name}/terms", 0)

    def _vectors(self, slot: Path) -> int | None:
        return self.clean.get(f"{slot.name}/vectors")

    def _pause(self, seconds: float) -> None:
        self.now += seconds
        self.meanwhile()


def pending(places: Sequence[Place]) -> list[str]:
    return [place.name for place in places if place.state is PlaceState.PENDING]


def test_a_store_with_one_process_has_the_places_of_one_in_memory() -> None:
    """O11: the same forget is answered alike wherever the store is kept; what a store does not have holds nothing."""
    alone = House().premises().purge(9)
    assert alone == MemoryPremises().purge(9)
    assert [place.name for place in alone if place.state is PlaceState.PURGED] == [
        TRUTH, LOG, TERM_INDEX, VECTOR_INDEX, IDLE, BACKUPS,
    ]  # fmt: skip
    assert all(place.note for place in alone if place.state is PlaceState.OUTSIDE)
    assert MemoryPremises().tidy(9) == alone


def test_what_lies_outside_is_said_each_time() -> None:
    """W6: a receipt that names only what was purged would promise too much."""
    outside = [place.name for place in House().premises().purge(9) if place.state is PlaceState.OUTSIDE]
    assert outside == ["exports", "copies made by others"]


def test_each_index_of_each_process_is_a_place_of_its_own() -> None:
    """W6: whoever reads the receipt sees which replica is late, by its number."""
    house = House(slots=[Slot(Path("10")), Slot(Path("2"))])
    house.clean |= {"0/vectors": 9, "2/terms": 9, "2/vectors": 8, "10/terms": 9}
    places = house.premises().purge(9)
    assert [place.name for place in places][1:7] == [
        LOG, "term index", "vector index", "replica 2, term index", "replica 2, vector index", "replica 10, term index",
    ]  # fmt: skip
    assert pending(places) == ["replica 2, vector index"]


@pytest.mark.parametrize(
    ("late", "name"),
    [("0/terms", "term index"), ("0/vectors", "vector index"), ("1/terms", "replica 1, term index")],
)
def test_an_index_that_is_late_is_waited_for_until_it_is_clean(late: str, name: str) -> None:
    """W6: the call answers as soon as the last process has purged; this one's own index is written in the background as well."""
    house = House(slots=[Slot(Path("1"))])
    house.clean |= {"1/terms": 9, late: 8}
    premises = house.premises()
    assert pending(premises.purge(9)) == [name]
    assert house.now == pytest.approx(PATIENCE, abs=0.1)

    def purge() -> None:
        house.clean[late] = 9

    house.now, house.meanwhile = 0.0, purge
    assert pending(premises.purge(9)) == []
    assert 0.0 < house.now < 0.1


def test_an_index_that_nobody_vouches_for_is_not_clean() -> None:
    """W6: a process that has just begun, or one of another version, may hold anything."""
    assert pending(House(slots=[Slot(Path("1"))]).premises().purge(9)) == ["replica 1, term index"]


def test_a_slot_without_a_process_is_removed_unless_it_is_clean() -> None:
    """W6: nobody would ever purge it; one without any of it stays, for whoever comes next to start with."""
    dirty, clean = Slot(Path("1"), held=False), Slot(Path("2"), held=False)
    house = House(slots=[dirty, clean], clean={"0/terms": 9, "1/terms": 8, "2/terms": 9})
    assert pending(house.premises().purge(9)) == []
    assert (dirty.removed, clean.removed) == (True, False)


def test_a_process_that_ends_while_it_is_waited_for_leaves_an_idle_slot() -> None:
    """W6: its slot is removed then; nobody waits for the dead."""
    slot = Slot(Path("1"))

    def end() -> None:
        slot.held = False

    house = House(slots=[slot], meanwhile=end)
    assert pending(house.premises().purge(9)) == []
    assert slot.removed


def test_a_slot_that_comes_to_be_while_others_are_looked_at_is_looked_at_too() -> None:
    """W6: it may have begun as a copy of one that was not clean yet."""
    house = House(slots=[Slot(Path("1"))], clean={"0/terms": 9})

    def terms(slot: Path) -> int:
        if slot.name == "1" and len(house.slots) == 1:
            house.slots.append(Slot(Path("2")))
        return 9 if slot.name == "1" else 8

    grounds = Grounds(
        rewrite=lambda _: True,
        truncate_log=lambda _: True,
        erase_backups=list,
        slot=Path("0"),
        others=lambda: list(house.slots),
        indexes={"term index": lambda slot: 9 if slot.name == "0" else terms(slot)},
    )
    tidied = FolderPremises(grounds, PATIENCE, lambda: 0.0, lambda _: None).tidy(9)
    assert pending(tidied) == ["replica 2, term index"]


def test_a_reader_that_holds_the_log_is_waited_for() -> None:
    """W6: SQLite empties its log only when nobody reads from it; a long reading leaves the log pending."""
    house = House(readers=1)
    premises = house.premises()
    assert pending(premises.purge(9)) == [LOG]
    assert house.now >= PATIENCE

    def end() -> None:
        house.readers = 0

    house.meanwhile = end
    assert pending(premises.purge(9)) == []


def test_a_file_that_could_not_be_written_anew_leaves_its_log_pending_as_well() -> None:
    """W6: what lies between the rows of a page comes into the log with the page; an empty log would not stay so."""
    house = House(writers=1)
    premises = house.premises()
    assert pending(premises.tidy(9)) == [TRUTH, LOG]
    assert house.truncated == 1, "most of what was forgotten leaves it even so"
    house.writers = 0
    assert pending(premises.tidy(9)) == []


def test_a_log_that_was_emptied_since_is_not_emptied_again() -> None:
    """Decision 11: what is written after it is no longer what was forgotten; asking about a receipt costs the store nothing.

    The same holds for the file of the truth.
    """
    house = House()
    premises = house.premises()
    for _ in range(3):
        premises.purge(9)
    premises.purge(7)
    assert (house.rewritten, house.truncated, house.erasures) == (1, 1, 1)
    house.clean["0/terms"] = 10
    premises.purge(10)
    assert (house.rewritten, house.truncated, house.erasures) == (2, 2, 2)


def test_backups_that_could_not_be_erased_are_named() -> None:
    """W6: they are ours, so that they are purged too, or said to be pending."""
    house = House(backups=["truth.sqlite.format-0001"])
    premises = house.premises()
    (place,) = (place for place in premises.purge(9) if place.name == BACKUPS)
    assert place.state is PlaceState.PENDING
    assert "format-0001" in str(place.note)
    house.backups.clear()
    assert pending(premises.purge(9)) == []


def test_to_tidy_waits_for_nobody_and_says_what_is_left() -> None:
    """Decision 11: the background comes again by itself, also for a slot whose process may end without having purged it."""
    slot = Slot(Path("1"))
    house = House(readers=1, slots=[slot], clean={"0/terms": 9, "1/terms": 8})
    premises = house.premises()
    assert pending(premises.tidy(9)) == [LOG, "replica 1, term index"]
    house.readers = 0
    assert pending(premises.tidy(9)) == ["replica 1, term index"]
    slot.held = False
    assert pending(premises.tidy(9)) == []
    assert (slot.removed, house.now) == (True, 0.0)


@pytest.mark.parametrize("failure", [OSError("the disk is gone"), Fault("broken"), StoreUnusable("gone")])
def test_a_place_that_fails_is_pending_and_the_others_are_purged_all_the_same(failure: Exception) -> None:
    """W6: the capsule is forgotten by then; an error would only hide which places are done."""

    def fails(*_: object) -> bool:
        raise failure

    class Stuck(Slot):
        def remove(self) -> bool:
            return fails()

    house = House(clean={"0/terms": 9})
    grounds = Grounds(
        rewrite=fails,
        truncate_log=fails,
        erase_backups=fails,  # type: ignore[arg-type] # it never returns
        slot=Path("0"),
        others=lambda: [Stuck(Path("1"))],
        indexes={"term index": house._terms},
    )
    places = FolderPremises(grounds, 0.0, lambda: 0.0, lambda _: None).purge(9)
    assert pending(places) == [TRUTH, LOG, "replica 1, term index", BACKUPS]


def test_where_nothing_may_be_written_nothing_is_said_to_be_purged() -> None:
    """W6: whoever looks at a store on a disk that may only be read cannot tell what its owner has done since."""
    places = ClosedPremises().tidy(9)
    assert pending(places) == [TRUTH, LOG, TERM_INDEX, VECTOR_INDEX, IDLE, BACKUPS]
    assert places == ClosedPremises().purge(9)
