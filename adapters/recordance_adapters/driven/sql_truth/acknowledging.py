"""What processes say of their index folders beside a shared truth: up to where nothing forgotten is left in them (W6).

These rows are no part of what is remembered: they are not journalled, not exported, and each is written by one process alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, delete, select, text

from recordance.domain.instant import Instant
from recordance_adapters.driven.sql_truth.rows import Rows
from recordance_adapters.driven.sql_truth.tables import replica


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledgement:
    """What one folder of indexes has left behind.

    `id` was drawn by chance when the folder was made; `host` and `slot` say to people which it is. Nothing that was forgotten up
    to the journal seq `clean_terms` is in its term index, and likewise `clean_vectors`. `seen_at` is when its process said so
    last, `left_at` when it ended in order; whoever reads this judges by both what may still be waited for.
    """

    id: str
    host: str
    slot: int
    seen_at: Instant
    clean_terms: int
    clean_vectors: int
    left_at: Instant | None = None


_ACKNOWLEDGE = text(
    "INSERT INTO replica (id, host, slot, seen_at, clean_terms, clean_vectors, left_at) "
    "VALUES (:id, :host, :slot, :seen_at, :clean_terms, :clean_vectors, :left_at) "
    "ON CONFLICT (id) DO UPDATE SET host = excluded.host, slot = excluded.slot, seen_at = excluded.seen_at, "
    "clean_terms = excluded.clean_terms, clean_vectors = excluded.clean_vectors, left_at = excluded.left_at"
)
_ALL = select(replica).order_by(replica.c.id)
_DISMISS = delete(replica).where(replica.c.id == bindparam("dismissed"))


def acknowledge(rows: Rows, said: Acknowledgement) -> None:
    """Write what a folder's process says, over what it said before."""
    rows.change(
        _ACKNOWLEDGE,
        id=said.id,
        host=said.host,
        slot=said.slot,
        seen_at=said.seen_at,
        clean_terms=said.clean_terms,
        clean_vectors=said.clean_vectors,
        left_at=said.left_at,
    )


def acknowledgements(rows: Rows) -> Sequence[Acknowledgement]:
    """Return what every folder's process said last, by id."""
    return [
        Acknowledgement(id=id, host=host, slot=slot, seen_at=seen_at, clean_terms=terms, clean_vectors=vectors, left_at=left_at)
        for id, host, slot, seen_at, terms, vectors, left_at in rows.all(_ALL)
    ]


def dismiss(rows: Rows, id: str) -> bool:
    """Take away the row of a folder that is gone, and return whether there was one."""
    return bool(rows.change(_DISMISS, dismissed=id))
