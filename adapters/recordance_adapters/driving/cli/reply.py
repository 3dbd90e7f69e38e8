"""What a command comes to: the answer object, how a person reads it, and how the process ends (WIRE.md "Command line")."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from recordance.errors import Fault, InvalidArgument, Json, MissingState, Refusal, StateKind
from recordance_adapters.wire.failure import Failure, failure_of

Answer = Mapping[str, Json]
Show = Callable[[Answer], Iterable[str]]
"""An answer as lines for a person."""


class ExitCode(IntEnum):
    """How the process ends."""

    DONE = 0
    """Grounded, or done."""
    NOTHING = 1
    """Nothing was found."""
    USAGE = 2
    """What was asked for cannot be served as it was put."""
    FAILURE = 3
    """The store or the machine failed."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with its showing and its end. An answer of None has been written already."""

    answer: Answer | None
    show: Show
    code: ExitCode = ExitCode.DONE


_MISPUT = frozenset(
    {StateKind.UNKNOWN_DESTINATION, StateKind.NO_TRUST_ROOT, StateKind.REVISION_CONFLICT, StateKind.IDEMPOTENCY_CONFLICT}
)
"""What there is, is known; what was asked does not fit it. None of it may look like an empty answer (F11, W13)."""
_FAILURES = frozenset({StateKind.STORE_BUSY, StateKind.INDEX_BEHIND, StateKind.NOT_PERMITTED})


def code_of(problem: Refusal | Fault) -> ExitCode:
    """Return how the process ends after a refusal or a fault."""
    match problem:
        case InvalidArgument():
            return ExitCode.USAGE
        case MissingState(kind=kind) if kind in _MISPUT:
            return ExitCode.USAGE
        case MissingState(kind=kind) if kind not in _FAILURES:
            return ExitCode.NOTHING
        case _:
            return ExitCode.FAILURE


def refusal_object(refusal: Refusal) -> dict[str, Json]:
    """Return a refusal as `--json` prints it: what JSON-RPC carries over MCP, under `error`."""
    return error_object(failure_of(refusal))


def error_object(failure: Failure) -> dict[str, Json]:
    """Return a failure as `--json` prints it."""
    return {"error": {"code": failure.code, "message": failure.message, "data": dict(failure.data)}}


def one_line(answer: Answer) -> str:
    """Return an answer as one compact line, with the bytes that every other transport sends."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
