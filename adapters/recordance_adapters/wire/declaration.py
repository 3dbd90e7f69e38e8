"""Declarations: the parameters of one object, from which come both its published schema and the reading of raw arguments."""

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from recordance.errors import InvalidArgument, Json
from recordance_adapters.wire.kinds import Kind, echo, wrong_type
from recordance_adapters.wire.reading import check_once

Values = dict[str, Any]
"""Read arguments: name → core value, only those that were sent, in the order of the declaration."""


_TYPES = {
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "an array",
    "object": "an object",
}


NEAR = 0.7
"""How alike a misspelt name must be to one that exists; a less likely guess would mislead."""


class Presence(Enum):
    """Whether a parameter may be left out, and what a null in its place means."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    """Left out or null: not given."""
    FENCE = "fence"
    """May be left out; a null is refused, because a fence that falls away unseen shows what it should hide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter: its name, what it takes, what it means, and what holds when it is left out.

    `example` is shown by the refusal that asks for it, `missing` is that refusal's reason; `mistaken_for` are other names under
    which callers look for it, which no likeness of letters would lead here.
    """

    name: str
    kind: Kind[Any]
    description: str = ""
    presence: Presence = Presence.OPTIONAL
    default: Json = None
    example: Json = None
    missing: str = "it is required"
    mistaken_for: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Json]:
        """The parameter as the schema of its object shows it."""
        told: dict[str, Json] = {"description": self.description} if self.description else {}
        given: dict[str, Json] = {} if self.default is None else {"default": self.default}
        return {**self.kind.schema, **told, **given}


@dataclass(frozen=True, slots=True)
class Declaration:
    """All parameters of one object, in the order in which they are published and judged."""

    parameters: tuple[Parameter, ...]
    _by_name: Mapping[str, Parameter] = field(init=False, repr=False, compare=False)
    _places: Mapping[str, int] = field(init=False, repr=False, compare=False)
    _required: tuple[Parameter, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the parameters: an object of a batch gives few of many."""
        required = tuple(parameter for parameter in self.parameters if parameter.presence is Presence.REQUIRED)
        object.__setattr__(self, "_by_name", {parameter.name: parameter for parameter in self.parameters})
        object.__setattr__(self, "_places", {parameter.name: place for place, parameter in enumerate(self.parameters)})
        object.__setattr__(self, "_required", required)

    @property
    def schema(self) -> dict[str, Json]:
        """A plain object schema of draft 2020-12; `type` and `required` are always there (case J2, case J3)."""
        return {
            "type": "object",
            "properties": {parameter.name: parameter.schema for parameter in self.parameters},
            "required": [parameter.name for parameter in self._required],
        }

    def read(self, raw: Json, path: str = "") -> Values:
        """Return the core values of the parameters that `raw` gives.

        `path` is that of the object itself, empty for a tool's arguments. Raises InvalidArgument for an unknown name
        (with the nearest known one), a missing required parameter, and whatever its kind refuses.
        """
        self.check_names(raw, path)
        return dict(self._values(raw, f"{path}." if path else ""))

    def check_names(self, raw: Json, path: str = "") -> None:
        """Refuse what is not an object, a name in it that stands twice, and the first that is unknown."""
        if not isinstance(raw, dict):
            raise wrong_type(raw, path or "arguments", "an object of named parameters")
        check_once(raw, path)
        for name in raw:
            if name not in self._by_name:
                raise _unknown(name, raw[name], self.parameters, path)

    def _values(self, raw: Mapping[str, Json], prefix: str) -> Iterator[tuple[str, Any]]:
        for name in sorted(raw, key=self._places.__getitem__):
            parameter, value = self._by_name[name], raw[name]
            if value is not None:
                yield name, parameter.kind.read(value, prefix + name)
            elif parameter.presence is Presence.FENCE:
                why = "a null here would be no fence at all"
                raise InvalidArgument(prefix + name, None, f"{expected_of(parameter)}, or leave it out", why)
        for parameter in self._required:
            if raw.get(parameter.name) is None:
                raise InvalidArgument(prefix + parameter.name, None, expected_of(parameter), parameter.missing)


def _unknown(name: str, value: Json, parameters: Sequence[Parameter], field: str) -> InvalidArgument:
    known = {parameter.name: parameter for parameter in parameters}
    meant = [parameter.name for parameter in parameters if name in parameter.mistaken_for]
    near = meant or difflib.get_close_matches(name, known, n=1, cutoff=NEAR)
    expected = _instead(known[near[0]]) if near else "only " + (", ".join(known) or "an empty object")
    path = f"{field}.{name}" if field else name
    why = "there is no such parameter, and one left unread could be a dropped fence"
    return InvalidArgument(path, echo(value), expected, why)


def _instead(parameter: Parameter) -> str:
    """Return the name to send; of an object its shape too, since what was sent may belong inside it."""
    if not isinstance(parameter.example, dict):
        return f"{parameter.name} instead"
    return f"{parameter.name} instead, such as {json.dumps({parameter.name: parameter.example}, ensure_ascii=False)}"


def expected_of(parameter: Parameter) -> str:
    """Return in a few words what a parameter takes."""
    what = _TYPES[parameter.kind.schema["type"]]
    return what if parameter.example is None else f"{what}, such as {json.dumps(parameter.example, ensure_ascii=False)}"


def object_of(declaration: Declaration) -> Kind[Values]:
    """An object with its own declaration, as the value of a parameter."""
    return Kind(declaration.schema, declaration.read)


def named_object_of(declaration: Declaration) -> Kind[Values]:
    """The same object, published as any: where its fields stand beside it already, a description need but name them."""
    return Kind({"type": "object"}, declaration.read)
