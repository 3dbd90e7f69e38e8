"""The position of a replica, in a file beside its index: replaced after each commit, so that it is never ahead of the data."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from recordance.errors import Fault
from recordance_adapters.driven.tantivy_terms.engine import VERSIONS
from recordance_adapters.driven.tantivy_terms.fields import Spans

FILE = "applied"


@dataclass(frozen=True, slots=True)
class Position:
    """Up to which journal seq of which store an index holds everything, and what it held when that was written.

    `opstamp` is the engine's commit, which an index can be beyond but never behind.
    """

    store: str
    seq: int
    documents: int
    opstamp: int
    spans: Spans


def read_position(slot: Path, store: str) -> Position | None:
    """Return the position in a slot's folder; None if there is none, or none of this store by these versions."""
    try:
        kept = json.loads((slot / FILE).read_bytes())
        if kept["versions"] != VERSIONS or kept["store"] != store:
            return None
        return Position(store, int(kept["seq"]), int(kept["documents"]), int(kept["opstamp"]), Spans(**kept["spans"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_position(slot: Path, position: Position) -> None:
    """Put the position into a slot's folder, durably and all at once. Raises Fault if it cannot be written."""
    new = slot / f"{FILE}.new"
    try:
        with new.open("w", encoding="utf-8") as file:
            json.dump({"versions": VERSIONS, **asdict(position)}, file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(slot / FILE)
    except OSError as error:
        raise Fault(f"the position of the term index cannot be written: {error}") from error


def forget_position(slot: Path) -> None:
    """Take the position away, so that what lies beside it counts for nothing."""
    (slot / FILE).unlink(missing_ok=True)
