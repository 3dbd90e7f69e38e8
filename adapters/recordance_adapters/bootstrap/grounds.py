"""The premises of a store: everything that may hold bytes of what was forgotten."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from recordance.domain.place import TERM_INDEX, VECTOR_INDEX
from recordance.ports.premises import Premises
from recordance.usecases.history import lies_in
from recordance_adapters.driven.system.premises import ClosedPremises, FolderPremises, Grounds
from recordance_adapters.settings import Settings

if TYPE_CHECKING:
    from recordance_adapters.driven.replica_slots import Slot
    from recordance_adapters.driven.sql_truth.truth import SqlTruth


def folder_premises(settings: Settings, truth: "SqlTruth", slot: "Slot | None", store: str) -> Premises:
    """Return what of the store's folder may hold bytes of what was forgotten."""
    from recordance_adapters.driven.qdrant_vectors.sidecar import settled_in
    from recordance_adapters.driven.tantivy_terms import clean_in

    if slot is None:
        return ClosedPremises()

    def erase_backups() -> Sequence[str]:
        with truth.reading() as reader:
            forgotten = reader.forgotten_after(0)
        return truth.erase_in_backups([each.number for each in forgotten])

    def follows(seq: int, mark: str) -> bool:
        with truth.reading() as reader:
            return lies_in(reader, seq, mark)

    grounds = Grounds(
        rewrite=truth.rewrite,
        truncate_log=truth.truncate_log,
        erase_backups=erase_backups,
        slot=slot.path,
        others=slot.others,
        indexes={
            TERM_INDEX: lambda path: clean_in(path, store, follows),
            VECTOR_INDEX: lambda path: settled_in(path, store, follows),
        },
    )
    return FolderPremises(grounds, settings.forget.deadline_ms / 1_000, time.monotonic, time.sleep)
