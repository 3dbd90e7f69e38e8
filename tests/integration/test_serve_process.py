"""`recordance serve` as a process: where it says that it listens, what it refuses, and how it ends."""

import http.client
import json
import os
import signal
import socket
import sqlite3
import threading
import tomllib
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recordance.errors import InvalidArgument
from recordance_adapters.bootstrap import open_memory_service, open_service
from recordance_adapters.driving.mcp_server.options import Options
from recordance_adapters.driving.mcp_server.over_http.configuration import Listening
from recordance_adapters.driving.mcp_server.over_http.serving import listen
from recordance_adapters.entry import listening_of, main, options_of
from recordance_adapters.settings import load_settings
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.read import GET, LIST
from recordance_adapters.wire.tools.store import STORE
from support import protocol_tools
from support.http_peer import HttpPeer, Site, serving
from support.http_server import HttpServer
from support.stdio_peer import BOUND, HANDSHAKE, STATELESS, Era, Peer

SERVE = ["-m", "recordance_adapters", "serve", "--port", "0"]
TOOLS = ["-m", protocol_tools.__name__, "http"]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


def test_a_signal_ends_the_server_and_what_it_answered_is_there(tmp_path: Path) -> None:
    """W1: stdout stays empty, every line of the log is an object, the end is a good one, and a write that answered is durable."""
    store = str(tmp_path / "store")
    with HttpServer([*SERVE, "--store", store, "--project", "acme"]) as server:
        with HttpPeer(server.site, STATELESS) as peer:
            assert peer.call("memory_store", {"content": "tokio is pinned"})["result"]
        server.process.send_signal(signal.SIGTERM)
        assert server.ended() == (0, b"")
        assert [line["route"] for line in server.log() if line["message"] == "served"] == ["/mcp", "/mcp"]
    with open_service(load_settings({"store": store}, {})) as service:
        (capsule,) = GET.handle(Call(destinations=service.destinations, caller=service.caller("x")), {"id": "cap-1"})["capsules"]
        assert (capsule["content"], capsule["project_id"]) == ("tokio is pinned", "acme")


def test_a_call_in_flight_is_answered_while_the_server_takes_nothing_new() -> None:
    """W1: an upgrade of a service cuts off nobody who was heard; a stream that only waits ends at once."""
    protocol_tools._released.clear()
    answers: list[dict[str, Any]] = []
    options = Options(tools=protocol_tools.TOOLS, version="0")
    with serving(protocol_tools.NoStore(), options) as site, ExitStack() as clients:
        slow, listener = (clients.enter_context(HttpPeer(site, HANDSHAKE)) for _ in range(2))
        stream = http.client.HTTPConnection(*site.address, timeout=BOUND)
        stream.request("GET", "/mcp", headers={**listener.headers({"method": "ping"}), "Accept": "text/event-stream"})
        told = stream.getresponse()
        assert told.status == 200
        waiting = threading.Thread(target=lambda: answers.append(slow.call("hold")))
        waiting.start()
        until_in_flight(site)
        site.end()
        with suppress(http.client.IncompleteRead):
            told.read()
        stream.close()
        until_refused(site)
        assert answers == []
        protocol_tools._released.set()
        waiting.join(BOUND)
    assert answers[0]["result"]["structuredContent"] == {"released": True}


@pytest.mark.parametrize(("signals", "code"), [(1, 0), (2, 128 + signal.SIGTERM)])
def test_calls_that_do_not_end_are_cut_off_after_their_time_or_at_a_second_signal(signals: int, code: int) -> None:
    """W1: the end comes within its bound, and it is a good one; who asks twice does not want to wait."""
    seconds = "0.3" if signals == 1 else "50"
    with HttpServer([*TOOLS, seconds]) as server, HttpPeer(server.site, STATELESS) as slow:
        threading.Thread(target=_unanswered, args=(slow,), daemon=True).start()
        until_in_flight(server.site)
        server.process.send_signal(signal.SIGTERM)
        if signals == 2:
            until_refused(server.site)
            server.process.send_signal(signal.SIGTERM)
        assert server.ended() == (code, b"")


def until_in_flight(site: Site) -> None:
    """Return once a call is being served."""
    for _ in range(5_000):
        if b"in_flight 1.0" in site.get("/metrics").body:
            return
    pytest.fail("no call is in flight")


def until_refused(site: Site) -> None:
    """Return once the server takes no connection any more."""
    for _ in range(50_000):
        try:
            socket.create_connection(site.address, BOUND).close()
        except OSError:
            return
    pytest.fail("the server still takes connections")


def _unanswered(slow: HttpPeer) -> None:
    with suppress(OSError, ValueError, http.client.HTTPException):
        slow.call("hold")


def test_a_server_over_http_and_one_over_stdio_share_a_store(tmp_path: Path) -> None:
    """case C2: both write at once, no write is lost or refused, and each sees what the other has answered."""
    store, era, writes = str(tmp_path / "store"), Era(HANDSHAKE), 12
    with (
        HttpServer([*SERVE, "--store", store]) as server,
        HttpPeer(server.site, STATELESS) as over_http,
        Peer(["-m", "recordance_adapters", "mcp", "--store", store]) as over_stdio,
    ):
        era.open(over_stdio)
        refused: list[Any] = []

        def write() -> None:
            for number in range(writes):
                answer = over_http.call("memory_store", {"content": f"over http {number}"}, number + 1)
                refused.extend([answer["error"]] if "error" in answer else [])

        writing = threading.Thread(target=write)
        writing.start()
        for number in range(writes):
            assert "result" in over_stdio.answer(era.call(number + 1, "memory_store", {"content": f"over stdio {number}"}))
        writing.join(BOUND)
        assert refused == []
        seen = over_stdio.answer(era.call(900, "memory_retrieve", {"terms": ["http"], "token_budget": 0}))
        assert seen["result"]["structuredContent"]["matched"] == writes
        seen = over_http.call("memory_retrieve", {"terms": ["stdio"], "token_budget": 0})
        assert seen["result"]["structuredContent"]["matched"] == writes


def test_a_destination_that_takes_no_write_holds_up_no_other(tmp_path: Path) -> None:
    """D3, D6: somebody else writes into one store for long; whoever writes into another does not wait for that."""
    config = tmp_path / "recordance.toml"
    config.write_text("".join(f'[[destinations]]\nname = "{name}"\nstore = "{name}"\n' for name in ("near", "far")))
    settings, answers = load_settings({"config": str(config)}, {}), list[dict[str, Any]]()
    with open_service(settings) as service, serving(service, options_of(settings)) as site, ExitStack() as clients:
        waiting, other = (clients.enter_context(HttpPeer(site, STATELESS)) for _ in range(2))
        assert waiting.call("memory_store", {"content": "first", "destination": "far"})["result"]
        held = clients.enter_context(closing(sqlite3.connect(tmp_path / "far" / "truth.sqlite", isolation_level=None)))
        held.execute("BEGIN IMMEDIATE")
        call = ("memory_store", {"content": "second", "destination": "far"})
        late = threading.Thread(target=lambda: answers.append(waiting.call(*call)))
        late.start()
        _wait_for_a_call_in_flight(site)
        assert other.call("memory_store", {"content": "third", "destination": "near"})["result"]
        assert answers == []
        held.execute("ROLLBACK")
        late.join(BOUND)
        assert ["result" in answer for answer in answers] == [True]


def _wait_for_a_call_in_flight(site: Site) -> None:
    for _ in range(2_000):
        if b"recordance_tool_calls_in_flight 1.0" in site.get("/metrics").body:
            return
    pytest.fail("the call has not come")


@pytest.mark.parametrize(
    ("words", "lesson"),
    [
        (["--host", "0.0.0.0"], "recordance token"),
        (["--port", "65536"], "0 to 65,535"),
        (["--tools", "none"], "there is no such tool set"),
    ],
)
def test_what_cannot_be_served_is_refused_with_a_lesson(
    words: list[str], lesson: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """case L1: an address for everybody without a token, a port that is none, tools that there are not."""
    assert main(["serve", "--port", "0", *words, "--store", str(tmp_path / "store")]) == 2
    said = capsys.readouterr()
    assert (said.out, lesson in said.err) == ("", True)


def test_an_address_that_cannot_be_listened_at_is_said_to_be() -> None:
    """case L1: a second server must not look like a first one."""
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(InvalidArgument, match="cannot be listened at"):
        listen(Listening(port=taken.getsockname()[1]))
    with pytest.raises(InvalidArgument, match="cannot be listened at"):
        listen(Listening(host="256.0.0.1", port=0))


def test_a_token_is_shown_once_and_its_table_lets_its_bearer_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """F13: what the command prints is what the configuration takes; the token itself is kept nowhere."""
    assert main(["token", "alice", "--reach-project", "acme", "--read-only", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert main(["token", "bob"]) == 0
    assert tomllib.loads(capsys.readouterr().out)["http"]["tokens"][0]["subject"] == "bob"
    config = tmp_path / "recordance.toml"
    table = "".join(f"{name} = {json.dumps(value)}\n" for name, value in made["grant"].items())
    config.write_text(f"[[http.tokens]]\n{table}", encoding="utf-8")
    settings = load_settings({"config": str(config)}, {})
    options = Options(tools=(LIST, STORE), version="0")
    listening = replace(listening_of(settings), port=0)
    with (
        open_memory_service(settings) as service,
        serving(service, options, listening) as site,
        HttpPeer(site, STATELESS, made["token"]) as alice,
    ):
        assert alice.call("memory_list")["result"]
        assert alice.call("memory_store", {"content": "x"})["error"]["data"]["kind"] == "not_permitted"
        assert site.get("/mcp", "POST").status == 401
    assert made["token"] not in config.read_text(encoding="utf-8")
