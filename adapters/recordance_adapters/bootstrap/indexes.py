"""The indexes of one process, in a slot of this machine's folder."""

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from recordance.domain.embedding import DEFAULT_SPACE
from recordance.errors import Fault, StoreUnusable
from recordance.ports.terms import TermReplica
from recordance.ports.vectors import VectorReplica
from recordance.usecases.vector_follow import VectorFollower

if TYPE_CHECKING:
    from recordance_adapters.driven.replica_slots import Slot
    from recordance_adapters.driven.sql_truth.truth import SqlTruth


def adopt(folder: Path) -> "Slot":
    """Return the folder for the indexes of this process, which holds it until it releases it."""
    from recordance_adapters.driven.replica_slots import adopt_slot

    return adopt_slot(folder, time.time())


def open_terms(slot: "Slot | None", store: str) -> TermReplica:
    """Return the term index of this process; in memory where no folder can hold it: one elsewhere would outlive the store."""
    from recordance_adapters.driven import tantivy_terms
    from recordance_adapters.driven.in_memory.terms import MemoryReplica

    if slot is None:
        return MemoryReplica()
    try:
        return tantivy_terms.open_terms(slot.path, store, [other.path for other in slot.others()])
    except OSError as problem:
        lesson = "the folder of the term index cannot be used: see who owns what lies in it, and that its disk has room"
        raise StoreUnusable(f"{lesson} ({problem})", lesson=lesson) from problem


def follow_vectors(truth: "SqlTruth", slot: "Slot | None", store: str) -> VectorFollower:
    """Return the follower of this process's own index of vectors."""
    return VectorFollower(truth, DEFAULT_SPACE, partial(_open_vectors, slot, store), time.monotonic)


def _open_vectors(slot: "Slot | None", store: str) -> VectorReplica:
    """Return the vector index of this process, in memory where no folder can hold it; it loads the engine."""
    if slot is None:
        from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica

        return MemoryVectorReplica()
    try:
        from recordance_adapters.driven.qdrant_vectors.opening import open_vectors

        return open_vectors(slot.path, store, slot.others())
    except (ImportError, OSError) as problem:  # recalls go on without an index, and compare every vector
        raise Fault(f"the vector index cannot be opened: {problem}") from problem
