"""Metadata: a caller's own pairs, each value kept as canonical JSON text so that equal values compare equal (F9, W14)."""

import json
import math
from collections.abc import Iterator

from recordance.errors import InvalidArgument, Json
from recordance_adapters.wire import limits
from recordance_adapters.wire.kinds import Kind, echo, storable, text, wrong_type
from recordance_adapters.wire.reading import check_once

Pairs = tuple[tuple[str, str], ...]
"""Name → canonical JSON text of the value, in the order in which they came."""


def metadata() -> Kind[Pairs]:
    """An object of named JSON values."""
    name_of = text(limits.PAIR_NAME)

    def read(value: Json, field: str) -> Pairs:
        if not isinstance(value, dict):
            raise wrong_type(value, field, "an object of named values")
        check_once(value, field)
        if len(value) > limits.PAIRS:
            raise InvalidArgument(field, echo(value), f"at most {limits.PAIRS} pairs", f"these are {len(value)}")
        return tuple((name_of.read(name, f"{field}.{name}"), _canonical(value[name], f"{field}.{name}")) for name in value)

    return Kind({"type": "object"}, read)


def _canonical(value: Json, field: str) -> str:
    for depth, part in _parts(value):
        if depth > limits.PAIR_DEPTH:
            raise InvalidArgument(field, echo(part), f"at most {limits.PAIR_DEPTH} levels", "it is nested too deeply")
        check_once(part, field)
        if isinstance(part, str):
            storable(part, field)
        if isinstance(part, float) and not math.isfinite(part):
            raise InvalidArgument(field, str(part), "a finite number", "JSON has no such number")
    written = canonical_json(value)
    if len(written) > limits.PAIR_VALUE:
        expected = f"at most {limits.PAIR_VALUE} characters of JSON"
        raise InvalidArgument(field, echo(value), expected, f"{len(written)} characters are too many")
    return written


def canonical_json(value: Json) -> str:
    """Return the one compact text of a JSON value: names sorted, no spaces, characters as themselves."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _parts(value: Json) -> Iterator[tuple[int, Json]]:
    """Yield every value inside `value`, names included, with its depth; without recursion, and no deeper than may be."""
    waiting = [(1, value)]
    while waiting:
        depth, part = waiting.pop()
        yield depth, part
        if depth > limits.PAIR_DEPTH:
            continue
        inner = [*part, *part.values()] if isinstance(part, dict) else part if isinstance(part, list) else ()
        waiting.extend((depth + 1, element) for element in inner)
