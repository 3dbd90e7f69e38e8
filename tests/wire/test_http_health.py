"""What whoever runs the server sees of it: whether it lives and is ready, its numbers, and its log (case L8)."""

import io
import json
import logging
import os
import queue
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from recordance.domain.caller import Caller
from recordance.usecases.store import Destinations, Store
from recordance_adapters.bootstrap import Service, open_memory_service
from recordance_adapters.driving.mcp_server.options import Options
from recordance_adapters.driving.mcp_server.over_http.configuration import Bounds, Listening, TokenGrant
from recordance_adapters.driving.mcp_server.over_http.journal_lines import JsonLines, UnhurriedLines
from recordance_adapters.model_sections import EmbedderSettings
from recordance_adapters.wire.catalogue import ALL, tools_of
from support import protocol_tools
from support.golden import fixed_settings
from support.http_peer import HttpPeer, serving
from support.signing import digest_of
from support.stdio_peer import BOUND, HANDSHAKE, STATELESS

OPTIONS = Options(tools=tools_of([ALL]), version="0")
TOKENS = [
    TokenGrant(subject="root", digest=digest_of("root")),
    TokenGrant(subject="alice", digest=digest_of("alice"), projects=frozenset({"acme"})),
    TokenGrant(subject="tess", digest=digest_of("tess"), destinations=frozenset({"team"})),
]
FROM_ELSEWHERE = {"X_Forwarded_For": "192.0.2.1"}
"""What a proxy on this machine says of a client that is not."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with open_memory_service(fixed_settings(tmp_path / "store")) as opened:
        yield opened


class Several:
    """A house with destinations of which some hang, until `released`, and some fail."""

    def __init__(self, fine: Store, *, hanging: str, failing: str) -> None:
        self.released = threading.Event()
        self.asked_for: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._fine = fine
        self._hanging = hanging
        self._failing = failing

    @property
    def destinations(self) -> Destinations:
        return Destinations(_Stores({"fine": self._fine, self._hanging: self._fine, self._failing: self._fine}, self))

    def open(self, name: str) -> None:
        """Open a store as slowly and badly as this one opens."""
        self.asked_for.put(name)
        if name == self._hanging:
            self.released.wait(BOUND)
        if name == self._failing:
            raise OSError("no such file: /var/lib/somewhere")


class _Stores(dict[str, Store]):
    def __init__(self, stores: Mapping[str, Store], house: Several) -> None:
        super().__init__(stores)
        self._house = house

    def __getitem__(self, name: str) -> Store:
        self._house.open(name)
        return super().__getitem__(name)


def test_ready_means_that_a_recall_gets_through_and_leaves_no_trace(service: Service) -> None:
    """case L8: the search path itself is taken; nobody finds the probe in the miss ledger."""
    with serving(service, OPTIONS) as site, HttpPeer(site, STATELESS) as peer:
        for path, key in (("/healthz", "alive"), ("/readyz", "ready")):
            assert (site.get(path).status, site.get(path).messages) == (200, [{key: True}])
            assert site.get(path, "POST").status == 405
        assert peer.call("memory_misses")["result"]["structuredContent"] == {"misses": []}


@pytest.mark.parametrize("store", ["broken", "stuck"])
def test_a_server_whose_store_cannot_be_searched_lives_and_is_not_ready(store: str, caplog: pytest.LogCaptureFixture) -> None:
    """case L8: health said OK while nothing was found; and no path is told to whoever asks."""
    protocol_tools._released.clear()
    quick = Listening(port=0, bounds=Bounds(ready_seconds=0.05))
    with serving(protocol_tools.SERVICES[store](), OPTIONS, quick) as site:
        assert site.get("/healthz").status == 200
        reply = site.get("/readyz")
        assert reply.status == 503
        assert set(reply.messages[0]["failures"]) == {"store"}
        assert b"/var" not in reply.body
        assert "not ready" in caplog.text
        assert site.get("/metrics").status == 200
        protocol_tools._released.set()


def test_each_required_destination_is_tried_and_named(service: Service) -> None:
    """case L8: one hangs, one fails, one is fine; the verdict comes within its bound all the same."""
    fine = service.destinations.reading(Caller(actor="x"), None)
    house = Several(fine, hanging="slow", failing="lost")
    asked = Listening(port=0, required=frozenset({"fine", "slow", "lost"}), bounds=Bounds(ready_seconds=1.0))
    with serving(house, OPTIONS, asked) as site:
        verdict = site.get("/readyz").messages[0]
        assert verdict["failures"] == {"lost": "it fails (OSError)", "slow": "a recall took more than 1 s"}
        assert site.get("/readyz", **FROM_ELSEWHERE).messages == [{"ready": False}]
        house.released.set()
    with serving(house, OPTIONS, Listening(port=0)) as site:
        assert site.get("/readyz").status == 200  # the default one is fine, and no other is required


def test_every_store_is_opened_before_anybody_asks(service: Service) -> None:
    """D3: a recall gives each destination so little time that one that only opens then would be late; none waits for another."""
    house = Several(service.destinations.reading(Caller(actor="x"), None), hanging="slow", failing="lost")
    with serving(house, OPTIONS):
        assert {house.asked_for.get(timeout=BOUND) for _ in range(3)} == {"fine", "slow", "lost"}
        house.released.set()


def test_an_ending_server_is_not_ready(service: Service) -> None:
    """case L8: whoever sends it requests stops before it stops to take them."""
    running = serving(service, OPTIONS)
    with running as site, HttpPeer(site, STATELESS) as peer:
        assert site.get("/readyz").status == 200
        held = site.running
        held.drain.begun.set()
        assert site.get("/readyz").status == 503
        assert peer.call("memory_list")["result"]


def test_numbers_tell_what_a_model_has_yet_to_embed(tmp_path: Path) -> None:
    """case L8: a model that stopped answering is seen by whoever watches; without one there is no such number."""
    embedder = EmbedderSettings.model_validate({"kind": "local", "model": "m", "path": tmp_path})
    plain = fixed_settings(tmp_path / "store")
    for settings in (plain, plain.model_copy(update={"embedder": embedder})):
        with (
            open_memory_service(settings) as service,
            serving(service, OPTIONS) as site,
            HttpPeer(site, STATELESS) as peer,
        ):
            peer.call("memory_store", {"content": "a word"})
            text = site.get("/metrics").body.decode()
        embedding = settings.embedder.model is not None
        assert ('recordance_unembedded{destination="default",model="m"} 1.0' in text) == embedding
        assert ('recordance_index_lag{destination="default",index="vectors of m"} 0.0' in text) == embedding


def test_numbers_tell_of_calls_and_of_how_the_indexes_stand(service: Service) -> None:
    """case L8: by tool and outcome, with names that are ours alone; nothing that a client sent becomes a label."""
    with serving(service, OPTIONS) as site, HttpPeer(site, STATELESS) as peer, HttpPeer(site, HANDSHAKE) as other:
        peer.call("memory_store", {"content": "a secret word"})
        other.call("memory_retrieve", {"terms": ["word"]})
        peer.call("memory_get", {"id": "cap-99"})
        peer.call("memory_retrieve", {"trems": ["word"]})
        peer.call("made-up-tool")
        site.get("/made-up-path")
        text = site.get("/metrics").body.decode()
    for line in (
        'recordance_tool_calls_total{outcome="answered",tool="memory_retrieve"} 1.0',
        'recordance_tool_calls_total{outcome="invalid_params",tool="memory_retrieve"} 1.0',
        'recordance_tool_calls_total{outcome="missing_state",tool="memory_get"} 1.0',
        'recordance_tool_calls_total{outcome="invalid_params",tool="unknown"} 1.0',
        'recordance_http_requests_total{route="unknown",status="404"} 1.0',
        "recordance_tool_calls_in_flight 0.0",
        'recordance_journal_head{destination="default"} 1.0',
        'recordance_index_lag{destination="default",index="vectors"} 0.0',
        'recordance_misses_lost_total{destination="default"} 0.0',
    ):
        assert line in text
    assert 'recordance_tool_call_seconds_bucket{le="0.001",tool="memory_store"}' in text
    assert "made-up" not in text
    assert "secret" not in text


def test_numbers_are_for_this_machine_and_for_tokens_without_fences(service: Service) -> None:
    """F13: a count of calls or rows tells of every project and destination; a page in a browser is not this machine's owner."""
    with serving(service, OPTIONS, Listening(port=0, tokens=TOKENS)) as site:
        assert site.get("/metrics").status == 200
        assert site.get("/metrics", Authorization="Bearer root", **FROM_ELSEWHERE).status == 200
        for token in ("alice", "tess", "nobody"):
            assert site.get("/metrics", Authorization=f"Bearer {token}", **FROM_ELSEWHERE).status == 403
        assert site.get("/metrics", **FROM_ELSEWHERE).status == 403
        assert site.get("/metrics", Host=f"{site.address[0]}").status == 200
    with serving(service, OPTIONS, Listening(port=0, metrics=False)) as site:
        assert site.get("/metrics").status == 404


@pytest.fixture
def lines() -> Iterator[Any]:
    """What the log says from now on, a JSON object a line."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    root, requests = logging.getLogger(), logging.getLogger("recordance_adapters.requests")
    root.addHandler(handler)
    requests.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.removeHandler(handler)
    requests.setLevel(logging.NOTSET)


@pytest.mark.parametrize("version", [HANDSHAKE, STATELESS])
def test_the_log_has_a_line_for_each_request_and_nothing_of_its_content(service: Service, version: str, lines: Any) -> None:
    """F13: who did what, how it ended and how long it took, under the request's id; never a word, a token or a claim."""
    with serving(service, OPTIONS, Listening(port=0, tokens=TOKENS)) as site, HttpPeer(site, version, "root") as peer:
        peer.post(peer.era.call(1, "memory_store", {"content": "quokka", "project_id": "quokka"}), X_Request_Id="r-1")
        peer.post(peer.era.call(2, "memory_get", {"id": "quokka"}), X_Request_Id="r-2")
        site.get("/metrics", Authorization="Bearer quokka")
        for probe in ("/healthz", "/readyz"):
            assert site.get(probe, X_Request_Id="r-3").status == 200
    served = {line["request"]: line for line in lines() if line["message"] == "served"}
    line = served["r-1"]
    assert (
        line.items() >= {"tool": "memory_store", "subject": "root", "outcome": "answered", "status": 200, "level": "info"}.items()
    )
    assert line["ms"] > 0
    assert served["r-2"]["outcome"] == "missing_state"
    assert "r-3" not in served, "that all is well is no news every few seconds"
    assert "quokka" not in json.dumps(lines())
    assert digest_of("root") not in json.dumps(lines())


def test_a_fault_is_logged_under_its_id_and_its_request_without_what_it_quotes(lines: Any) -> None:
    """F13: an exception may quote a statement with its values; where it arose is enough to find it."""
    failing = Options(tools=protocol_tools.TOOLS, version="0")
    with serving(protocol_tools.NoStore(), failing) as site, HttpPeer(site, STATELESS) as peer:
        reply = peer.post(peer.era.call(1, "fail"), X_Request_Id="r-9")
    fault = reply.answer["error"]["data"]["fault"]
    told = [line for line in lines() if line.get("request") == "r-9"]
    assert [line.get("fault") for line in told if line["message"] == "served"] == [fault]
    (trace,) = [line for line in told if "trace" in line]
    assert trace["message"].startswith(fault)
    assert trace["error"] == "RuntimeError"
    assert "SELECT" not in json.dumps(told)


def test_a_log_that_nobody_reads_holds_up_no_request() -> None:
    """case I4: a full pipe behind stderr would stop every call; what is too much is lost, and counted once somebody reads."""
    reading, writing = os.pipe()
    with os.fdopen(reading, encoding="utf-8") as outcome:
        with os.fdopen(writing, "w", encoding="utf-8") as into:
            handler = UnhurriedLines(into)
            for number in range(15_000):
                handler.emit(logging.makeLogRecord({"msg": f"{number} {'x' * 60}"}))
            told = iter(outcome.readline, "")
            assert next(told).startswith("0 ")
            assert any("lines of the log were lost" in line for line in told)
            reader = threading.Thread(target=lambda: [*told])
            reader.start()
            handler.flush()
        reader.join(BOUND)
