"""How refusals look on the wire: a code, a sentence that teaches, and its parts as data (WIRE.md "Errors")."""

import json
import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from recordance.errors import InvalidArgument, Json, MissingState, Refusal, SearchFailed, StoreUnusable
from recordance_adapters.wire.kinds import SURROGATE

INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
MISSING_STATE = -32002
SEARCH_FAILED = -32003

_CODES: tuple[tuple[type[Refusal], int], ...] = (
    (InvalidArgument, INVALID_PARAMS),
    (MissingState, MISSING_STATE),
    (SearchFailed, SEARCH_FAILED),
)


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as JSON-RPC carries it; every text in it can be written as UTF-8."""

    code: int
    message: str
    data: Mapping[str, Json]


def failure_of(refusal: Refusal) -> Failure:
    """Return the refusal as the wire says it."""
    code = next(code for kind, code in _CODES if isinstance(refusal, kind))
    return Failure(code, writable(refusal.message), writable(dict(refusal.data)))


def new_fault_id() -> str:
    """Return an id under which a fault is told and logged."""
    return f"fault-{secrets.token_hex(4)}"


def fault_failure(problem: Exception, fault: str) -> Failure:
    """Return what is said of a fault: its id, of an unusable store what to do too; the log has the rest under that id."""
    match problem:
        case StoreUnusable(lesson=lesson, kind=kind):
            return failure_of(MissingState(kind, fault, lesson))
        case _:
            lesson = f"Internal fault {fault}; the server's log on stderr tells more under this id."
            return Failure(INTERNAL_ERROR, lesson, {"fault": fault})


def legible(refusal: InvalidArgument) -> InvalidArgument:
    """Return the same refusal with every text in it writable, for a place where it is told inside an answer."""
    return InvalidArgument(writable(refusal.field), writable(refusal.got), refusal.expected, writable(refusal.why))


def writable(value: Json) -> Json:
    """Return `value` with every lone surrogate replaced, and what is no number in JSON as text.

    So repeating what was sent cannot break the answer (case A8).
    """
    match value:
        case float() if not math.isfinite(value):
            return json.dumps(value)
        case str():
            return SURROGATE.sub("\ufffd", value)
        case list() | tuple():
            return [writable(element) for element in value]
        case dict():
            return {writable(name): writable(element) for name, element in value.items()}
        case _:
            return value
