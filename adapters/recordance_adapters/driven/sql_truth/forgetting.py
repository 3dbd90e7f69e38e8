"""Forgetting: every text of a capsule is emptied where it stands, its marks and vectors go, the tombstone comes (W6)."""

from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy import BindParameter, bindparam, delete, select, update
from sqlalchemy.sql import ClauseElement

from recordance.domain.capsule import Capsule, Tombstone
from recordance.domain.tombstone import skeleton_of
from recordance.errors import Fault
from recordance_adapters.driven.sql_truth import tables
from recordance_adapters.driven.sql_truth.capsule_rows import CAPSULE_COLUMNS, capsule_row
from recordance_adapters.driven.sql_truth.rows import Rows

_FORGOTTEN: BindParameter[int] = bindparam("forgotten")
_NOTHING = {"proof_hint": None, "stale_if": None, "signature": None, "tags": "[]", "topics": "[]", "entities": "[]"}
_ERASE: tuple[ClauseElement, ...] = (
    update(tables.capsule_revision)
    .where(tables.capsule_revision.c.capsule == _FORGOTTEN)
    .values(content="", headline="", source="", metadata="[]", **_NOTHING),
    update(tables.anchor)
    .where(tables.anchor.c.capsule == _FORGOTTEN)
    .values(text="", path=None, line=None, sha=None, file_hash=None),
    update(tables.feedback).where(tables.feedback.c.capsule == _FORGOTTEN).values(note=None),
    update(tables.review_event).where(tables.review_event.c.capsule == _FORGOTTEN).values(reason=None),
    update(tables.corroboration).where(tables.corroboration.c.capsule == _FORGOTTEN).values(anchor_path="", anchor_sha=None),
    delete(tables.capsule_mark).where(tables.capsule_mark.c.capsule == _FORGOTTEN),
    delete(tables.embedding).where(tables.embedding.c.capsule == _FORGOTTEN),
)
_UNCOUNT = (
    update(tables.embedding_space)
    .where(tables.embedding_space.c.space.in_(select(tables.embedding.c.space).where(tables.embedding.c.capsule == _FORGOTTEN)))
    .values(vectors=tables.embedding_space.c.vectors - 1)
)
_STRIP = (
    update(tables.capsule)
    .where(tables.capsule.c.number == _FORGOTTEN)
    .values({column.name: bindparam(f"new_{column.name}") for column in CAPSULE_COLUMNS})
)


def forget(rows: Rows, tombstones: Sequence[Tombstone], capsules: Mapping[int, Capsule]) -> Iterator[Capsule]:
    """Forget each capsule that has one of `tombstones`, and yield it as it was; raises Fault where there is none."""
    for tombstone in tombstones:
        capsule = capsules.get(tombstone.capsule)
        if capsule is None or capsule.standing.tombstoned_at is not None:
            raise Fault(f"capsule {tombstone.capsule} cannot be forgotten: it does not exist, or is forgotten already")
        rows.change(_UNCOUNT, forgotten=capsule.number)
        for statement in _ERASE:
            rows.change(statement, forgotten=capsule.number)
        skeleton = zip(CAPSULE_COLUMNS, capsule_row(skeleton_of(capsule, tombstone.at)), strict=True)
        rows.change(_STRIP, forgotten=capsule.number, **{f"new_{column.name}": value for column, value in skeleton})
        rows.insert(tables.tombstone, [_tombstone_row(tombstone)])
        yield capsule


def _tombstone_row(tombstone: Tombstone) -> tuple[int, int, str, str, str]:
    return (tombstone.capsule, tombstone.at, tombstone.reason, tombstone.actor, tombstone.content_mac)
