"""Where in a slot the index of each space lies: that of the callers' vectors in the slot itself, an embedder's below it (W4)."""

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from recordance.usecases.history import Follows
from recordance_adapters.driven.qdrant_vectors.sidecar import settled_in

SPACES = "spaces"
"""The folder of the further spaces within a slot; each has a folder there that looks as a slot does."""


class Neighbour(Protocol):
    """The folder of a slot that is not this process's own."""

    @property
    def path(self) -> Path:
        """The folder."""
        ...

    def held(self) -> AbstractContextManager[bool]:
        """Hold the slot as long as this lasts; False if another process does."""
        ...


@dataclass(frozen=True, slots=True)
class SpaceBeside:
    """The folder of a space in another slot."""

    slot: Neighbour
    path: Path

    def held(self) -> AbstractContextManager[bool]:
        """Hold the whole slot as long as this lasts; False if another process does."""
        return self.slot.held()


def folder_of_space(slot: Path, space: str) -> Path:
    """Return the folder of a further space in a slot."""
    return slot / SPACES / hashlib.sha256(space.encode()).hexdigest()[:16]


def folders_of_spaces(slot: Path) -> Sequence[Path]:
    """Return the folders of the further spaces that a slot holds."""
    try:
        return sorted((slot / SPACES).iterdir())
    except OSError:
        return ()


def beside_in(slots: Iterable[Neighbour], space: str) -> Sequence[SpaceBeside]:
    """Return where other slots may hold the same space."""
    return [SpaceBeside(slot, folder_of_space(slot.path, space)) for slot in slots]


def all_settled_in(slot: Path, store: str, follows: Follows) -> int | None:
    """Return up to which seq every index of vectors in a slot is settled (see settled_in)."""
    found = [settled_in(folder, store, follows) for folder in (slot, *folders_of_spaces(slot))]
    return min((seq for seq in found if seq is not None), default=None)
