"""The replica that a slot starts with: the one that lies there, else a copy of another slot's, else an empty one."""

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

from recordance.errors import ReplicaDamaged
from recordance_adapters.driven.tantivy_terms.replica import TantivyReplica, empty_replica, open_replica
from recordance_adapters.driven.tantivy_terms.seeding import copy_replica
from recordance_adapters.driven.tantivy_terms.sidecar import FILE, read_position

_log = logging.getLogger(__name__)


def open_terms(slot: Path, store: str, others: Iterable[Path], text: str = "") -> TantivyReplica:
    """Return the term replica in the folder `slot`, which this process holds until it has closed the replica.

    A slot without a sound replica of the store named `store` starts as a copy of the freshest that `others`, which may be in
    use, have, else empty. `text` names the text services: a replica that was built with others is none of this store's.
    """
    try:
        return open_replica(slot, store, text)
    except ReplicaDamaged as damage:
        _log.info("replica %s starts anew: %s", slot.name, damage)
    for source in _freshest_first(others, store, text):
        try:
            copy_replica(source, slot, store, text)
            return open_replica(slot, store, text)
        except (ReplicaDamaged, OSError) as failure:
            _log.info("replica %s cannot start as a copy of %s: %s", slot.name, source.name, failure)
    return empty_replica(slot, store, text)


def positions_in(folder: Path) -> Sequence[Path]:
    """Return the positions of replicas below `folder`; a replica has one only once there is a truth."""
    return sorted(folder.glob(f"*/{FILE}"))


def _freshest_first(others: Iterable[Path], store: str, text: str) -> list[Path]:
    """Return the slots with a replica of this store, the one that has applied most first."""
    positions = [(position.seq, other) for other in others if (position := read_position(other, store, text)) is not None]
    return [other for seq, other in sorted(positions, reverse=True) if seq > 0]
