"""What a Qdrant index holds of a capsule beside its vector, and what it is asked, in the terms of either client.

Labels become digests of one length, so that no text of a caller's lies in an index (W14); instants are whole microseconds.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from recordance.domain.capsule import LabelField
from recordance.domain.embedding import Vector, unit
from recordance.domain.identity import label_digest
from recordance.domain.instant import Instant
from recordance.errors import Fault
from recordance.query.fence import Fence, LabelFence, MemberFence, SubtreeFence
from recordance.query.nearness import VectorPoint, VectorQuery

LABELS = "labels"
"""The field of all tokens: for the project, for each subtree that it lies in, and for the session."""
EVENT = "event"
"""The field of both ends of the event range; absent where there is none."""

Payload = dict[str, Any]


@dataclass(frozen=True, slots=True)
class HasToken:
    """The point bears one of these tokens."""

    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EventReaches:
    """An end of the point's event range is at or after `at_least`, or at or before `at_most`: one of them is given."""

    at_least: float | None = None
    at_most: float | None = None


@dataclass(frozen=True, slots=True)
class HasNumber:
    """The point's number is one of these."""

    numbers: frozenset[int]


Condition = HasToken | EventReaches | HasNumber


def payload_of(point: VectorPoint) -> Payload:
    """Return the fields of a point."""
    project, event = point.project, point.event
    tokens = [_label(LabelField.PROJECT, project), _label(LabelField.SESSION, point.session)]
    if project is not None:
        tokens.append(_subtree(project))
        tokens += [_subtree(project[:place]) for place, character in enumerate(project) if character == "/"]
    # Of two values the larger one decides whether any is late enough, and the smaller one whether any is early enough.
    return {LABELS: tokens} | ({} if event is None else {EVENT: [event.event_from, event.event_to]})


def conditions_of(query: VectorQuery) -> list[Condition] | None:
    """Return what points must fulfil to be admitted by `query`; None where no point can.

    Never narrower than the predicates. Wider only where a window has an end before 1684 or after 2255, and by no more than 32
    microseconds: the engines compare with double floats, in which instants beyond 2⁵³ are rounded.
    """
    conditions = [_of_fence(fence) for fence in query.scope.fences]
    if query.among is not None:
        conditions.append(HasNumber(query.among))
    if query.window is not None:
        conditions += _of_window(query.window.start, query.window.end)
    return None if any(map(_admits_nothing, conditions)) else conditions


def direction(vector: Vector, dimension: int) -> Vector:
    """Return the vector of length 1 that an index of `dimension` components holds or is asked with.

    Raises Fault if it has another dimension, or no direction: engines take NaN and zeroes without complaint, and rank them
    first (case E3).
    """
    try:
        if vector.dimension == dimension:
            return unit(vector)
    except ValueError as error:
        raise Fault(str(error)) from error
    raise Fault(f"a vector of {vector.dimension} components is none of {dimension}")


def _of_fence(fence: Fence) -> Condition:
    match fence:
        case SubtreeFence(prefixes=prefixes):
            return _any(_subtree(prefix) for prefix in prefixes)
        case LabelFence(field=field, any_of=any_of) if field in (LabelField.PROJECT, LabelField.SESSION):
            return _any(_label(field, label) for label in any_of)
        case MemberFence(numbers=numbers):
            return HasNumber(numbers)
        case _:
            raise Fault(f"{type(fence).__name__} is no fence that a vector index can judge")


def _of_window(start: Instant | None, end: Instant | None) -> Iterator[EventReaches]:
    if start is not None:
        yield EventReaches(at_least=-_rounded_up(-start))
    if end is not None:
        yield EventReaches(at_most=_rounded_up(end))


def _rounded_up(instant: int) -> float:
    """Return the smallest float that is not below `instant`."""
    nearest = float(instant)
    return nearest if nearest >= instant else math.nextafter(nearest, math.inf)


def _any(tokens: Iterable[str]) -> HasToken:
    return HasToken(tuple(sorted(tokens)))


def _admits_nothing(condition: Condition) -> bool:
    match condition:
        case HasToken(tokens=tokens):
            return not tokens
        case HasNumber(numbers=numbers):
            return not numbers
        case EventReaches():
            return False


def _label(field: LabelField, label: str | None) -> str:
    """Return the token of a label in a field; None is the token of capsules that bear none there."""
    return _token(field.value if label is None else f"{field.value}:{label}")


def _subtree(prefix: str) -> str:
    """Return the token of everything that lies in a project's subtree, itself included (F1)."""
    return _token(f"under:{prefix}")


def _token(text: str) -> str:
    """Return a digest in the form of a UUID, which the engines index in half of the memory that a text takes."""
    return str(UUID(label_digest(text)))
