"""A new replica as a copy of another, which may be in use: by hard links where the file system has them.

The engine never changes a file of a segment once written, and replaces its list of segments whole. So the list is read first,
then its files are taken; if one of them is gone by then, the other process has merged it away, and the next list names another.
"""

import json
import os
import shutil
from pathlib import Path

from recordance.errors import ReplicaDamaged
from recordance_adapters.driven.tantivy_terms.integrity import META, segment_files
from recordance_adapters.driven.tantivy_terms.replica import INDEX
from recordance_adapters.driven.tantivy_terms.sidecar import forget_position, read_position, write_position

_TRIES = 5
_MANAGED = ".managed.json"


def copy_replica(source: Path, slot: Path, store: str, text: str = "") -> None:
    """Make `slot` a copy of the replica in `source`, with a position that its data surely holds.

    Raises ReplicaDamaged if there is no position of this store, or if the source was emptied meanwhile; OSError if the files
    kept vanishing or cannot be written.
    """
    position = read_position(source, store, text)  # before the data, which may only be further on
    if position is None:
        raise ReplicaDamaged(f"slot {source.name} has no position of this store")
    forget_position(slot)
    for last in range(_TRIES - 1, -1, -1):
        try:
            _copy_index(source / INDEX, slot / INDEX)
            break
        except FileNotFoundError:
            if not last:
                raise
    after = read_position(source, store, text)
    if after is None or after.seq < position.seq or after.clean != position.clean:
        raise ReplicaDamaged(f"slot {source.name} was emptied while it was copied")
    write_position(slot, position)


def _copy_index(source: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    listing = (source / META).read_bytes()
    (target / META).write_bytes(listing)
    names = list(segment_files(target))
    for name in names:
        _link(source / name, target / name)
    # The files that the engine may remove once they are merged away.
    (target / _MANAGED).write_text(json.dumps([*names, META]), encoding="utf-8")


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:  # no hard links here
        shutil.copyfile(source, target)
