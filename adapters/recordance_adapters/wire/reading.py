"""JSON as callers write it, with nothing lost in the reading: a name that stands twice is kept in mind, to be refused by name.

A reader that takes the last of two values drops the other unseen, and that could be a fence. NaN and the infinities, which are no
JSON, come through as numbers, so that they are refused by the name of the argument that has them; so do, as infinities, whole
numbers of thousands of digits, which are JSON and which nobody could mean.
"""

import json
from collections import Counter

from recordance.errors import InvalidArgument, Json
from recordance_adapters.wire.kinds import echo


class Doubled(dict[str, Json]):
    """An object in which names stood more than once; it holds the last value of each, and `name` is the first of them."""

    __slots__ = ("name",)

    def __init__(self, pairs: list[tuple[str, Json]]) -> None:
        super().__init__(pairs)
        self.name = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)


def read_json(text: str) -> Json:
    """Return the value of a JSON text; raises ValueError for what is none, RecursionError for what is nested too deeply."""
    return _DECODER.decode(text)


def check_once(value: Json, path: str) -> None:
    """Refuse an object, at `path`, in which a name stands more than once."""
    if isinstance(value, Doubled):
        field = f"{path}.{value.name}" if path else value.name
        why = "it is given more than once, and all but one would be left unread"
        raise InvalidArgument(field, echo(value[value.name]), "it once", why)


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else Doubled(pairs)


def _whole(digits: str) -> float:
    try:
        return int(digits)
    except ValueError:  # longer than this interpreter reads as whole numbers
        return float(digits)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=float, parse_int=_whole)
