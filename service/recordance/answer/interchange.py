"""Domain values as JSON and back, by their own fields: what an export writes and an import reads (W10).

Nothing is listed here field by field, so no field can be forgotten. What is None or empty is left out. Instants are RFC 3339
times, enums their words, vectors what `vector_text` makes of them, everything else itself; reading checks types, and that every
text can be stored (W14).
"""

import math
import types
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import EnumType, StrEnum
from functools import cache
from typing import Any, NamedTuple, TypeVar

from recordance.answer.vector_text import vector_view, viewed_vector
from recordance.domain.embedding import Vector
from recordance.domain.instant import Instant, format_instant, parse_instant
from recordance.domain.storable import check_storable
from recordance.errors import InvalidArgument, Json

T = TypeVar("T")

_UNIONS = (typing.Union, types.UnionType)
_LARGEST = 2**63 - 1
_NAMES: Mapping[object, str] = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def to_json(value: object) -> Json:
    """Return a domain value as JSON."""
    return _write(type(value), value)


def from_json(kind: type[T], raw: Json, path: str) -> T:
    """Return the value of dataclass `kind` that `raw` spells; raises InvalidArgument naming the field below `path`."""
    read: T = _read(kind, raw, path)
    return read


def _write(kind: Any, value: Any) -> Json:
    match value:
        case None | bool() | float():
            return value
        case int():
            return format_instant(Instant(value)) if kind is Instant else value
        case str():
            return str(value)
        case Mapping():
            of_key, of_value = _arguments(kind)
            return {str(key): _write(of_value, value[key]) for key in _ordered(of_key, value)}
        case Vector():
            return vector_view(value)
        case tuple():
            return [_write(part, each) for part, each in zip(_parts(kind, len(value)), value, strict=True)]
        case _:
            return {
                name: _write(field.kind, each)
                for name, field in _form(value.__class__).items()
                if (each := getattr(value, name)) is not None and each not in ((), {})
            }


def _ordered(kind: Any, keys: Collection[Any]) -> Iterable[Any]:
    """Return the keys in the order of their vocabulary, so that equal values are equal lines; others as they came."""
    return [word for word in list[Any](kind) if word in keys] if isinstance(kind, EnumType) else keys


def _read(kind: Any, raw: Json, path: str) -> Any:
    if kind is Instant:
        return parse_instant(_text(raw, path), path)
    if kind is Vector:
        return viewed_vector(_checked(raw, dict, "an object", path), path)
    if _is_record(kind):
        return _read_fields(kind, _checked(raw, dict, "an object", path), path)
    origin = _origin(kind)
    if origin is tuple:
        return tuple(_read_parts(kind, _checked(raw, list, "an array", path), path))
    if origin is Mapping:
        of_key, of_value = _arguments(kind)
        pairs = _checked(raw, dict, "an object", path).items()
        return {_read(of_key, key, path): _read(of_value, each, f"{path}.{key}") for key, each in pairs}
    if origin in _UNIONS:
        return _read_scalar(raw, path)
    return _read_plain(kind, raw, path)


def _read_plain(kind: Any, raw: Json, path: str) -> Any:
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return _member(kind, _text(raw, path), path)
    if kind is str:
        return _text(raw, path)
    value = _checked(raw, int | float if kind is float else kind, _NAMES[kind], path)
    return kind(_kept(value, path) + 0)  # not every database keeps the sign of a zero


def _read_scalar(raw: Json, path: str) -> Json:
    """Return a value that may be of several plain types, as a journal row's may."""
    if isinstance(raw, str):
        return _text(raw, path)
    if raw is None or isinstance(raw, int | float):
        return raw if raw is None else _kept(raw, path)
    raise InvalidArgument(path, raw, "a text, a number or nothing", "it is neither")


def _read_fields(kind: Any, raw: Mapping[str, Json], path: str) -> Any:
    known = _form(kind)
    for name in raw:
        if name not in known:
            raise InvalidArgument(f"{path}.{name}", raw[name], f"only {', '.join(known)}", "there is no such field")
    return kind(
        **{
            name: _absent(field, f"{path}.{name}") if raw.get(name) is None else _read(field.kind, raw[name], f"{path}.{name}")
            for name, field in known.items()
            if name in raw or field.needed
        }
    )


def _absent(field: "_Field", where: str) -> Any:
    """Return what it means that a field without a default is left out, as an export does with what is None or empty."""
    if field.optional:
        return None
    origin = _origin(field.kind)
    if origin is None:
        raise InvalidArgument(where, None, _NAMES.get(field.kind, "its value"), "it is missing")
    return () if origin is tuple else {}


class _Field(NamedTuple):
    """A field as it is written and read: the kind of its value that is not None, and whether it may be None or left out."""

    kind: Any
    optional: bool
    needed: bool


@cache
def _form(kind: Any) -> Mapping[str, _Field]:
    """Return the fields of a dataclass by name."""
    return {
        field.name: _Field(
            _plain(field.type),
            _plain(field.type) is not field.type,
            field.default is MISSING and field.default_factory is MISSING,
        )
        for field in fields(kind)
    }


def _read_parts(kind: Any, raw: Sequence[Json], path: str) -> Iterator[Any]:
    parts = _parts(kind, len(raw))
    if len(parts) != len(raw):
        raise InvalidArgument(path, raw, f"{len(parts)} values", f"there are {len(raw)}")
    for place, (part, each) in enumerate(zip(parts, raw, strict=True)):
        yield _read(part, each, f"{path}[{place}]")


def _parts(kind: Any, length: int) -> Sequence[Any]:
    """Return the kind of each element of a tuple: one for all, or one each."""
    arguments = _arguments(kind)
    return [arguments[0]] * length if arguments[-1] is Ellipsis else arguments


@cache
def _is_record(kind: Any) -> bool:
    return is_dataclass(kind)


@cache
def _origin(kind: Any) -> Any:
    """Return what a generic kind is of: tuple, Mapping or a union; a line has many fields, so this is worked out once."""
    return typing.get_origin(kind)


@cache
def _arguments(kind: Any) -> Sequence[Any]:
    return typing.get_args(kind)


def _plain(kind: Any) -> Any:
    """Return the kind of an optional field without its None; a union of several kinds stays as it is."""
    others = [each for each in _arguments(kind) if each is not types.NoneType]
    return others[0] if typing.get_origin(kind) in _UNIONS and len(others) == 1 else kind


def _text(raw: Json, path: str) -> str:
    text: str = _checked(raw, str, "a text", path)
    check_storable(text, path)
    return text


def _kept(number: float, path: str) -> float:
    """Return a number that every store keeps: finite, and of 64 bits if it is whole."""
    if isinstance(number, int) and abs(number) > _LARGEST:
        raise InvalidArgument(path, "a larger one", f"a whole number up to {_LARGEST}", "no store keeps it")
    if not math.isfinite(number):
        raise InvalidArgument(path, str(number), "a finite number", "it is not finite")
    return number


def _member(kind: type[StrEnum], word: str, path: str) -> StrEnum:
    try:
        return kind(word)
    except ValueError:
        raise InvalidArgument(path, word, f"one of {', '.join(kind)}", "there is no such word") from None


def _checked(raw: Json, kind: Any, expected: str, path: str) -> Any:
    if isinstance(raw, kind) and (kind is bool or not isinstance(raw, bool)):
        return raw
    raise InvalidArgument(path, raw, expected, "it is something else")
