"""The premises of a store: everything that may hold bytes of what was forgotten."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recordance.domain.place import TERM_INDEX, VECTOR_COLLECTION, VECTOR_INDEX, VECTOR_SERVER, Place, PlaceState
from recordance.ports.premises import Premises
from recordance.usecases.history import lies_in
from recordance.usecases.vector_view import FollowedVectors
from recordance_adapters.driven.system.index_folders import CleanUpTo, IndexFolders
from recordance_adapters.driven.system.premises import ClosedPremises, FolderPremises, Grounds, nothing_further
from recordance_adapters.settings import Settings

if TYPE_CHECKING:
    from recordance_adapters.bootstrap.neighbours import Neighbours
    from recordance_adapters.driven.replica_slots import Slot
    from recordance_adapters.driven.sql_truth.truth import SqlTruth

Further = Callable[[int], Sequence[Place]]
"""What else may hold bytes of what was forgotten up to a journal seq."""


def folder_premises(
    settings: Settings, truth: "SqlTruth", slot: "Slot | None", store: str, further: Further = nothing_further
) -> Premises:
    """Return what of the store's folder may hold bytes of what was forgotten."""
    if slot is None:
        return ClosedPremises()

    def erase_backups() -> Sequence[str]:
        with truth.reading() as reader:
            forgotten = reader.forgotten_after(0)
        return truth.erase_in_backups([each.number for each in forgotten])

    grounds = Grounds(
        rewrite=truth.rewrite,
        truncate_log=truth.truncate_log,
        erase_backups=erase_backups,
        slot=slot.path,
        others=slot.others,
        indexes=cleanness(truth, store),
        further=further,
    )
    return FolderPremises(grounds, settings.forget.deadline_ms / 1_000, time.monotonic, time.sleep)


def server_premises(
    settings: Settings, truth: "SqlTruth", neighbours: "Neighbours", further: Further = nothing_further
) -> Premises:
    """Return what of a store on a database server may hold bytes of what was forgotten."""
    from recordance_adapters.driven.system.server_premises import ServerGrounds, ServerPremises
    from recordance_adapters.driven.system.sweeping import Sweeper

    sweeper = Sweeper(lambda: truth.obstacle is None and bool(truth.vacuum()), time.monotonic)
    grounds = ServerGrounds(
        swept=sweeper.swept,
        folders=IndexFolders(neighbours.slot.path, neighbours.beside, neighbours.indexes),
        elsewhere=neighbours.elsewhere,
        further=further,
        tell=neighbours.presence.tell,
    )
    return ServerPremises(grounds, settings.forget.deadline_ms / 1_000, time.monotonic, time.sleep)


def cleanness(truth: "SqlTruth", store: str) -> Mapping[str, CleanUpTo]:
    """Return what tells of each index in a slot up to where it is clean."""
    from recordance_adapters.driven.qdrant_vectors.spaces import all_settled_in
    from recordance_adapters.driven.tantivy_terms import clean_in

    def follows(seq: int, mark: str) -> bool:
        with truth.reading() as reader:
            return lies_in(reader, seq, mark)

    def clean_terms(path: Path) -> int:
        return clean_in(path, store, follows)

    def clean_vectors(path: Path) -> int | None:
        return all_settled_in(path, store, follows)

    return {TERM_INDEX: clean_terms, VECTOR_INDEX: clean_vectors}


def in_collection(followed: Sequence[FollowedVectors]) -> Further:
    """Return the places of vectors in a collection of a server: its points, and what that server keeps of those that are gone."""

    def further(seq: int) -> Sequence[Place]:
        dropped = all(vectors.status().applied >= seq for vectors in followed)
        note = "the process that writes it has yet to drop the vector, or its server does not answer"
        points = Place(VECTOR_COLLECTION, PlaceState.PURGED) if dropped else Place(VECTOR_COLLECTION, PlaceState.PENDING, note)
        return (points, _VECTOR_SERVER)

    return further


_VECTOR_SERVER = Place(
    VECTOR_SERVER,
    PlaceState.OUTSIDE,
    "its segments keep a vector that was dropped until its optimizer rewrites them; its log and its snapshots may, too",
)
