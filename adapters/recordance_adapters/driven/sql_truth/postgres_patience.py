"""Connections that do not wait for ever: the timeouts of a server that is frozen are frozen with it."""

import math
import time
from collections.abc import Generator
from typing import Any, TypeVar

import psycopg

R = TypeVar("R")
MARGIN_SECONDS = 2.0
"""How much later than a server's own timeout we give up: it is the server's to end what takes too long."""


class Unanswered(psycopg.OperationalError):
    """The server has not answered in time. It may yet do what it was asked, and the connection is of no use any more."""


class PatientConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection on which an answer is waited for no longer than `patience` seconds, and then never again."""

    patience: float = math.inf

    def wait(self, gen: Generator[Any, Any, R], *given: Any, **named: Any) -> R:
        """Run what waits for the server. Raises Unanswered when that takes too long."""
        if self.patience == math.inf:
            return super().wait(gen, *given, **named)
        return super().wait(_bounded(gen, time.monotonic() + self.patience), *given, **named)


def _bounded(gen: Generator[Any, Any, R], deadline: float) -> Generator[Any, Any, R]:
    """Yield what `gen` does; whoever runs it looks in every tenth of a second, with nothing to tell where nothing came."""
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if not ready and time.monotonic() > deadline:
                raise Unanswered("the server has not answered within its own timeout")
            wanted = gen.send(ready)
    except StopIteration as ended:
        result: R = ended.value
        return result
