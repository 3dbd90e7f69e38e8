"""Forgetting: every text of a capsule is emptied where it stands, its marks go, the tombstone comes (W6).

With it goes what else tells of it: kept answers that name it, ledger rows whose words it said, labels in its journal rows.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import BindParameter, bindparam, delete, select, update
from sqlalchemy.sql import ClauseElement

from recordance.domain.capsule import Capsule, CapsuleText, Tombstone
from recordance.domain.identity import capsule_id
from recordance.domain.provenance import Anchor
from recordance.domain.tombstone import skeleton_of
from recordance.errors import Fault
from recordance.query.residue import is_said, names_capsule, skeleton_values, words_said
from recordance_adapters.driven.sql_truth import tables
from recordance_adapters.driven.sql_truth.capsule_rows import ANCHOR_COLUMNS, TEXT_COLUMNS, json_text, text_of
from recordance_adapters.driven.sql_truth.revising import replace_capsule
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
)
_TEXTS = select(*TEXT_COLUMNS).where(tables.capsule_revision.c.capsule == _FORGOTTEN)
_ANCHORS = select(*ANCHOR_COLUMNS).where(tables.anchor.c.capsule == _FORGOTTEN)
_NAMING = select(tables.kept_answer.c.digest, tables.kept_answer.c.answer).where(
    tables.kept_answer.c.answer.like(bindparam("naming"))
)
_DROP_ANSWER = delete(tables.kept_answer).where(tables.kept_answer.c.digest == bindparam("dropped"))
_ASKED = select(tables.miss.c.term_digest, tables.miss.c.term_key).distinct()
_DROP_MISS = delete(tables.miss).where(tables.miss.c.term_digest == bindparam("dropped"))
_TOLD = select(tables.journal.c.seq, tables.journal.c.field_values).where(tables.journal.c.capsule == _FORGOTTEN)
_TELL_LESS = (
    update(tables.journal).where(tables.journal.c.seq == bindparam("told")).values(field_values=bindparam("field_values"))
)


class Asked(NamedTuple):
    """A term that stands in the miss ledger."""

    digest: str
    term_key: str


def forget(rows: Rows, tombstones: Sequence[Tombstone], capsules: Mapping[int, Capsule]) -> Iterator[Capsule]:
    """Forget each capsule that has one of `tombstones`, and yield it as it was; raises Fault where there is none."""
    ledger = [Asked(*row) for row in rows.all(_ASKED)] if tombstones else []
    for tombstone in tombstones:
        capsule = capsules.get(tombstone.capsule)
        if capsule is None or capsule.standing.tombstoned_at is not None:
            raise Fault(f"capsule {tombstone.capsule} cannot be forgotten: it does not exist, or is forgotten already")
        _drop_misses(rows, capsule.number, ledger)
        _drop_answers(rows, capsule.number)
        _tell_less(rows, capsule.number)
        for statement in _ERASE:
            rows.change(statement, forgotten=capsule.number)
        replace_capsule(rows, skeleton_of(capsule, tombstone.at))
        rows.insert(tables.tombstone, [_tombstone_row(tombstone)])
        former = [(capsule.number, tables.FORMER_MAC, mac) for mac in tombstone.former_macs]
        rows.insert(tables.capsule_mark, former)
        yield capsule


def _drop_misses(rows: Rows, number: int, ledger: Sequence[Asked]) -> None:
    if not ledger:
        return
    words = words_said(_texts(rows, number))
    said = [{"dropped": asked.digest} for asked in ledger if is_said(asked.term_key, words)]
    if said:
        rows.change_many(_DROP_MISS, said)


def _texts(rows: Rows, number: int) -> Iterator[CapsuleText]:
    """Return every revision; all anchors come with the first, since it is words that are looked for."""
    anchors = tuple(Anchor(*parts) for _, _, _, *parts in rows.all(_ANCHORS, forgotten=number))
    for row in rows.all(_TEXTS, forgotten=number):
        yield text_of(row, anchors)
        anchors = ()


def _drop_answers(rows: Rows, number: int) -> None:
    naming = rows.all(_NAMING, naming=f'%{capsule_id(number)}"%')
    dropped = [{"dropped": digest} for digest, answer in naming if names_capsule(answer, number)]
    if dropped:
        rows.change_many(_DROP_ANSWER, dropped)


def _tell_less(rows: Rows, number: int) -> None:
    told = [(seq, json.loads(values)) for seq, values in rows.all(_TOLD, forgotten=number)]
    less = [{"told": seq, "field_values": json_text(kept)} for seq, values in told if (kept := skeleton_values(values)) != values]
    if less:
        rows.change_many(_TELL_LESS, less)


def _tombstone_row(tombstone: Tombstone) -> tuple[int, int, str, str, str]:
    return (tombstone.capsule, tombstone.at, tombstone.reason, tombstone.actor, tombstone.content_mac)
