"""How one capsule retires another, and which values under a key a new one retires (W3, W7).

`supersedes` and `falsifies` set the target's standing, and only the end of the last such relation lifts it again. What happens to
the one that retires changes nothing.
"""

from collections.abc import Iterable
from dataclasses import replace

from recordance.domain.capsule import Capsule, Standing
from recordance.domain.change import AddRelation, ChangeSet, RemoveRelation, SetStanding
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry, Op, Value
from recordance.domain.relation import Relation, RelationKind

RETIRING = frozenset({RelationKind.SUPERSEDES, RelationKind.FALSIFIES})
"""The kinds that decide about their target's standing."""


def related(relation: Relation) -> ChangeSet:
    """Return the write that adds a relation, without what it does to its target."""
    return ChangeSet((AddRelation(relation),), (_entry(Op.RELATED, relation),))


def retired(target: Capsule, relation: Relation) -> ChangeSet:
    """Return what a new retiring relation does to its target; nothing if the target was retired so before (the first counts)."""
    if _since(target.standing, relation.kind) is not None:
        return ChangeSet()
    return _decided(target, relation.kind, relation, relation.at)


def of_now(capsule: Capsule, at: Instant) -> bool:
    """Whether a value under a key is the present's: neither history, nor written down for a time that is yet to come (W7).

    What holds since its capture is the present's even if the clock was set back behind that.
    """
    validity = capsule.validity
    return not validity.expired_at(at) and (validity.begun_at(at) or validity.valid_from <= capsule.captured_at)


def unrelated(relation: Relation, at: Instant) -> ChangeSet:
    """Return the write that ends a relation, without what it does to its target."""
    removal = RemoveRelation(relation.kind, relation.source, relation.target, at)
    return ChangeSet((removal,), (_entry(Op.UNRELATED, relation),))


def lifted(target: Capsule, ended: Relation, remaining: Iterable[Relation], at: Instant) -> ChangeSet:
    """Return what the end of a retiring relation does to its target: the earliest of `remaining` retires it now, else nobody.

    Where another than `ended` stands as the one that retired it, nothing changes.
    """
    first = min(remaining, key=lambda relation: (relation.at, relation.source), default=None)
    if first is not None and ended.kind is RelationKind.SUPERSEDES and target.standing.superseded_by != ended.source:
        return ChangeSet()
    if _standing(target.standing, ended.kind, first) == target.standing:
        return ChangeSet()
    return _decided(target, ended.kind, first, at)


def _decided(target: Capsule, kind: RelationKind, first: Relation | None, at: Instant) -> ChangeSet:
    standing = _standing(target.standing, kind, first)
    since = _since(standing, kind)
    if kind is RelationKind.SUPERSEDES:
        op = Op.REVIVED if first is None else Op.SUPERSEDED
        values: dict[str, Value] = {"superseded_at": since, "superseded_by": standing.superseded_by}
    else:
        op = Op.VINDICATED if first is None else Op.FALSIFIED
        values = {"falsified_at": since}
    entry = Entry(op, target.number, target.revision, values)
    return ChangeSet((SetStanding(target.number, standing, at),), (entry,))


def _standing(standing: Standing, kind: RelationKind, first: Relation | None) -> Standing:
    since, by = (None, None) if first is None else (first.at, first.source)
    if kind is RelationKind.SUPERSEDES:
        return replace(standing, superseded_at=since, superseded_by=by)
    return replace(standing, falsified_at=since)


def _since(standing: Standing, kind: RelationKind) -> Instant | None:
    return standing.superseded_at if kind is RelationKind.SUPERSEDES else standing.falsified_at


def _entry(op: Op, relation: Relation) -> Entry:
    return Entry(op, relation.source, None, {"kind": relation.kind.value, "target": relation.target})
