"""Scope fences as SQL, held to the pure predicate: digests are looked up, labels themselves are compared as well (F4, W14)."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from sqlalchemy import ColumnElement, Select, and_, bindparam, false, func, or_, select, true

from recordance.query.fence import (
    CreationFence,
    EitherFence,
    Fence,
    LabelBarrier,
    LabelFence,
    MarkFence,
    MarkField,
    MemberFence,
    SubtreeFence,
)
from recordance_adapters.driven.sql_truth.capsule_rows import digest
from recordance_adapters.driven.sql_truth.tables import LOOKED_UP, capsule, capsule_mark, embedding, project_counter

MOST_VALUES = 500
"""How many values a fence may have that is asked of the database: what a statement takes is bounded, each for itself."""
MOST_PREFIXES = 100
"""The same for subtrees, each of which is a condition of its own: SQLite lets conditions be nested a thousand deep."""
_CONDITION = MOST_VALUES // MOST_PREFIXES
"""For how many values a condition of its own counts."""

V = TypeVar("V", int, str)


def is_small(fence: Fence) -> bool:
    """Whether the database can be asked for what this fence admits."""
    return _size(fence) <= MOST_VALUES


def _size(fence: Fence) -> int:
    match fence:
        case LabelFence(any_of=values) | MarkFence(any_of=values) | LabelBarrier(none_of=values):
            return len(values)
        case SubtreeFence(prefixes):
            return len(prefixes) * _CONDITION
        case MemberFence(numbers):
            return len(numbers)
        case CreationFence():
            return 1
        case EitherFence(scopes):
            return sum(_CONDITION + sum(map(_size, scope.fences)) for scope in scopes)


def embedded_where(space: str, fences: Iterable[Fence]) -> Select[tuple[int]]:
    """Return the statement for which capsules have a vector in `space` and lie inside each of `fences`."""
    chosen = select(embedding.c.capsule).join(capsule, capsule.c.number == embedding.c.capsule)
    return chosen.where(embedding.c.space == space, *map(admitted, fences))


def admitted(fence: Fence) -> ColumnElement[bool]:
    """Return the condition on rows of `capsule` that says what `admits` says of this fence."""
    return _CONDITIONS[type(fence)](fence)


def lies_in(project: ColumnElement[str], prefixes: frozenset[str]) -> ColumnElement[bool]:
    """Return the condition that a project is one of `prefixes` or lies below one; unstamped capsules lie in none (F1)."""
    below = [or_(project == prefix, func.substr(project, 1, len(prefix) + 1) == f"{prefix}/") for prefix in sorted(prefixes)]
    return or_(false(), *below)


def _label(fence: LabelFence) -> ColumnElement[bool]:
    column = capsule.c[fence.field.value]
    wanted = [label for label in fence.any_of if label is not None]
    bears = _one_of(column, wanted)
    if fence.field in LOOKED_UP:
        bears = and_(_one_of(capsule.c[f"{fence.field.value}_digest"], map(digest, wanted)), bears)
    return or_(bears, column.is_(None)) if None in fence.any_of else bears


def _barrier(fence: LabelBarrier) -> ColumnElement[bool]:
    column = capsule.c[fence.field.value]
    return or_(column.is_(None), ~_one_of(column, fence.none_of))


def _subtree(fence: SubtreeFence) -> ColumnElement[bool]:
    """Projects are few where capsules are many: whichever lie in the subtrees are looked up by their digests."""
    projects = select(project_counter.c.digest).where(lies_in(project_counter.c.project_id, fence.prefixes))
    return and_(capsule.c.project_id_digest.in_(projects), lies_in(capsule.c.project_id, fence.prefixes))


def walked(fence: SubtreeFence) -> ColumnElement[bool]:
    """Return the same condition for subtrees that hold much of a store: rows are read as they lie, not looked up singly."""
    projects = select(project_counter.c.project_id).where(lies_in(project_counter.c.project_id, fence.prefixes))
    return capsule.c.project_id.in_(projects)


def bearing_one(field: MarkField) -> ColumnElement[bool]:
    """Return the condition that a capsule bears the mark with the digest `:mark`, which has a value until it is given one."""
    return _bears(field, capsule_mark.c.digest == bindparam("mark", ""))


def _mark(fence: MarkFence) -> ColumnElement[bool]:
    return _bears(fence.field, _one_of(capsule_mark.c.digest, map(digest, fence.any_of)))


def _bears(field: MarkField, wanted: ColumnElement[bool]) -> ColumnElement[bool]:
    bearers = select(capsule_mark.c.capsule).where(capsule_mark.c.field == field.value, wanted)
    return capsule.c.number.in_(bearers)


def _creation(fence: CreationFence) -> ColumnElement[bool]:
    after = [] if fence.since is None else [capsule.c.captured_at >= fence.since]
    before = [] if fence.until is None else [capsule.c.captured_at <= fence.until]
    return and_(capsule.c.captured_at.is_not(None), *after, *before)


def _member(fence: MemberFence) -> ColumnElement[bool]:
    return _one_of(capsule.c.number, fence.numbers)


def _either(fence: EitherFence) -> ColumnElement[bool]:
    return or_(false(), *(and_(true(), *map(admitted, scope.fences)) for scope in fence.scopes))


def _one_of(column: ColumnElement[V], values: Iterable[V]) -> ColumnElement[bool]:
    """Return the condition that the column is one of `values`, in a fixed order so that equal fences are equal statements."""
    ordered = sorted(set(values))
    return column.in_(ordered) if ordered else false()


_CONDITIONS: dict[type, Callable[..., ColumnElement[bool]]] = {
    LabelFence: _label,
    LabelBarrier: _barrier,
    SubtreeFence: _subtree,
    MarkFence: _mark,
    CreationFence: _creation,
    MemberFence: _member,
    EitherFence: _either,
}
