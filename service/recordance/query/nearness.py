"""What the vector lane knows of a capsule, and what it is asked (L4, decision 7)."""

from dataclasses import dataclass

from recordance.domain.capsule import Capsule, LabelField
from recordance.domain.embedding import Vector
from recordance.domain.validity import EventRange, TimeWindow
from recordance.query.fence import Fence, LabelFence, MemberFence, Scope, SubtreeFence


@dataclass(frozen=True, slots=True)
class VectorPoint:
    """One unforgotten capsule as a vector index holds it: its vector, and what its scope fences and its time window compare.

    `vector` is as stored in the truth; an index may keep it with length 1.
    """

    number: int
    vector: Vector
    project: str | None
    session: str | None
    event: EventRange | None


def vector_point(capsule: Capsule, vector: Vector) -> VectorPoint:
    """Return the point of a capsule with its vector."""
    labels = capsule.labels
    return VectorPoint(capsule.number, vector, labels.get(LabelField.PROJECT), labels.get(LabelField.SESSION), capsule.event)


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorQuery:
    """What the vector lane asks an index: the nearest to `vector` among the capsules that all of the rest admits.

    `scope` holds fences that `pushed` lets through, and no others. `among` are the only numbers that count, None meaning any.
    With a `window` only capsules whose event range meets it count (F3).
    """

    vector: Vector
    scope: Scope
    window: TimeWindow | None = None
    among: frozenset[int] | None = None


def pushed(scope: Scope) -> Scope:
    """Return the fences of `scope` that a vector index judges by what it holds of a capsule."""
    return Scope(tuple(fence for fence in scope.fences if _is_pushed(fence)))


def unpushed(scope: Scope) -> Scope:
    """Return the fences of `scope` that only the truth can judge."""
    return Scope(tuple(fence for fence in scope.fences if not _is_pushed(fence)))


def _is_pushed(fence: Fence) -> bool:
    match fence:
        case SubtreeFence() | MemberFence():
            return True
        case LabelFence(field=field):
            return field in (LabelField.PROJECT, LabelField.SESSION)
        case _:
            return False
