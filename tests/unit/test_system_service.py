"""The service: opened when it is first asked, once, by whoever asks first, and let go whole."""

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recordance.errors import Fault, StoreUnusable
from recordance_adapters.bootstrap import Opened, Service, open_memory_service, open_service
from recordance_adapters.sections import DestinationSettings, FixedSettings
from recordance_adapters.settings import DESTINATION, Settings
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.misses import MISSES
from recordance_adapters.wire.tools.retrieve import RETRIEVE
from recordance_adapters.wire.tools.store import STORE
from support.remains import await_that


class Openings:
    """Opens a store in memory, counts how often, and fails as often as it is told to."""

    def __init__(self, failures: int = 0) -> None:
        self.count = 0
        self.closed = 0
        self._failures = failures

    def __call__(self, settings: Settings, place: DestinationSettings) -> Opened:
        self.count += 1
        if self.count <= self._failures:
            raise StoreUnusable("the disk is away")
        with open_memory_service(settings) as service:
            return Opened(service.destinations.reading(service.caller("x"), None), service.housing(), self._close)

    def _close(self) -> None:
        self.closed += 1


def test_nothing_is_opened_before_it_is_asked_for() -> None:
    """A server shakes hands before it touches the store (decision 9)."""
    openings = Openings()
    service = Service(Settings(), openings)
    assert service.caller("a client").actor == "a client"
    service.close()
    assert (openings.count, openings.closed) == (0, 0)


def test_many_threads_that_ask_at_once_open_one_store() -> None:
    """Calls run on worker threads; two stores over one folder would be two replicas and two pacemakers."""
    openings = Openings()
    service, start = Service(Settings(), openings), threading.Barrier(8)

    def ask() -> object:
        start.wait(20)
        return service.destinations.reading(service.caller("x"), DESTINATION)

    with ThreadPoolExecutor(8) as pool:
        stores = [each.result(20) for each in [pool.submit(ask) for _ in range(8)]]
    assert openings.count == 1
    assert all(store is stores[0] for store in stores)
    service.close()
    assert openings.closed == 1


def test_an_opening_that_failed_is_tried_again_by_the_next_call() -> None:
    """A disk that was away when the server started must not cost the whole session."""
    openings = Openings(failures=1)
    service = Service(Settings(), openings)
    with pytest.raises(StoreUnusable):
        _ = service.destinations
    assert service.destinations.default == DESTINATION


def test_a_closed_service_opens_no_more() -> None:
    """A call that comes late, on a thread that nobody waits for, must not open the store again behind the closing."""
    openings = Openings()
    service = Service(Settings(), openings)
    _ = service.destinations
    service.close()
    service.close()
    with pytest.raises(Fault):
        _ = service.destinations
    assert (openings.count, openings.closed) == (1, 1)


def test_the_configured_actor_stands_before_the_clients_own_name() -> None:
    """W12: over stdio the actor is the configured one, or else the client's name."""
    assert Service(Settings(actor="ada"), Openings()).caller("a client").actor == "ada"


OPENINGS = [open_service, open_memory_service]


@pytest.mark.parametrize("opening", OPENINGS, ids=["folder", "memory"])
def test_both_houses_are_built_from_the_same_settings(opening: Callable[..., object], tmp_path: Path) -> None:
    """O11: identity, clock, policy, depth and anchors reach the store whichever adapters stand behind it."""
    fixed = FixedSettings.model_validate({"clock": "2026-03-01T12:00:00Z", "store_id": "fixed", "store_key": "00" * 32})
    settings = Settings(store=tmp_path / "store", root=tmp_path, fixed=fixed, fusion_depth=7)
    with opening(settings) as service:  # type: ignore[attr-defined]
        store = service.destinations.reading(service.caller("x"), None)
        with store.truth.reading() as reader:
            assert (reader.identity().store, reader.identity().key) == ("fixed", bytes(32))
        assert (store.clock.now(), store.fusion_depth) == (fixed.clock, 7)
        assert store.taint == settings.taint.policy()
        call = Call(destinations=service.destinations, caller=service.caller("x"))
        assert STORE.handle(call, {"content": "pin tokio"})["captured"] == 1
        assert RETRIEVE.handle(call, {"terms": ["tokio"]})["outcome"] == "grounded"
        assert RETRIEVE.handle(call, {"terms": ["absent"]})["outcome"] == "abstain"
        assert [each["term"] for each in MISSES.handle(call, {})["misses"]] == ["absent"]


def test_a_store_keeps_the_identity_that_it_was_made_with(tmp_path: Path) -> None:
    """O13: fixed settings name a new store; they do not rename one whose receipts are out."""
    settings = Settings(store=tmp_path / "store")
    fixed = FixedSettings.model_validate({"store_id": "other", "store_key": "00" * 32})
    identities = []
    for each in (settings, settings.model_copy(update={"fixed": fixed})):
        with open_service(each) as service, service.destinations.reading(service.caller("x"), None).truth.reading() as reader:
            identities.append(reader.identity())
    assert identities[0] == identities[1]


def test_a_folder_whose_index_cannot_be_opened_leaves_no_lock_behind(tmp_path: Path) -> None:
    """What was opened before the failure is let go, so that the next attempt can succeed."""
    settings = Settings(store=tmp_path / "store")
    with open_service(settings) as service:
        _ = service.destinations
    replicas = tmp_path / "store" / "replicas"
    aside = replicas.rename(tmp_path / "aside")
    replicas.write_text("not a folder")
    with open_service(settings) as service, pytest.raises(StoreUnusable, match="replicas"):
        _ = service.destinations
    replicas.unlink()
    aside.rename(replicas)
    with open_service(settings) as service:
        assert service.destinations.default == DESTINATION


def test_a_service_that_closes_while_a_store_is_opening_does_not_wait_for_it() -> None:
    """A server that never answers must not keep the process; what was opened late is let go at once."""
    opening, going_on = threading.Event(), threading.Event()
    openings = Openings()

    def slowly(settings: Settings, place: DestinationSettings) -> Opened:
        opened = openings(settings, place)
        opening.set()
        assert going_on.wait(60)
        return opened

    service = Service(Settings(), slowly)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(lambda: service.destinations)
        assert opening.wait(60)
        service.close()
        assert openings.closed == 0
        going_on.set()
        with pytest.raises(Fault):
            asked.result(60)
    assert openings.closed == 1


def test_who_waits_for_a_store_that_cannot_be_opened_is_told_so_with_whoever_asked_first() -> None:
    """Decision 8: ten callers of a server that does not answer wait for one connection together, and not for ten in turn."""
    opening, going_on = threading.Event(), threading.Event()
    openings = Openings(failures=1)

    def slowly(settings: Settings, place: DestinationSettings) -> Opened:
        opening.set()
        assert going_on.wait(60)
        return openings(settings, place)

    service = Service(Settings(), slowly)
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(lambda: service.destinations)
        assert opening.wait(60)
        asking = threading.Barrier(8)

        def ask() -> object:
            asking.wait(60)
            return service.destinations

        others = [pool.submit(ask) for _ in range(7)]
        asking.wait(60)
        await_that(lambda: sum(frame.f_code.co_name == "opened" for frame in sys._current_frames().values()) == 7, 60.0)
        going_on.set()
        failures = [each.exception(60) for each in (first, *others)]
    assert {str(failure) for failure in failures} == {"the disk is away"}
    assert openings.count == 1
    assert service.destinations.default == DESTINATION
    service.close()
