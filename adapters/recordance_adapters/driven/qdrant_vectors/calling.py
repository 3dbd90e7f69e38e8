"""How a server is asked: what is tried again and after which pause, and what the client's errors mean here.

A server that says it is busy is asked again after a pause, which grows, or is what the server asks for. For a recall the pauses
are short: it has the truth to scan. A connection that broke is opened again once, since servers drop idle ones. Everything that
is asked may be asked twice. The texts of errors name the collection, and never an address or a key.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

import grpc  # type: ignore[import-untyped]
import httpx
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from recordance.errors import Fault

T = TypeVar("T")

FAILURES = (ApiException, QdrantException, grpc.RpcError, ValueError, RuntimeError, OSError, AssertionError)
"""What the client raises: for a refusal or a broken connection, over unknown names in memory, and once it is closed."""


class Trouble(Enum):
    """What is the matter, as far as that decides what to do."""

    BUSY = "the server is busy"
    DROPPED = "the connection broke"
    SILENT = "the server did not answer in time"
    UNREACHABLE = "there is no connection to the server"
    REFUSED = "the server refuses the key, or this key may not do that"
    MISSING = "the server knows nothing of that name"
    OTHER = "the server or the client failed"


_BY_STATUS = {401: Trouble.REFUSED, 403: Trouble.REFUSED, 404: Trouble.MISSING, 429: Trouble.BUSY, 503: Trouble.BUSY}
_BY_CODE = {
    grpc.StatusCode.RESOURCE_EXHAUSTED: Trouble.BUSY,
    grpc.StatusCode.UNAVAILABLE: Trouble.UNREACHABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED: Trouble.SILENT,
    grpc.StatusCode.UNAUTHENTICATED: Trouble.REFUSED,
    grpc.StatusCode.PERMISSION_DENIED: Trouble.REFUSED,
    grpc.StatusCode.NOT_FOUND: Trouble.MISSING,
}


def trouble_of(error: BaseException) -> Trouble:
    """Return what an error of the client means."""
    match error:
        case ResourceExhaustedResponse():
            return Trouble.BUSY
        case UnexpectedResponse(status_code=status):
            return _BY_STATUS.get(status or 0, Trouble.OTHER)
        case ResponseHandlingException(source=httpx.TimeoutException()):
            return Trouble.SILENT
        case ResponseHandlingException(source=httpx.ConnectError()):
            return Trouble.UNREACHABLE
        case ResponseHandlingException(source=httpx.TransportError()):
            return Trouble.DROPPED
        case grpc.Call():
            return _BY_CODE.get(error.code(), Trouble.OTHER)
        case _:
            return Trouble.OTHER


@dataclass(frozen=True, slots=True)
class Pauses:
    """How long is waited for a busy server: `first` seconds, then twice as long each time, `count` times, at most `longest`."""

    count: int
    first: float
    longest: float

    def seconds(self) -> Iterator[float]:
        """Yield each pause."""
        pause = self.first
        for _ in range(self.count):
            yield min(pause, self.longest)
            pause *= 2


@dataclass(frozen=True, slots=True)
class Calling:
    """How the collection `name` is asked. `pause` waits so many seconds; writes may take ten times as long as searches."""

    name: str
    reading_seconds: float = 5.0
    reading: Pauses = Pauses(2, 0.05, 0.2)
    writing: Pauses = Pauses(6, 0.25, 10.0)
    pause: Callable[[float], None] = time.sleep

    @property
    def writing_seconds(self) -> int:
        """How long a write may take, in whole seconds."""
        return max(1, round(10 * self.reading_seconds))

    def read(self, ask: Callable[[], T]) -> T:
        """Return the answer for whoever waits for it. Raises Fault."""
        return self._ask(ask, self.reading)

    def write(self, ask: Callable[[], T]) -> T:
        """Return the answer for the background, which has time. Raises Fault."""
        return self._ask(ask, self.writing)

    def _ask(self, ask: Callable[[], T], pauses: Pauses) -> T:
        left, opened_again = pauses.seconds(), False
        while True:
            try:
                return ask()
            except FAILURES as error:
                trouble = trouble_of(error)
                if trouble is Trouble.DROPPED and not opened_again:
                    opened_again = True
                    continue
                pause = next(left, None) if trouble is Trouble.BUSY else None
                wanted = _wanted_pause(error) or 0.0
                if pause is None or wanted > pauses.longest:
                    raise Unanswered(self.name, trouble) from error
                self.pause(max(pause, wanted))


class Unanswered(Fault):
    """What was asked of a collection was not answered; `trouble` says why."""

    def __init__(self, name: str, trouble: Trouble) -> None:
        super().__init__(f"the collection {name} could not be asked: {trouble.value}")
        self.trouble = trouble


def _wanted_pause(error: BaseException) -> float | None:
    """Return how many seconds the server wants to be left alone; None where it does not say."""
    match error:
        case ResourceExhaustedResponse():
            return float(error.retry_after_s)
        case UnexpectedResponse():
            wanted = error.headers.get("Retry-After", "")
            return float(wanted) if wanted.isdigit() else None
        case _:
            return None
