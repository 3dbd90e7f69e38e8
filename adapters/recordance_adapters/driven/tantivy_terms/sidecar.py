"""The position of a replica, in a file beside its index: replaced after each commit, so that it is never ahead of the data."""

import json
import os
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path

from recordance.errors import Fault
from recordance.usecases.history import Follows
from recordance_adapters.driven.tantivy_terms.engine import VERSIONS
from recordance_adapters.driven.tantivy_terms.fields import Spans

FILE = "applied"


@dataclass(frozen=True, slots=True)
class Position:
    """Up to which journal seq of which store an index holds everything, and what it held when that was written.

    `mark` tells the journal from one with another history. `opstamp` is the engine's commit, which an index can be beyond but
    never behind. Nothing that was forgotten up to the seq `clean` is in its files (W6). `text` names its text services.
    """

    store: str
    seq: int
    mark: str
    documents: int
    opstamp: int
    spans: Spans
    clean: int = 0
    text: str = ""


def read_position(slot: Path, store: str, text: str = "") -> Position | None:
    """Return the position in a slot's folder; None if there is none, or no sound one of this store by these versions."""
    position = _sound_position(slot, store)
    return position if position is not None and position.text == text else None


def serves_others(slot: Path, store: str, text: str) -> bool:
    """Whether a slot holds a sound index of this store that was built with other text services: of use to others alone (T9)."""
    position = _sound_position(slot, store)
    return position is not None and position.text != text


def _sound_position(slot: Path, store: str) -> Position | None:
    """Return the position in a slot's folder, whatever its text services; None as in `read_position`."""
    try:
        checksum, written = (slot / FILE).read_text(encoding="utf-8").split("\n", 1)
        kept = json.loads(written)
        if int(checksum) != _checksum(written) or kept["versions"] != VERSIONS or kept["position"]["store"] != store:
            return None
        position = kept["position"]
        return Position(**position | {"spans": Spans(**position["spans"])})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def clean_in(slot: Path, store: str, follows: Follows) -> int:
    """Return up to which seq nothing that was forgotten is in the index of a slot, whatever version wrote it; 0 if unknown.

    The seqs of an index that followed another history, before the truth was put back to an earlier state, tell nothing.
    """
    try:
        position = json.loads((slot / FILE).read_text(encoding="utf-8").split("\n", 1)[1])["position"]
        known = position["store"] == store and follows(int(position["seq"]), str(position["mark"]))
        return int(position["clean"]) if known else 0
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return 0


def write_position(slot: Path, position: Position) -> None:
    """Put the position into a slot's folder, durably and all at once. Raises Fault if it cannot be written."""
    text = json.dumps({"versions": VERSIONS, "position": asdict(position)}, indent=1)
    new = slot / f"{FILE}.new"
    try:
        with new.open("w", encoding="utf-8", newline="\n") as file:
            file.write(f"{_checksum(text)}\n{text}")
            file.flush()
            os.fsync(file.fileno())
        new.replace(slot / FILE)
    except OSError as error:
        raise Fault(f"the position of the term index cannot be written: {error}") from error


def _checksum(text: str) -> int:
    """Return what tells a position from a damaged one, which might name a seq that was never applied."""
    return zlib.crc32(text.encode())


def forget_position(slot: Path) -> None:
    """Take the position away, so that what lies beside it counts for nothing."""
    (slot / FILE).unlink(missing_ok=True)
