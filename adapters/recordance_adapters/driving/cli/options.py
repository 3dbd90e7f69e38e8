"""A tool's parameters as options of a command, and the options as the tool's raw arguments.

Nothing is judged here: the tool's own declaration reads what comes of it, so that a mistake is told in the same words as over
every other transport.
"""

import difflib
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from recordance.errors import InvalidArgument, Json
from recordance_adapters.wire.declaration import Parameter
from recordance_adapters.wire.reading import read_json
from recordance_adapters.wire.tool import Tool

_LITERAL = "\0"
"""Marks a word as written after --; no argument of a process can hold this character itself."""
_METAVARS = {"string": "TEXT", "integer": "N", "number": "N", "array": "TEXT", "object": "JSON"}
_VECTOR_METAVAR = "JSON|@FILE"
_VECTOR_EXPECTED = "a JSON array of numbers, or @ and a file that holds one"


_NEAR = 0.8
"""How alike a misspelt option must be to one that exists; a less likely one would be a guess, and fences are options too."""


class Misused(InvalidArgument):
    """Words after `program` that it does not take as they stand; `why` says what is wrong with them."""

    def __init__(self, program: str, why: str) -> None:
        super().__init__("arguments", None, f"what {program} --help shows", why)
        self._program = program

    def __str__(self) -> str:
        """What is wrong, and where help is."""
        return f"{self.why}; {self._program} --help tells more"


class CommandParser(ArgumentParser):
    """A parser that says what is wrong in one line, and takes words and options in any order."""

    def read(self, words: Sequence[str]) -> Namespace:
        """Return what the words give; raises Misused when they are wrong, and ends the program when they ask for help."""
        given, strange = self.parse_known_intermixed_args(list(_marked(words)))
        if strange:
            self.error(self._lesson(strange[0].removeprefix(_LITERAL)))
        return Namespace(**{name: _unmarked(value) for name, value in vars(given).items()})

    def error(self, message: str) -> NoReturn:
        """See Misused."""
        raise Misused(self.prog, message)

    def _lesson(self, strange: str) -> str:
        """Return what to say of a word that no option and no place takes."""
        if not strange.startswith("-"):
            return f"there is no place for {strange!r}"
        if strange.partition("=")[0] == "--project":
            return "--project stamps what store, mcp and serve write, and fences nothing; use --project-id or --project-prefix"
        known = [name.lstrip("-") for action in self._actions for name in action.option_strings]
        near = difflib.get_close_matches(strange.partition("=")[0].lstrip("-"), known, 1, _NEAR)
        instead = f"did you mean --{near[0]}?" if near else "a word that begins with - is written after --"
        return f"there is no option {strange!r}; {instead}"


def _marked(words: Iterable[str]) -> Iterator[str]:
    """Yield the words without the first --, and those behind it so that they are taken for no option (argparse forgets to)."""
    before = iter(words)
    yield from takewhile(lambda word: word != "--", before)
    yield from (_LITERAL + word for word in before)


def _unmarked(value: Any) -> Any:
    match value:
        case str():
            return value.removeprefix(_LITERAL)
        case list():
            return [_unmarked(each) for each in value]
        case _:
            return value


def add_options(parser: ArgumentParser, tool: Tool, without: Collection[str]) -> None:
    """Give `parser` one option for each parameter of `tool` but those in `without`."""
    for parameter in tool.arguments.parameters:
        if parameter.name not in without:
            _add_option(parser, parameter)


def _add_option(parser: ArgumentParser, parameter: Parameter) -> None:
    form: dict[str, Any] = {"dest": parameter.name, "default": None, "help": _explained(parameter)}
    kind = parameter.schema["type"]
    if kind == "boolean":
        form["action"] = "store_true"
    else:
        form["metavar"] = _VECTOR_METAVAR if _is_vector(parameter.schema) else _METAVARS[kind]
        if _repeats(parameter.schema):
            form["action"] = "append"
    parser.add_argument("--" + parameter.name.replace("_", "-"), **form)


def _is_vector(schema: Mapping[str, Json]) -> bool:
    """Whether a parameter is an array of numbers: far too many of them to be given one by one."""
    return bool(schema["type"] == "array" and schema["items"]["type"] == "number")


def _repeats(schema: Mapping[str, Json]) -> bool:
    """Whether an option is given once for each element."""
    return schema["type"] == "array" and not _is_vector(schema)


def _explained(parameter: Parameter) -> str:
    schema = parameter.schema
    choices = f"One of {', '.join(map(str, schema['enum']))}." if "enum" in schema else ""
    again = "Give it again for more." if _repeats(schema) else ""
    vector = "A JSON array, or @ and the file that holds it." if _is_vector(schema) else ""
    fields = f"A JSON object with {', '.join(schema['properties'])}." if schema.get("properties") else ""
    default = f"(default: {parameter.default})" if parameter.default not in (None, False) else ""
    return " ".join(part for part in (parameter.description, choices, again, vector, fields, default) if part).replace("%", "%%")


def raw_arguments(tool: Tool, given: Namespace) -> dict[str, Json]:
    """Return the raw arguments of `tool` that the options give; what was left out is absent."""
    values: Mapping[str, Json] = vars(given)
    return {
        parameter.name: _raw(parameter, values[parameter.name])
        for parameter in tool.arguments.parameters
        if values.get(parameter.name) is not None
    }


def _raw(parameter: Parameter, value: Json) -> Json:
    """Return a value as JSON would have carried it; what does not read as its kind stays text, for the tool to refuse."""
    if not isinstance(value, str):
        return value
    if _is_vector(parameter.schema):
        parsed = _parsed(_text_of(parameter.name, value))
        if isinstance(parsed, str):
            raise InvalidArgument(parameter.name, value, _VECTOR_EXPECTED, "what is given there is no JSON")
        return parsed
    return _parsed(value) if parameter.schema["type"] in ("integer", "number", "object") else value


def _text_of(name: str, value: str) -> str:
    """Return what an option gives: itself, or what lies in the file that it names after @."""
    if not value.startswith("@"):
        return value
    try:
        return file_path(value[1:]).read_bytes().decode("utf-8", "surrogateescape")
    except OSError as problem:
        why = f"the file cannot be read ({problem.strerror or type(problem).__name__})"
        raise InvalidArgument(name, value, _VECTOR_EXPECTED, why) from None


def standard_input(what: str) -> str:
    """Return all of stdin as UTF-8, whatever the locale; at a terminal, first say on stderr what is waited for."""
    if sys.stdin.isatty():
        print(f"Reading {what} from the keyboard; end with Ctrl-D.", file=sys.stderr)
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def statement(given: str | None) -> str:
    """Return the statement that is given as a word; left out or `-`, what stdin has, without the line's end."""
    if given not in (None, "-"):
        return str(given)
    return standard_input("the statement").removesuffix("\n").removesuffix("\r")


def file_path(name: str) -> Path:
    """Return the path that an argument names; arguments are read as UTF-8, names of files are what the system makes of them."""
    return Path(os.fsdecode(name.encode("utf-8", "surrogateescape")))


def read_jsonl(name: str) -> Iterator[Json]:
    """Yield the value of each line of a file, or of stdin for `-`; a line that is not JSON comes as its text."""
    with sys.stdin.buffer if name == "-" else _opened(name) as lines:
        for line in lines:
            text = line.decode("utf-8", "surrogateescape").strip()
            if text:
                yield _parsed(text)


def _opened(name: str) -> BinaryIO:
    try:
        return file_path(name).open("rb")
    except OSError as problem:
        why = problem.strerror or type(problem).__name__
        raise InvalidArgument("--items", name, "a file with a JSON object on each line", f"it cannot be read ({why})") from None


def _parsed(text: str) -> Json:
    try:
        return read_json(text)
    except (ValueError, RecursionError):
        return text
