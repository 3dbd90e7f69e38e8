"""The service: destinations behind doors, each opened when it is first asked for, so that a server can shake hands at once."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeGuard

from recordance.domain.caller import Caller
from recordance.errors import Fault, StoreUnusable
from recordance.ports.clock import standing_stopwatch
from recordance.ports.housing import Housing
from recordance.usecases.side_by_side import SideBySide
from recordance.usecases.store import Destinations, Store
from recordance_adapters.bootstrap.models import models_of
from recordance_adapters.driven.signing import Ed25519Verifier
from recordance_adapters.sections import DestinationSettings
from recordance_adapters.settings import Settings
from recordance_adapters.wire.failure import new_fault_id

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Opened:
    """An open store, the place that it lives in, and how all of it is let go again."""

    store: Store
    housing: Housing
    close: Callable[[], None]


Opening = Callable[[Settings, DestinationSettings], Opened]
"""Opens the store of one destination."""


_CLOSING_SECONDS = 1.0
"""How long the end waits for a store that is just being opened, by a server that may never answer."""


class _Door:
    """One destination, opened when it is first asked for, by whoever asks first; the others wait for that one only.

    Where that fails, whoever waited for it is told so too, rather than each in turn waiting for a server that is not there.
    """

    def __init__(self, opening: Callable[[], Opened]) -> None:
        self._opening = opening
        self._turn = threading.Lock()
        self._opened: Opened | None = None
        self._failure: StoreUnusable | None = None
        self._closed = False

    def opened(self) -> Opened:
        opened, known = self._opened, self._failure
        if opened is not None:
            return opened
        with self._turn:
            if self._opened is None:
                self._check_open()
                if self._failure is not None and self._failure is not known:
                    raise self._failure.with_traceback(None)
                self._opened = self._open()
                if self._closed:  # while it opened, nobody waited for it
                    self._let_go()
            self._check_open()
            return self._opened

    def close(self) -> None:
        """Let the store go, and open none any more; one that is only being opened is let go by whoever opens it."""
        self._closed = True
        if self._turn.acquire(timeout=_CLOSING_SECONDS):
            try:
                self._let_go()
            finally:
                self._turn.release()

    def _open(self) -> Opened:
        try:
            return self._opening()
        except StoreUnusable as failure:
            self._failure = failure
            raise

    def _check_open(self) -> None:
        if self._closed:
            raise Fault("the service is closed")

    def _let_go(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()


class _Stores(Mapping[str, Store]):
    """The stores behind their doors."""

    def __init__(self, doors: Mapping[str, _Door]) -> None:
        self._doors = doors

    def __getitem__(self, name: str) -> Store:
        return self._doors[name].opened().store

    def __iter__(self) -> Iterator[str]:
        return iter(self._doors)

    def __len__(self) -> int:
        return len(self._doors)


def _note_fault(destination: str, problem: object) -> str:
    fault = new_fault_id()
    _log.error("%s in destination %s: %s", fault, destination, problem, exc_info=problem if _is_strange(problem) else None)
    return fault


def _is_strange(problem: object) -> TypeGuard[BaseException]:
    """Whether only its trace tells where it comes from."""
    return isinstance(problem, BaseException) and not isinstance(problem, StoreUnusable)


class Service:
    """The house. Safe for threads; whoever opened it closes it.

    Destinations open one by one, each when it is first asked for, so that one that cannot be opened leaves the others alone.
    """

    def __init__(self, settings: Settings, opening: Opening) -> None:
        self._settings = settings
        self._doors = {place.name: _Door(partial(opening, settings, place)) for place in settings.places()}
        self._destinations = Destinations(
            _Stores(self._doors),
            settings.catalogue(),
            SideBySide(time.monotonic),
            _note_fault,
            models=models_of(settings),
            pipeline=settings.pipeline_defaults(),
            # Where the clock stands still, so that two runs say the same, nothing may take a time either.
            stopwatch=time.perf_counter if settings.fixed.clock is None else standing_stopwatch,
            reliance=replace(settings.reliance(), verifier=Ed25519Verifier()),
        )

    @property
    def destinations(self) -> Destinations:
        """The destinations. Where there is one alone, it is opened here; raises StoreUnusable or MissingState when that fails."""
        if len(self._doors) == 1:
            self._doors[self._destinations.default].opened()
        return self._destinations

    def housing(self, name: str | None = None) -> Housing:
        """Return the place that a destination lives in, None being the default; opens it as `destinations` does.

        Raises KeyError for an unknown name.
        """
        return self._doors[name or self._destinations.default].opened().housing

    def caller(self, hint: str) -> Caller:
        """Return who asks: the configured actor, else `hint`, which is the client's own name."""
        return Caller(actor=self._settings.actor or hint)

    def close(self) -> None:
        """Stop what runs in the background and release every store; a service that was closed opens no more."""
        for door in self._doors.values():
            door.close()
