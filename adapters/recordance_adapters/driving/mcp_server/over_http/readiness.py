"""Whether this server can answer a recall, judged by taking the way of one (case L8): a process that lives may be of no use."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial

from recordance.domain.caller import Caller
from recordance.errors import Refusal, StoreUnusable
from recordance.usecases.probing import Standing, prove_search, standing
from recordance_adapters.driving.mcp_server.options import Service

_WARDEN = Caller(actor="readiness")
"""Sees every destination, and writes nothing."""
_STORE = "store"
"""Under what name it is told that there are no destinations at all."""
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
        if self._hangs(_STORE):
            return
        try:
            destinations = self._service.destinations
            names = destinations.visible(_WARDEN)
        except Exception:
            log.debug("there are no numbers", exc_info=True)
            return
        for name in names:
            if self._hangs(name):
                continue  # whoever asks for numbers must not hang too
            try:
                yield name, standing(destinations.reading(_WARDEN, name), destinations.models)
            except Exception:  # numbers fail open, whatever a destination throws
                log.debug("%s tells no numbers", name, exc_info=True)

    def _hangs(self, name: str) -> bool:
        trial = self._trials.get(name)
        return trial is not None and not trial.done()

    def _tried(self) -> Verdict:
        end = time.monotonic() + self._seconds
        opened = self._failures({_STORE: lambda: self._service.destinations}, end)
        if opened:
            return Verdict(ready=False, failures=opened)
        wanted = sorted(self._required) or [self._service.destinations.default]
        failures = self._failures({name: partial(self._search, name) for name in wanted}, end)
        return Verdict(ready=not failures, failures=failures)

    def _search(self, name: str) -> None:
        prove_search(self._service.destinations.reading(_WARDEN, name))

    def _failures(self, trials: Mapping[str, Callable[[], object]], end: float) -> dict[str, str]:
        for name, work in trials.items():
            self._start(name, work)
        told = {name: self._failure(self._trials[name], max(end - time.monotonic(), 0.0)) for name in trials}
        return {name: why for name, why in told.items() if why is not None}

    def _start(self, name: str, work: Callable[[], object]) -> None:
        """Begin a trial, unless the one before still hangs: a dead server must not take a thread with each question."""
        last = self._trials.get(name)
        if last is None or last.done():
            self._trials[name] = trial = Future[None]()
            threading.Thread(target=_try, args=(work, trial), name=f"recordance-ready-{name}", daemon=True).start()

    def _failure(self, trial: Future[None], seconds: float) -> str | None:
        try:
            problem = trial.exception(seconds)
        except TimeoutError:
            return f"a recall took more than {self._seconds:g} s"
        return None if problem is None else _told(problem)


def _try(work: Callable[[], object], trial: Future[None]) -> None:
    try:
        work()
    except BaseException as problem:
        log.debug("a trial failed", exc_info=True)
        trial.set_exception(problem)
    else:
        trial.set_result(None)


def _told(problem: BaseException) -> str:
    """Return what may be said of a problem: a lesson of ours, else only its kind; other texts could hold a path or a secret."""
    match problem:
        case Refusal():
            return problem.message
        case StoreUnusable(lesson=lesson):
            return lesson
        case _:
            return f"it fails ({type(problem).__name__})"
