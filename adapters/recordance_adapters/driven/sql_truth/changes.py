"""Each kind of change but captures and forgetting as one statement with its parameters."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Insert, Table, bindparam, insert, text, update
from sqlalchemy.sql import ClauseElement

from recordance.domain.change import (
    AddRelation,
    AppendCorroboration,
    AppendReview,
    Change,
    KeepAnswer,
    KeepOut,
    PutEmbedding,
    PutFeedback,
    PutSpace,
    RemoveAlias,
    RemoveRelation,
    SetStanding,
    SetUse,
    TeachAlias,
)
from recordance_adapters.driven.sql_truth import tables
from recordance_adapters.driven.sql_truth.capsule_rows import digest

Parameters = dict[str, Any]


def insert_into(table: Table) -> Insert:
    """Return the statement that inserts a row with every column but the one that numbers itself."""
    return insert(table).values({column.name: bindparam(column.name) for column in table.c if column.name != "place"})


@dataclass(frozen=True, slots=True)
class Way:
    """How changes of one kind are made. `rows_each` is how many rows each of them must change, None for any number.

    `misfit` says what it means when one changes another number of rows.
    """

    statement: ClauseElement
    parameters: Callable[[Any], Parameters]
    rows_each: int | None = None
    misfit: str = "names a capsule that does not exist"


class Run(NamedTuple):
    """Changes of one kind that are made together, in order."""

    way: Way
    changes: list[Change]


def runs(changes: Iterable[Change]) -> Iterator[Run]:
    """Return the changes in as few runs as keep the order of those that touch the same rows."""
    ordered = sorted(changes, key=lambda change: _FAMILY[type(change)])
    for kind, group in itertools.groupby(ordered, key=type):
        alike = list(group)
        yield Run(WAYS[kind], _latest_judgements(alike) if kind is PutFeedback else alike)


def _latest_judgements(changes: list[Any]) -> list[Change]:
    """Leave out judgements that a later one of the same run replaces."""
    latest: dict[tuple[int, str, str], Change] = {}
    for change in changes:
        key = (change.feedback.capsule, change.feedback.receipt, change.feedback.actor)
        latest.pop(key, None)
        latest[key] = change
    return list(latest.values())


def _set_standing(change: SetStanding) -> Parameters:
    standing = change.standing
    return {
        "changed": change.capsule,
        "updated_at": change.at,
        "quarantined_at": standing.quarantined_at,
        "falsified_at": standing.falsified_at,
        "archived_at": standing.archived_at,
        "superseded_at": standing.superseded_at,
        "superseded_by": standing.superseded_by,
        "review": None if standing.review is None else standing.review.value,
        "tombstoned_at": standing.tombstoned_at,
    }


def _set_use(change: SetUse) -> Parameters:
    use = change.use
    return {"changed": change.capsule, "use_count": use.count, "used_at": use.last_at, "feedback_weight": use.feedback_weight}


def _add_relation(change: AddRelation) -> Parameters:
    each = change.relation
    return {"kind": each.kind.value, "source": each.source, "target": each.target, "at": each.at, "removed_at": None}


def _remove_relation(change: RemoveRelation) -> Parameters:
    return {"which": change.kind.value, "from": change.source, "to": change.target, "removed_at": change.at}


def _teach_alias(change: TeachAlias) -> Parameters:
    each = change.alias
    return {
        "term_digest": digest(each.term_key),
        "alias_digest": digest(each.alias_key),
        "term_key": each.term_key,
        "alias_key": each.alias_key,
        "term": each.term,
        "text": each.text,
        "at": each.at,
        "removed_at": None,
    }


def _remove_alias(change: RemoveAlias) -> Parameters:
    return {"of": digest(change.term_key), "to": digest(change.alias_key), "removed_at": change.at}


def _put_space(change: PutSpace) -> Parameters:
    space = change.space
    return {"space": space.name, "dimension": space.dimension, "model": space.model, "at": change.at}


def _put_embedding(change: PutEmbedding) -> Parameters:
    each = change.embedding
    return {
        "capsule": each.capsule,
        "space": each.space,
        "content_digest": each.content_digest,
        "dimension": each.vector.dimension,
        "vector": each.vector.packed,
        "at": each.at,
    }


def _append_review(change: AppendReview) -> Parameters:
    event = change.event
    return {
        "capsule": event.capsule,
        "verdict": event.verdict.value,
        "reason": event.reason,
        "actor": event.actor,
        "at": event.at,
    }


def judgement(change: PutFeedback) -> Parameters:
    """Return what tells a judgement from others: per receipt, capsule and actor one counts (O13)."""
    each = change.feedback
    return {"about": each.capsule, "under": digest(each.receipt), "by": digest(each.actor)}


def _put_feedback(change: PutFeedback) -> Parameters:
    each = change.feedback
    return {
        "capsule": each.capsule,
        "receipt_digest": digest(each.receipt),
        "actor_digest": digest(each.actor),
        "receipt": each.receipt,
        "actor": each.actor,
        "outcome": each.outcome.value,
        "warrants": each.warrants,
        "note": each.note,
        "at": each.at,
    }


def _append_corroboration(change: AppendCorroboration) -> Parameters:
    each = change.corroboration
    return {
        "capsule": each.capsule,
        "git_ref": each.git_ref,
        "anchor_path": each.anchor_path,
        "anchor_sha": each.anchor_sha,
        "verdict": each.verdict.value,
        "mentions": each.mentions,
        "at": each.at,
    }


def _keep_out(change: KeepOut) -> Parameters:
    return {"of": change.capsule, "field": tables.FORMER_MAC, "mac": change.content_mac}


def _keep_answer(change: KeepAnswer) -> Parameters:
    kept = change.kept
    return {
        "digest": digest(kept.key),
        "key": kept.key,
        "items_digest": kept.items_digest,
        "answer": kept.answer,
        "at": kept.at,
    }


def _updates(*columns: str) -> ClauseElement:
    values: Parameters = {column: bindparam(column) for column in columns}
    return update(tables.capsule).where(tables.capsule.c.number == bindparam("changed")).values(values)


_relation, _alias = tables.relation.c, tables.alias.c
_END_RELATION = (
    update(tables.relation)
    .where(
        _relation.kind == bindparam("which"),
        _relation.source == bindparam("from"),
        _relation.target == bindparam("to"),
        _relation.removed_at.is_(None),
    )
    .values(removed_at=bindparam("removed_at"))
)
_END_ALIAS = (
    update(tables.alias)
    .where(_alias.term_digest == bindparam("of"), _alias.alias_digest == bindparam("to"), _alias.removed_at.is_(None))
    .values(removed_at=bindparam("removed_at"))
)
_KEEP_ANSWER = text(
    "INSERT INTO kept_answer (digest, key, items_digest, answer, at) VALUES (:digest, :key, :items_digest, :answer, :at) "
    "ON CONFLICT (digest) DO UPDATE SET items_digest = excluded.items_digest, answer = excluded.answer, at = excluded.at"
)
_PUT_SPACE = text(
    "INSERT INTO embedding_space (space, dimension, at, model, vectors) VALUES (:space, :dimension, :at, :model, 0) "
    "ON CONFLICT (space) DO UPDATE SET dimension = excluded.dimension, at = excluded.at, model = excluded.model "
    "WHERE embedding_space.dimension = excluded.dimension OR embedding_space.vectors = 0"
)
# What is put fits the store, or no row is written at all.
_PUT_EMBEDDING = text(
    "INSERT INTO embedding (capsule, space, content_digest, vector, at) "
    "SELECT capsule.number, embedding_space.space, capsule.content_digest, :vector, :at FROM capsule, embedding_space "
    "WHERE capsule.number = :capsule AND capsule.content_digest = :content_digest AND capsule.tombstoned_at IS NULL "
    "AND embedding_space.space = :space AND embedding_space.dimension = :dimension "
    "ON CONFLICT (capsule, space) DO UPDATE SET content_digest = excluded.content_digest, vector = excluded.vector, "
    "at = excluded.at"
)
# Only a tombstone bears such marks, each once and none that it has as its own.
_KEEP_OUT = text(
    "INSERT INTO capsule_mark (capsule, field, digest) SELECT tombstone.capsule, :field, :mac FROM tombstone "
    "WHERE tombstone.capsule = :of AND tombstone.content_mac <> :mac"
)
_SET_STANDING = _updates(
    "updated_at", "quarantined_at", "falsified_at", "archived_at", "superseded_at", "superseded_by", "review", "tombstoned_at"
)

WAYS: Mapping[type, Way] = {
    PutSpace: Way(_PUT_SPACE, _put_space, rows_each=1, misfit="gives another dimension to a space that holds vectors"),
    PutEmbedding: Way(
        _PUT_EMBEDDING, _put_embedding, rows_each=1, misfit="fits no capsule's current content, or no space's dimension"
    ),
    SetStanding: Way(_SET_STANDING, _set_standing, rows_each=1),
    SetUse: Way(_updates("use_count", "used_at", "feedback_weight"), _set_use, rows_each=1),
    AddRelation: Way(insert_into(tables.relation), _add_relation),
    RemoveRelation: Way(_END_RELATION, _remove_relation),
    TeachAlias: Way(insert_into(tables.alias), _teach_alias),
    RemoveAlias: Way(_END_ALIAS, _remove_alias),
    AppendReview: Way(insert_into(tables.review_event), _append_review),
    PutFeedback: Way(insert_into(tables.feedback), _put_feedback),
    AppendCorroboration: Way(insert_into(tables.corroboration), _append_corroboration),
    KeepAnswer: Way(_KEEP_ANSWER, _keep_answer),
    KeepOut: Way(_KEEP_OUT, _keep_out, rows_each=1, misfit="names no forgotten capsule, or a content that it has said"),
}
# Kinds in one family touch the same rows and keep their order; kinds in different families never meet.
_FAMILY = {kind: place for place, kind in enumerate(WAYS)}
_FAMILY[RemoveRelation] = _FAMILY[AddRelation]
_FAMILY[RemoveAlias] = _FAMILY[TeachAlias]
