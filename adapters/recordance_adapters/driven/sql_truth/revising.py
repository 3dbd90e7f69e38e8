"""Revisions: the next text of a capsule beside the ones before, and its row as it is from then on (W13)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import bindparam, delete, update

from recordance.domain.capsule import Capsule
from recordance.domain.change import Revise
from recordance.errors import Fault
from recordance_adapters.driven.sql_truth import tables
from recordance_adapters.driven.sql_truth.capsule_rows import CAPSULE_COLUMNS, anchor_rows, capsule_row, mark_rows, text_row
from recordance_adapters.driven.sql_truth.rows import Rows

_REPLACE = (
    update(tables.capsule)
    .where(tables.capsule.c.number == bindparam("replaced"))
    .values({column.name: bindparam(f"new_{column.name}") for column in CAPSULE_COLUMNS})
)
_UNMARK = delete(tables.capsule_mark).where(tables.capsule_mark.c.capsule == bindparam("unmarked"))


class Revised(NamedTuple):
    """A capsule as it was and as it is now."""

    before: Capsule
    after: Capsule


def revise(rows: Rows, revisions: Sequence[Revise], capsules: Mapping[int, Capsule]) -> Iterator[Revised]:
    """Give each capsule its next revision, in order; raises Fault for one that does not follow the last."""
    current = dict(capsules)
    for revision in revisions:
        after, text = revision.capsule, revision.text
        before = current.get(after.number)
        if before is None or before.standing.tombstoned_at is not None:
            raise Fault(f"capsule {after.number} cannot be revised: it does not exist, or is forgotten")
        if not after.revision == text.revision == before.revision + 1:
            raise Fault(f"the next revision of capsule {after.number} is {before.revision + 1}, not {text.revision}")
        rows.change(_UNMARK, unmarked=after.number)
        rows.insert(tables.capsule_revision, [text_row(after.number, text)])
        rows.insert(tables.anchor, anchor_rows(after.number, text))
        rows.insert(tables.capsule_mark, mark_rows(after.number, text))
        replace_capsule(rows, after)
        current[after.number] = after
        yield Revised(before, after)


def replace_capsule(rows: Rows, capsule: Capsule) -> None:
    """Write a capsule's row anew; there is one with its number."""
    values = zip(CAPSULE_COLUMNS, capsule_row(capsule), strict=True)
    rows.change(_REPLACE, replaced=capsule.number, **{f"new_{column.name}": value for column, value in values})
