"""Scope fences: what a caller may see. What lies outside is unseen and uncounted (F1, F2, F4, F5, F9, F13).

This predicate is the definition; adapters push it down and are held to it (decision 4).
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from unicodedata import normalize

from recordance.domain.caller import under
from recordance.domain.capsule import Capsule, CapsuleText, LabelField
from recordance.domain.destination import Traits
from recordance.domain.instant import Instant


class MarkField(StrEnum):
    """The fields that hold any number of values."""

    TAGS = "tags"
    TOPICS = "topics"
    ENTITIES = "entities"
    METADATA = "metadata"


_EXACT = 2**53
"""Up to where every whole number is a float too."""
Marks = dict[MarkField, frozenset[str]]
"""The values that a capsule bears in each such field, in the form in which fences compare them."""


@dataclass(frozen=True, slots=True)
class LabelFence:
    """The capsule's label in `field` is one of `any_of`; None among them admits capsules that bear none."""

    field: LabelField
    any_of: frozenset[str | None]


@dataclass(frozen=True, slots=True)
class LabelBarrier:
    """The capsule's label in `field` is none of `none_of` (telemetry is left out so, F9)."""

    field: LabelField
    none_of: frozenset[str]


@dataclass(frozen=True, slots=True)
class SubtreeFence:
    """The capsule's project is one of `prefixes`, or lies below one (F1). Unstamped capsules lie in no subtree."""

    prefixes: frozenset[str]


@dataclass(frozen=True, slots=True)
class MarkFence:
    """The capsule bears at least one of `any_of` in `field`, compared in the form of `marks_of`."""

    field: MarkField
    any_of: frozenset[str]


@dataclass(frozen=True, slots=True)
class CreationFence:
    """The capsule was captured in this interval; both ends inclusive, None is open (F9)."""

    since: Instant | None
    until: Instant | None


@dataclass(frozen=True, slots=True)
class MemberFence:
    """The capsule is one of these, by number: an effort's epic and its members (F5)."""

    numbers: frozenset[int]


@dataclass(frozen=True, slots=True)
class EitherFence:
    """At least one of these scopes admits the capsule: a project, or what belongs to none (F10)."""

    scopes: "tuple[Scope, ...]"


Fence = LabelFence | LabelBarrier | SubtreeFence | MarkFence | CreationFence | MemberFence | EitherFence


@dataclass(frozen=True, slots=True)
class Scope:
    """All fences of one recall; a capsule is seen only if every one of them admits it (F4)."""

    fences: tuple[Fence, ...] = field(default=())

    def with_fences(self, *more: Fence) -> "Scope":
        """Return this scope with more fences."""
        return Scope((*self.fences, *more))


def marks_of(text: CapsuleText) -> Marks:
    """Return the values that fences compare: tags and topics as written, entities case-folded, metadata as name=value.

    A metadata pair is its name, NUL and the JSON text of its value, so that no name or value can imitate another pair.
    """
    return {
        MarkField.TAGS: frozenset(text.tags),
        MarkField.TOPICS: frozenset(text.topics),
        MarkField.ENTITIES: frozenset(map(entity_mark, text.entities)),
        MarkField.METADATA: frozenset(metadata_mark(name, value) for name, value in text.metadata),
    }


def entity_mark(entity: str) -> str:
    """Return the form in which entities are compared: case-folded (F9)."""
    return entity.casefold()


def entity_marks(entity: str) -> frozenset[str]:
    """Return the forms in which an asked entity is looked for: as sent, composed (NFC) and decomposed (NFD), each case-folded.

    The same letters reach a store in either form, by the keyboard and the system that they come from.
    """
    return frozenset(map(entity_mark, (entity, normalize("NFC", entity), normalize("NFD", entity))))


def entity_key(entity: str) -> str:
    """Return what is the same for every form of an entity in which it is looked for."""
    return normalize("NFC", entity_mark(entity))


def metadata_mark(name: str, json_value: str) -> str:
    """Return the form in which a metadata pair is compared; `json_value` is canonical JSON text."""
    return f"{name}\0{json_value}"


def number_forms(json_value: str) -> tuple[str, ...]:
    """Return the JSON texts of the same value: of a whole number as an integer and as a float, which are one to JSON."""
    value = json.loads(json_value, parse_int=Decimal, parse_float=Decimal)
    if not isinstance(value, Decimal) or value != value.to_integral_value() or abs(value) > _EXACT:
        return (json_value,)
    forms = (str(int(value)), repr(float(value))) if value else ("0", "0.0", "-0.0")
    return tuple(dict.fromkeys((json_value, *forms)))


def admits(scope: Scope, capsule: Capsule, marks: Marks) -> bool:
    """Whether every fence of `scope` admits the capsule (F4)."""
    return all(_PREDICATES[type(fence)](fence, capsule, marks) for fence in scope.fences)


def _label(fence: LabelFence, capsule: Capsule, _: Marks) -> bool:
    return capsule.labels.get(fence.field) in fence.any_of


def _barrier(fence: LabelBarrier, capsule: Capsule, _: Marks) -> bool:
    return capsule.labels.get(fence.field) not in fence.none_of


def _subtree(fence: SubtreeFence, capsule: Capsule, _: Marks) -> bool:
    project = capsule.labels.get(LabelField.PROJECT)
    return project is not None and any(under(project, prefix) for prefix in fence.prefixes)


def _mark(fence: MarkFence, _: Capsule, marks: Marks) -> bool:
    return not fence.any_of.isdisjoint(marks[fence.field])


def _creation(fence: CreationFence, capsule: Capsule, _: Marks) -> bool:
    after = fence.since is None or capsule.captured_at >= fence.since
    return after and (fence.until is None or capsule.captured_at <= fence.until)


def _member(fence: MemberFence, capsule: Capsule, _: Marks) -> bool:
    return capsule.number in fence.numbers


def _either(fence: EitherFence, capsule: Capsule, marks: Marks) -> bool:
    return any(admits(scope, capsule, marks) for scope in fence.scopes)


def reads_marks(scope: Scope) -> bool:
    """Whether some fence of `scope` compares what stands in a capsule's text beside its content."""
    return any(
        isinstance(fence, MarkFence) or (isinstance(fence, EitherFence) and any(map(reads_marks, fence.scopes)))
        for fence in scope.fences
    )


_PREDICATES: dict[type, Callable[..., bool]] = {
    LabelFence: _label,
    LabelBarrier: _barrier,
    SubtreeFence: _subtree,
    MarkFence: _mark,
    CreationFence: _creation,
    MemberFence: _member,
    EitherFence: _either,
}


def _forms_of_one(fence: MarkFence) -> bool:
    return fence.field is MarkField.ENTITIES and len(set(map(entity_key, fence.any_of))) == 1


def traits_of(scope: Scope) -> Traits:
    """Return what fences that admit one value say of where a recall belongs (D1); a fence of several values says nothing.

    Of several scopes of which one may hold, the only one that says a label says it for all, and so does the only label of a fence
    that admits none as well: a project and what belongs to none are looked for where the project belongs.
    """
    labels: dict[LabelField, str] = {}
    marks: dict[MarkField, frozenset[str]] = {}
    subtree: str | None = None
    for fence in scope.fences:
        match fence:
            case LabelFence(field=name, any_of=any_of) if len(borne := [label for label in any_of if label is not None]) == 1:
                labels[name] = borne[0]
            case SubtreeFence(prefixes=prefixes) if len(prefixes) == 1:
                subtree = next(iter(prefixes))
            case EitherFence(scopes=scopes) if len(telling := [told for each in scopes if (told := traits_of(each).labels)]) == 1:
                labels |= telling[0]
            case MarkFence(field=mark, any_of=any_of) if len(any_of) == 1 or _forms_of_one(fence):
                marks[mark] = marks.get(mark, frozenset()) | any_of
            case _:
                pass
    return Traits(
        labels=labels,
        subtree=subtree,
        tags=marks.get(MarkField.TAGS, frozenset()),
        topics=marks.get(MarkField.TOPICS, frozenset()),
        entities=marks.get(MarkField.ENTITIES, frozenset()),
    )
