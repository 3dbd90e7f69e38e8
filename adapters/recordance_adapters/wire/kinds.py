"""Kinds of values: each knows its published schema and how a raw value becomes a core value, or is refused with a lesson."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from recordance.domain.destination import split_id
from recordance.domain.identity import capsule_number
from recordance.domain.instant import EXPECTED as INSTANT_EXPECTED
from recordance.domain.instant import Instant, parse_instant
from recordance.domain.storable import check_storable
from recordance.domain.vocabulary import member
from recordance.errors import InvalidArgument, Json, shorten
from recordance_adapters.wire import limits

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

Schema = Mapping[str, Json]
Read = Callable[[Json, str], T]

SURROGATE = re.compile("[\ud800-\udfff]")
_TYPE_NAMES: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (str, "a string"),
    (int, "a number"),
    (float, "a number"),
    (list, "an array"),
    (dict, "an object"),
)
_TOLD_LENGTH = limits.CONTENT
_TOLD_COUNT = limits.IDS
"""The least limits of texts and arrays that are published; whoever comes near a smaller one is told then."""
_ECHOED_SIZE = 200
"""Characters and elements, all together."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """What a parameter takes: `schema` is what is published, `read` turns (raw value, field) into a core value.

    `read` raises InvalidArgument naming the field; both come from one declaration, so that neither can promise what the other
    does not keep.
    """

    schema: Schema
    read: Read[T]


def wrong_type(value: Json, field: str, expected: str) -> InvalidArgument:
    """Return the refusal of a value whose JSON type does not fit."""
    found = next((name for kind, name in _TYPE_NAMES if isinstance(value, kind)), "nothing")
    return InvalidArgument(field, echo(value), expected, f"this is {found}")


def echo(value: Json) -> Json:
    """Return what an error may repeat of `value`: containers with much in them are described, not repeated."""
    if isinstance(value, list | dict) and _sprawls(value):
        return f"an array of {len(value)}" if isinstance(value, list) else f"an object of {len(value)} fields"
    return shorten(value)


def _sprawls(value: Json) -> bool:
    """Whether a container holds too much to repeat, however deep it is nested; looks no further than it must."""
    waiting, size = [value], 0
    while waiting and size <= _ECHOED_SIZE:
        part = waiting.pop()
        size += len(part) if isinstance(part, str | list | dict) else 1
        if isinstance(part, list | dict):
            waiting.extend(part)
            waiting.extend(part.values() if isinstance(part, dict) else ())
    return size > _ECHOED_SIZE


def text(most: int) -> Kind[str]:
    """Text of up to `most` characters, with something in it; kept exactly as it came."""

    def read(value: Json, field: str) -> str:
        found = storable(value, field)
        if not found.strip():
            raise InvalidArgument(field, found, "text with at least one visible character", "it is empty")
        if len(found) > most:
            raise InvalidArgument(field, found, f"at most {most} characters", f"{len(found)} characters are too many")
        return found

    told: dict[str, Json] = {"maxLength": most} if most >= _TOLD_LENGTH else {}
    return Kind({"type": "string", **told}, read)


def question() -> Kind[str]:
    """What somebody asks in their own words; controls and NUL in it separate words (T6), half a character is refused."""

    def read(value: Json, field: str) -> str:
        if not isinstance(value, str):
            raise wrong_type(value, field, "a string")
        if SURROGATE.search(value):
            raise InvalidArgument(field, value, "valid Unicode text", "it has half of a surrogate pair")
        if len(value) > limits.CONTENT:
            raise InvalidArgument(field, value, f"at most {limits.CONTENT} characters", f"{len(value)} characters are too many")
        return value

    return Kind({"type": "string", "maxLength": limits.CONTENT}, read)


def label() -> Kind[str]:
    """A label of up to 1,000 characters, compared character by character."""
    return text(limits.LABEL)


def mark() -> Kind[str]:
    """A tag, topic or entity of up to 100 characters."""
    return text(limits.MARK)


def unbounded_label() -> Kind[str]:
    """A label that is compared character by character and never trimmed or measured; only a blank one is refused (F2)."""

    def read(value: Json, field: str) -> str:
        found = storable(value, field)
        if not found.strip():
            raise InvalidArgument(field, found, "the label exactly as the capsules bear it", "a blank label names nothing")
        return found

    return Kind({"type": "string"}, read)


def storable(value: Json, field: str) -> str:
    """Return `value` if it is a string that every store keeps: no NUL, no lone surrogate (W14)."""
    if not isinstance(value, str):
        raise wrong_type(value, field, "a string")
    check_storable(value, field)
    return value


def number(least: float, most: float) -> Kind[float]:
    """A finite number from `least` to `most`, both included; true and false are no numbers, and -0.0 is 0."""

    def read(value: Json, field: str) -> float:
        expected = f"a number from {least:g} to {most:g}"
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong_type(value, field, expected)
        if not least <= value <= most:  # nor is NaN within any bounds
            raise InvalidArgument(field, value, expected, "it is out of range")
        return value + 0.0  # SQLite does not keep the sign of a zero, and Postgres does

    return Kind({"type": "number", "minimum": least, "maximum": most}, read)


def whole(least: int, most: int) -> Kind[int]:
    """A whole number from `least` to `most`, both included; 5.0 is one, as JSON Schema has it."""

    def read(value: Json, field: str) -> int:
        expected = f"a whole number from {least} to {most}"
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong_type(value, field, expected)
        if not least <= value <= most or value != int(value):  # the bounds first: only what is finite has whole parts
            raise InvalidArgument(field, value, expected, "it is out of range or has a fraction")
        return int(value)

    at_least: dict[str, Json] = {"minimum": least} if least else {}
    at_most: dict[str, Json] = {"maximum": most} if most < limits.COUNT else {}
    return Kind({"type": "integer", **at_least, **at_most}, read)


def flag() -> Kind[bool]:
    """True or false, nothing that looks like it."""

    def read(value: Json, field: str) -> bool:
        if not isinstance(value, bool):
            raise wrong_type(value, field, "true or false")
        return value

    return Kind({"type": "boolean"}, read)


def word(vocabulary: type[E]) -> Kind[E]:
    """A word of a closed vocabulary; any other is refused with the list."""

    def read(value: Json, field: str) -> E:
        if not isinstance(value, str):
            raise wrong_type(value, field, "one of " + ", ".join(vocabulary))
        return member(vocabulary, value, field)

    return Kind({"type": "string", "enum": [item.value for item in vocabulary]}, read)


def as_text(kind: Kind[T]) -> Kind[T]:
    """The same, published as any text: where its words stand in another tool's schema, a description need but name that."""
    return Kind({"type": "string"}, kind.read)


def instant() -> Kind[Instant]:
    """An RFC 3339 time with its offset."""

    def read(value: Json, field: str) -> Instant:
        if not isinstance(value, str):
            raise wrong_type(value, field, INSTANT_EXPECTED)
        return parse_instant(value, field)

    return Kind({"type": "string", "format": "date-time"}, read)


def capsule() -> Kind[tuple[str | None, int]]:
    """An exact capsule id, read as the destination that it names, None where it is bare, and its number there (D4)."""

    def read(value: Json, field: str) -> tuple[str | None, int]:
        expected = "a capsule id such as cap-12"
        if not isinstance(value, str):
            raise wrong_type(value, field, expected)
        place, local = split_id(value)
        found = capsule_number(local)
        if found is None:
            raise InvalidArgument(field, value, expected, "ids are exact: cap- and a number, in small letters")
        return place, found

    return Kind({"type": "string"}, read)


def list_of(kind: Kind[T], most: int, least: int = 0) -> Kind[tuple[T, ...]]:
    """An array of `least` to `most` values of one kind; a bare value is refused, as guessing would hide a mistake."""

    def read(value: Json, field: str) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise wrong_type(value, field, f"an array, such as [{value!r}]" if _short(value) else "an array")
        if not least <= len(value) <= most:
            expected = f"{least} to {most} elements" if least else f"at most {most} elements"
            raise InvalidArgument(field, echo(value), expected, f"these are {len(value)}")
        return tuple(kind.read(element, f"{field}[{place}]") for place, element in enumerate(value))

    at_most: dict[str, Json] = {"maxItems": most} if most >= _TOLD_COUNT else {}
    return Kind({"type": "array", "items": kind.schema, **at_most}, read)


def distinct(kind: Kind[tuple[T, ...]]) -> Kind[tuple[T, ...]]:
    """The same array without repetitions, in the order of first appearance."""
    return Kind(kind.schema, lambda value, field: tuple(dict.fromkeys(kind.read(value, field))))


def one_or_more(kind: Kind[tuple[T, ...]]) -> Kind[tuple[T, ...]]:
    """An array as published; a single value is taken for an array of one, because callers that mean one send one."""
    return Kind(kind.schema, lambda value, field: kind.read(value if isinstance(value, list) else [value], field))


def raw_array(most: int) -> Kind[Sequence[Json]]:
    """An array whose elements are judged later, one by one; they are published as any objects."""

    def read(value: Json, field: str) -> Sequence[Json]:
        if not isinstance(value, list):
            raise wrong_type(value, field, "an array of objects")
        if not 1 <= len(value) <= most:
            raise InvalidArgument(field, echo(value), f"1 to {most} items", f"these are {len(value)}")
        return value

    return Kind({"type": "array", "items": {"type": "object"}, "maxItems": most}, read)


def _short(value: Json) -> bool:
    return isinstance(value, str | int | float) and len(str(value)) < 40
