"""What tells the journal that a follower followed from one with another history."""

import hashlib

from recordance.ports.truth import TruthReader


def mark_at(reader: TruthReader, seq: int) -> str:
    """Return a mark of the journal row `seq`; "" before the first row, and where the journal does not reach so far."""
    rows = reader.journal(seq - 1, 1) if seq else ()
    written = "".join(f"{row.seq} {row.at} {row.actor} {row.op} {row.capsule} {sorted(row.values.items())}" for row in rows)
    return hashlib.blake2b(written.encode(), digest_size=8).hexdigest() if rows else ""
