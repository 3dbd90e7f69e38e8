"""Whether this server can answer a recall, judged by taking the way of one (case L8): a process that lives may be of no use."""

import logging
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial

from recordance.domain.caller import Caller
from recordance.errors import RecordanceError, Refusal
from recordance.usecases.probing import Standing, prove_search, standing
from recordance_adapters.driving.mcp_server.options import Service

_WARDEN = Caller(actor="readiness")
"""Sees every destination, and writes nothing."""
_HELD_SECONDS = 1.0
"""How long a verdict holds, so that nobody can make the server busy by asking whether it is ready."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the required destinations can be searched, and what is wrong with each that cannot; no path is named."""

    ready: bool
    failures: Mapping[str, str] = field(default_factory=dict)


class Readiness:
    """Tries the destinations, side by side, each in a thread that may hang. Safe for threads."""

    def __init__(self, service: Service, required: frozenset[str], seconds: float) -> None:
        self._service = service
        self._required = required
        self._seconds = seconds
        self._turn = threading.Lock()
        self._trials: dict[str, Future[None]] = {}
        self._last: tuple[float, Verdict] | None = None

    def verdict(self) -> Verdict:
        """Return how things stand, no older than a second; waits within the bound, so not for the event loop."""
        with self._turn:
            if self._last is not None and time.monotonic() < self._last[0] + _HELD_SECONDS:
                return self._last[1]
            found = self._tried()
            if not found.ready and (self._last is None or self._last[1] != found):
                log.warning("not ready: %s", "; ".join(f"{name}: {why}" for name, why in found.failures.items()))
            self._last = (time.monotonic(), found)
            return found

    def standings(self) -> Iterator[tuple[str, Standing]]:
        """Yield how each destination stands; one that cannot tell is left out."""
        try:
            names = self._service.destinations.visible(_WARDEN)
        except RecordanceError:
            return
        for name in names:
            if (trial := self._trials.get(name)) is not None and not trial.done():
                continue  # it hangs: whoever asks for numbers must not hang too
            try:
                yield name, standing(self._service.destinations.reading(_WARDEN, name))
            except Exception:  # numbers fail open, whatever a destination throws
                log.debug("%s tells no numbers", name, exc_info=True)

    def _tried(self) -> Verdict:
        end = time.monotonic() + self._seconds
        try:
            destinations = self._service.destinations
        except RecordanceError as problem:
            return Verdict(ready=False, failures={"store": _told(problem)})
        wanted = sorted(self._required) or [destinations.default]
        for name in wanted:
            self._start(name)
        failures = {}
        for name in wanted:
            why = self._failure(self._trials[name], max(end - time.monotonic(), 0.0))
            if why is not None:
                failures[name] = why
        return Verdict(ready=not failures, failures=failures)

    def _start(self, name: str) -> None:
        """Begin a trial, unless the one before still hangs: a dead server must not take a thread with each question."""
        last = self._trials.get(name)
        if last is None or last.done():
            self._trials[name] = trial = Future[None]()
            threading.Thread(target=partial(self._try, name, trial), name=f"recordance-ready-{name}", daemon=True).start()

    def _try(self, name: str, trial: Future[None]) -> None:
        try:
            prove_search(self._service.destinations.reading(_WARDEN, name))
        except BaseException as problem:  # noqa: BLE001 - it is raised where the verdict is made
            trial.set_exception(problem)
        else:
            trial.set_result(None)

    def _failure(self, trial: Future[None], seconds: float) -> str | None:
        try:
            problem = trial.exception(seconds)
        except TimeoutError:
            return f"a recall took more than {self._seconds:g} s"
        return None if problem is None else _told(problem)


def _told(problem: BaseException) -> str:
    """Return what may be said of a problem: a lesson of ours, else only its kind; other texts could hold a path or a secret."""
    return problem.message if isinstance(problem, Refusal) else f"it fails ({type(problem).__name__})"
