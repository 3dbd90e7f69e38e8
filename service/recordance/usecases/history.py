"""What tells the journal that a follower followed from one with another history."""

import hashlib
from collections.abc import Callable

from recordance.domain.journal import JournalRow
from recordance.ports.truth import TruthReader
from recordance.query.residue import skeleton_values

Follows = Callable[[int, str], bool]
"""Whether a journal seq, with the mark that it had, lies in the journal that there is now."""


def mark_at(reader: TruthReader, seq: int) -> str:
    """Return a mark of the journal row `seq`; "" before the first row, and where the journal does not reach so far.

    What a row says no longer once its capsule is forgotten is not in it: forgetting rewrites no history.
    """
    rows = reader.journal(seq - 1, 1) if seq else ()
    written = "".join(map(_written, rows))
    return hashlib.blake2b(written.encode(), digest_size=8).hexdigest() if rows else ""


def lies_in(reader: TruthReader, seq: int, mark: str) -> bool:
    """Whether the reader's journal is the one in which the row `seq` has this mark."""
    return seq <= reader.head() and mark == mark_at(reader, seq)


def _written(row: JournalRow) -> str:
    return f"{row.seq} {row.at} {row.actor} {row.op} {row.capsule} {sorted(skeleton_values(row.values).items())}"
