"""The replica that a slot starts with: the one that lies there, else a copy of an idle slot's, else an empty one."""

import logging
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from recordance.errors import Fault, ReplicaDamaged
from recordance_adapters.driven.qdrant_vectors.replica import EdgeReplica, empty_replica, open_replica
from recordance_adapters.driven.qdrant_vectors.room import Room, free_bytes
from recordance_adapters.driven.qdrant_vectors.seeding import copy_replica
from recordance_adapters.driven.qdrant_vectors.sidecar import read_position

_log = logging.getLogger(__name__)


class Neighbour(Protocol):
    """The folder of a slot that is not this process's own."""

    @property
    def path(self) -> Path:
        """The folder."""
        ...

    def held(self) -> AbstractContextManager[bool]:
        """Hold the slot as long as this lasts; False if another process does."""
        ...


def open_vectors(slot: Path, store: str, others: Iterable[Neighbour], room: Room = free_bytes) -> EdgeReplica:
    """Return the vector replica in the folder `slot`, which this process holds until it has closed the replica.

    A slot without a sound replica of the store named `store` starts as a copy of the freshest that an idle one of `others` has,
    else empty and of no dimension. `room` tells what the disk has left; the replica stops writing before that is nothing. Loads
    the engine. Raises Fault if what lies in the slot can be neither used nor removed.
    """
    try:
        return open_replica(slot, store, room)
    except ReplicaDamaged as damage:
        _log.info("the vectors in slot %s start anew: %s", slot.name, damage)
    for source in _freshest_first(others, store):
        with source.held() as idle:
            if not idle:
                continue
            try:
                copy_replica(source.path, slot, store)
                return open_replica(slot, store, room)
            except (Fault, OSError) as failure:
                _log.info("the vectors in slot %s cannot start as a copy of %s: %s", slot.name, source.path.name, failure)
    return empty_replica(slot, store, room)


def _freshest_first(others: Iterable[Neighbour], store: str) -> list[Neighbour]:
    """Return the slots with a replica of this store, the one that has applied most first."""
    positions = [(position.seq, other) for other in others if (position := read_position(other.path, store)) is not None]
    return [other for seq, other in sorted(positions, key=lambda each: each[0], reverse=True) if seq > 0]
