"""Replicas in slots: what the composition root does with a slot, for tests of what lies in it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from recordance_adapters.driven.replica_slots import Slot, adopt_slot
from recordance_adapters.driven.tantivy_terms import open_terms
from recordance_adapters.driven.tantivy_terms.replica import TantivyReplica

STORE = "store-of-tests"


@contextmanager
def adopted_slot(folder: Path, now: float = 0.0) -> Iterator[Slot]:
    """The lowest free slot below a folder, released at the end."""
    slot = adopt_slot(folder, now)
    try:
        yield slot
    finally:
        slot.release()


@contextmanager
def adopted_terms(folder: Path, store: str = STORE, now: float = 0.0) -> Iterator[TantivyReplica]:
    """The term replica of the lowest free slot below a folder, closed and its slot released at the end."""
    with adopted_slot(folder, now) as slot, closing(terms_in(slot, store)) as replica:
        yield replica


def terms_in(slot: Slot, store: str = STORE) -> TantivyReplica:
    """The term replica of a slot."""
    return open_terms(slot.path, store, [other.path for other in slot.others()])


def left_of(slot: Slot) -> list[str]:
    """The names of the slots beside one that stay when its process removes every idle one."""
    return sorted(other.path.name for other in slot.others() if not other.remove())
