"""The premises of a store on a database server: who is waited for, how long, and what is told to the others (W6)."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from recordance.domain.place import TERM_INDEX, VECTOR_INDEX, Place, PlaceState
from recordance.errors import StateKind, StoreUnusable
from recordance_adapters.driven.system.index_folders import IndexFolders
from recordance_adapters.driven.system.other_hosts import Elsewhere
from recordance_adapters.driven.system.presence import Presence, Stay
from recordance_adapters.driven.system.server_premises import ServerGrounds, ServerPremises
from recordance_adapters.driven.system.sweeping import Sweeper

PATIENCE = 5.0
BOUND = 20.0
NOBODY = Elsewhere((), awaited=False)
AWAY = StoreUnusable("the server is away", kind=StateKind.STORE_UNREACHABLE)


@dataclass
class House:
    """The places as a test wants them, and a clock that only waiting moves; `meanwhile` happens at each wait."""

    swept: int = 9
    clean: int = 9
    others: Elsewhere = NOBODY
    hears: bool = True
    meanwhile: Callable[[], None] = lambda: None
    now: float = 0.0
    told: list[int] = field(default_factory=list)

    def premises(self) -> ServerPremises:
        folders = IndexFolders(Path("0"), list, {TERM_INDEX: lambda _: self.clean, VECTOR_INDEX: lambda _: None})
        grounds = ServerGrounds(
            swept=lambda seq, _: self.swept >= seq,
            folders=folders,
            elsewhere=lambda _: self.others,
            further=lambda _: [Place("vector server", PlaceState.OUTSIDE, "its own")],
            tell=self._tell,
        )
        return ServerPremises(grounds, PATIENCE, lambda: self.now, self._pause)

    def _tell(self) -> bool:
        self.told.append(self.clean)
        return self.hears

    def _pause(self, seconds: float) -> None:
        self.now += seconds
        self.meanwhile()


def states(places: Sequence[Place]) -> dict[str, str]:
    return {place.name: place.state.value for place in places}


def test_what_a_server_keeps_for_itself_is_always_outside() -> None:
    """W6: no client reaches a server's files, its log, its standbys or its backups."""
    places = House().premises().purge(9)
    assert states(places) == {
        "truth": "purged",
        "database server": "outside",
        "term index": "purged",
        "vector index": "purged",
        "vector server": "outside",
        "idle replicas": "purged",
        "exports": "outside",
        "copies made by others": "outside",
    }
    assert all(place.note for place in places if place.state is PlaceState.OUTSIDE)


@pytest.mark.parametrize("late", ["swept", "clean"])
def test_what_is_about_to_be_purged_here_is_waited_for(late: str) -> None:
    """W6: the call answers as soon as nothing is left to wait for."""
    house = House(**{late: 8})
    house.meanwhile = lambda: setattr(house, late, 9)
    assert "pending" not in states(house.premises().purge(9)).values()
    assert 0.0 < house.now < PATIENCE


def test_others_who_live_are_waited_for_up_to_the_deadline() -> None:
    """W6: a receipt tells `pending` of whoever has not purged by then."""
    house = House(others=Elsewhere((Place("replica a, term index", PlaceState.PENDING, "late"),), awaited=True))
    assert states(house.premises().purge(9))["replica a, term index"] == "pending"
    assert house.now >= PATIENCE


def test_others_who_ended_are_not_waited_for() -> None:
    """W6: a machine that is off would hold up every forget by the whole deadline."""
    house = House(others=Elsewhere((Place("replica a, term index", PlaceState.PENDING, "ended"),), awaited=False))
    assert states(house.premises().purge(9))["replica a, term index"] == "pending"
    assert house.now == 0.0


def test_the_background_has_done_its_part_while_others_have_not() -> None:
    """W6: a host that ended may be off for days, and nothing here can be done about that."""
    house = House(others=Elsewhere((Place("replica a, term index", PlaceState.PENDING, "ended"),), awaited=False))
    assert house.premises().settle(9)
    house.clean = 8
    assert not house.premises().settle(9)


def test_the_others_are_told_once_this_process_is_clean_and_not_before() -> None:
    """W6: whoever forgets elsewhere waits for this word; it must not be said too early, nor each time anew."""
    house = House(clean=8)
    premises = house.premises()
    premises.tidy(9)
    assert house.told == []
    house.clean = 9
    premises.tidy(9)
    premises.tidy(9)
    assert house.told == [9]


def test_what_could_not_be_told_is_told_again() -> None:
    """W6: a word that got lost would leave somebody else's receipt pending."""
    house = House(hears=False)
    premises = house.premises()
    premises.tidy(9)
    house.hears = True
    premises.tidy(9)
    premises.tidy(9)
    assert len(house.told) == 2


# ── the sweeper ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Server:
    """Sweeps as often as it is asked to; the first runs end as they are told to."""

    def __init__(self, *outcomes: bool | Exception) -> None:
        self.outcomes = list(outcomes)
        self.runs = 0

    def sweep(self) -> bool:
        self.runs += 1
        outcome = self.outcomes.pop(0) if self.outcomes else True
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def await_that(holds: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(2_000):
        if holds():
            return
        pause.wait(0.01)
    raise AssertionError("it never came to hold")


def test_a_run_covers_what_was_erased_before_it_and_nothing_else() -> None:
    """W6: the server is not asked again for what it has cleared away, and again for what came later."""
    server, may_end = Server(), threading.Event()
    sweeper = Sweeper(lambda: may_end.wait(BOUND) and server.sweep(), lambda: 0.0)
    assert not sweeper.swept(5), "the run goes on"
    may_end.set()
    await_that(lambda: sweeper.swept(5))
    assert sweeper.swept(4)
    assert server.runs == 1
    await_that(lambda: sweeper.swept(6))
    assert server.runs == 2


def test_a_run_that_fails_is_taken_up_again_after_a_while() -> None:
    """W6: somebody's snapshot goes, or the server comes back; until then it is not asked all the time."""
    now = [0.0]
    server = Server(False, AWAY)
    sweeper = Sweeper(server.sweep, lambda: now[0])

    def swept_later() -> bool:
        now[0] += 1.0
        return sweeper.swept(5)

    for runs in (1, 2):
        await_that(lambda runs=runs: not swept_later() and server.runs == runs)
        assert not any(sweeper.swept(5) for _ in range(50))
        assert server.runs == runs
    await_that(swept_later)
    assert server.runs == 3


# ── presence ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Book:
    """Where a process says that it is there; it cannot be written as often as it is told to fail."""

    def __init__(self, failures: int = 0) -> None:
        self.said: list[Stay] = []
        self.failures = failures
        self.written = threading.Semaphore(0)

    def say(self, stay: Stay) -> None:
        if self.failures:
            self.failures -= 1
            raise AWAY
        self.said.append(stay)
        self.written.release()


def test_a_process_says_that_it_is_there_from_time_to_time_and_when_it_ends() -> None:
    """W6: whoever falls silent is not waited for, and whoever ends in order needs not be."""
    book = Book(failures=2)
    presence = Presence(book.say, pulse=0.001)
    presence.start()
    for _ in range(3):
        assert book.written.acquire(timeout=BOUND)
    presence.close()
    assert book.said[-1] is Stay.ENDS
    assert set(book.said[:-1]) == {Stay.GOES_ON}
    assert not presence.tell(), "a process that has said that it ends says no more"


def test_what_cannot_be_said_is_no_error() -> None:
    """W6: a server that is away is told in the log, and is told again."""
    book = Book(failures=1)
    presence = Presence(book.say)
    assert not presence.tell()
    assert presence.tell()
