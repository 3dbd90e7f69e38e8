"""The indexes of one process, in a slot of this machine's folder, or the one that it shares on a server."""

import hashlib
import secrets
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from recordance.domain.embedding import DEFAULT_SPACE
from recordance.errors import Fault, StoreUnusable
from recordance.ports.shared_vectors import SharedVectorIndex
from recordance.ports.terms import TermReplica
from recordance.ports.vectors import VectorReplica
from recordance.usecases.shared_vector_follow import SharedVectorFollower
from recordance.usecases.vector_follow import VectorFollower
from recordance.usecases.vector_view import FollowedVectors
from recordance_adapters.bootstrap.truths import secret_in
from recordance_adapters.sections import DestinationSettings, QdrantSettings

if TYPE_CHECKING:
    from recordance_adapters.driven.replica_slots import OtherSlot, Slot
    from recordance_adapters.driven.sql_truth.dialect import Duty
    from recordance_adapters.driven.sql_truth.truth import SqlTruth


def adopt(folder: Path, store: str, text: str) -> "Slot":
    """Return the folder for the indexes of this process, which holds it until it releases it.

    Those that processes with other text services have built stay theirs: else each would build them anew, start by start.
    """
    from recordance_adapters.driven.replica_slots import adopt_slot
    from recordance_adapters.driven.tantivy_terms import serves_others

    return adopt_slot(folder, time.time(), lambda slot: serves_others(slot, store, text))


def served_otherwise(slot: "Slot | None", store: str, text: str) -> int:
    """Return how many processes hold a slot beside this one whose index has other text services."""
    from recordance_adapters.driven.tantivy_terms import serves_others

    others = [] if slot is None else [each for each in slot.others() if serves_others(each.path, store, text)]
    return sum(_is_held(each) for each in others)


def _is_held(slot: "OtherSlot") -> bool:
    with slot.held() as ours:
        return not ours


def open_terms(slot: "Slot | None", store: str, text: str) -> TermReplica:
    """Return the term index of this process; in memory where no folder can hold it: one elsewhere would outlive the store."""
    from recordance_adapters.driven import tantivy_terms
    from recordance_adapters.driven.in_memory.terms import MemoryReplica

    if slot is None:
        return MemoryReplica()
    try:
        return tantivy_terms.open_terms(slot.path, store, [other.path for other in slot.others()], text)
    except OSError as problem:
        lesson = "the folder of the term index cannot be used: see who owns what lies in it, and that its disk has room"
        raise StoreUnusable(f"{lesson} ({problem})", lesson=lesson) from problem


def follow_vectors(
    place: DestinationSettings, truth: "SqlTruth", slot: "Slot | None", store: str, space: str = DEFAULT_SPACE
) -> FollowedVectors:
    """Return the follower of this process's own index of a space, or of the one on a server that all share.

    Raises StoreUnusable where the server has something else under the name of the index.
    """
    if place.vectors is None:
        return VectorFollower(truth, space, partial(_open_vectors, slot, store, space), time.monotonic)
    opening = partial(_open_collection, place.vectors, place.qdrant, store, space)
    duty = partial(on_duty, truth.duty(_named("vector index", space)))
    follower = SharedVectorFollower(truth, space, opening, duty, partial(secrets.token_hex, 16), time.monotonic)
    follower.prove()
    return follower


def leave_unfollowed(place: DestinationSettings, slot: "Slot | None", spaces: Collection[str]) -> None:
    """Remove what a slot holds of spaces that are followed no more, or on a server now: nothing would purge it any more."""
    if slot is None:
        return
    from recordance_adapters.driven.qdrant_vectors.sidecar import remove_vectors
    from recordance_adapters.driven.qdrant_vectors.spaces import folder_of_space, folders_of_spaces

    kept = set[Path]() if place.vectors is not None else {folder_of_space(slot.path, space) for space in spaces}
    if place.vectors is not None:
        remove_vectors(slot.path)
    for folder in folders_of_spaces(slot.path):
        if folder not in kept:
            shutil.rmtree(folder)


def _named(base: str, space: str) -> str:
    """Return what belongs to a space, by its digest where it is not the callers'."""
    return base if space == DEFAULT_SPACE else f"{base}-{hashlib.sha256(space.encode()).hexdigest()[:16]}"


@contextmanager
def on_duty(duty: "Duty") -> Iterator[bool]:
    """Have the duty for one catch-up, where nobody else has it."""
    try:
        yield duty.held()
    finally:
        duty.release()


def _open_collection(url: str, given: QdrantSettings, store: str, space: str) -> SharedVectorIndex:
    """Return the index on a server, which is not asked yet; it loads the client, which takes a second."""
    from recordance_adapters.driven.qdrant_vectors.remote import RemoteVectors, open_collection

    key = given.api_key if given.api_key_file is None else secret_in(given.api_key_file, "key of the Qdrant server")
    remote = RemoteVectors(
        url=url,
        collection=_named(given.collection or f"recordance-{store}", space),
        api_key=key,
        grpc=given.grpc,
        grpc_port=given.grpc_port,
        ca_file=given.ca_file,
        timeout=given.timeout_ms / 1_000,
        batch=given.batch,
        shard_number=given.shard_number,
        replication_factor=given.replication_factor,
    )
    return open_collection(remote, store)


def _open_vectors(slot: "Slot | None", store: str, space: str) -> VectorReplica:
    """Return the vector index of this process, in memory where no folder can hold it; it loads the engine."""
    if slot is None:
        from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica

        return MemoryVectorReplica()
    try:
        from recordance_adapters.driven.qdrant_vectors.opening import open_vectors
        from recordance_adapters.driven.qdrant_vectors.spaces import beside_in, folder_of_space

        if space == DEFAULT_SPACE:
            return open_vectors(slot.path, store, slot.others())
        folder = folder_of_space(slot.path, space)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return open_vectors(folder, store, beside_in(slot.others(), space))
    except (ImportError, OSError) as problem:  # recalls go on without an index, and compare every vector
        raise Fault(f"the vector index cannot be opened: {problem}") from problem
