"""MCP over HTTP, message by message: what clients rely on before they know any tool."""

import http.client
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from mcp_types import INVALID_REQUEST

from recordance_adapters.driving.mcp_server.options import Options
from recordance_adapters.driving.mcp_server.over_http.configuration import MCP_PATH, Bounds, Listening
from support import protocol_tools
from support.http_peer import ACCEPT, HttpPeer, Site, serving
from support.stdio_peer import BOUND, HANDSHAKE, STATELESS

OPTIONS = Options(tools=protocol_tools.TOOLS, version="0")
ERAS = pytest.mark.parametrize("version", [HANDSHAKE, STATELESS])


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving(protocol_tools.NoStore(), OPTIONS) as running:
        yield running


@pytest.fixture(params=[HANDSHAKE, STATELESS])
def peer(request: pytest.FixtureRequest, site: Site) -> Iterator[HttpPeer]:
    with HttpPeer(site, request.param) as client:
        yield client


@pytest.mark.parametrize("text", ["ação", "重跑gen-itgc后50条", "★", "\N{MUSICAL SYMBOL G CLEF}", "  \u202e"])
def test_text_in_any_script_comes_back_over_http(peer: HttpPeer, text: str) -> None:
    """case A8: bodies are UTF-8 both ways, whatever the locale."""
    assert peer.call("echo", {"text": text})["result"]["structuredContent"]["text"] == text


def test_arguments_are_judged_as_they_came_over_http_too(peer: HttpPeer) -> None:
    """F4: a name that stands twice, a number that is none and a lone surrogate are refused by name; a reader that drops one of
    two values could drop a fence."""
    message = json.dumps(peer.era.call(7, "echo", {"text": "x"}))
    twice = peer.post(message.replace('{"text": "x"}', '{"text": "x", "text": "y"}').encode()).answer
    assert (twice["id"], twice["error"]["code"], twice["error"]["data"]["field"]) == (7, -32602, "text")
    endless = peer.post(message.replace('"x"', "NaN").encode()).answer
    assert endless["error"]["data"] == {"field": "text", "got": "NaN", "expected": "text"} | {
        "expected": endless["error"]["data"]["expected"]
    }
    torn = peer.post(message.replace('"x"', '"\\ud800"').encode()).answer
    assert (torn["error"]["code"], torn["error"]["data"]["field"]) == (-32602, "text")
    assert peer.call("echo", {"txt": "x"})["error"]["data"]["expected"] == "text instead"
    assert peer.call("echo", ["x"])["error"]["data"]["field"] == "arguments"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b'{"jsonrpc": "2.0"}', -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": {"a": 1, "a": 2}}}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "x": NaN}}', -32602),
    ],
)
def test_a_body_that_is_no_message_is_answered_in_our_words(peer: HttpPeer, body: bytes, code: int) -> None:
    """case B4: what is wrong with it, not a stack; and the next request is served."""
    reply = peer.post(body)
    assert (reply.status, reply.answer["error"]["code"]) == (400, code)
    assert "send" in reply.answer["error"]["message"] or "nested" in reply.answer["error"]["message"]
    assert peer.call("echo", {"text": "x"})["result"]


def test_a_client_that_takes_one_form_of_answer_alone_is_told_which_to_take(peer: HttpPeer) -> None:
    """case I4: long work tells of its progress in the same answer."""
    reply = peer.post(peer.era.request(1, "ping"), Accept="application/json")
    assert (reply.status, "text/event-stream" in reply.messages[0]["error"]) == (406, True)


def test_progress_rises_and_comes_before_the_answer_over_http(peer: HttpPeer) -> None:
    """case I4: long work is seen to go on; the answer is the last event of the same stream."""
    reply = peer.post(peer.era.call(3, "count", {"steps": 200}, progressToken="long"))
    *told, answer = reply.messages
    heard = [message["params"]["progress"] for message in told]
    assert heard == sorted(set(heard))
    assert heard[-1] == 200
    assert answer["id"] == 3


def test_a_fault_over_http_says_an_id_and_nothing_else(peer: HttpPeer, caplog: pytest.LogCaptureFixture) -> None:
    """case I1: no path, statement or stack reaches the wire; the log has them under the id."""
    error = peer.call("fail")["error"]
    assert error["data"]["fault"] in error["message"]
    assert "secret" not in json.dumps(error)
    assert error["data"]["fault"] in caplog.text


def test_one_slow_call_holds_up_nobody_else(site: Site) -> None:
    """case I4: a call that waits leaves every other client, and health, as quick as before; more of them than threads too."""
    answers: list[dict[str, Any]] = []
    protocol_tools._released.clear()

    def wait() -> None:
        with HttpPeer(site, STATELESS) as slow:
            answers.append(slow.call("hold"))

    waiting = [threading.Thread(target=wait) for _ in range(7)]
    for thread in waiting:
        thread.start()
    with HttpPeer(site, HANDSHAKE) as other:
        assert other.call("echo", {"text": "x"})["result"]
        assert site.get("/healthz").status == 200
        other.call("release")
    for thread in waiting:
        thread.join(BOUND)
    assert len(answers) == 7


def test_two_requests_of_one_id_in_one_session_get_no_answer_of_each_other(site: Site) -> None:
    """case I4: the SDK tells answers apart by their ids; the second of two would take the first one's, which waited for ever."""
    answers: list[dict[str, Any]] = []
    protocol_tools._released.clear()
    with HttpPeer(site, HANDSHAKE) as first, HttpPeer(site, HANDSHAKE) as other:
        session = {"Mcp_Session_Id": first.headers({"method": "ping"})["Mcp-Session-Id"]}
        waiting = threading.Thread(target=lambda: answers.append(first.call("hold", id=7)))
        waiting.start()
        again = other.era.call("7", "echo", {"text": "x"})
        assert any(b"calls_in_flight 1.0" in site.get("/metrics").body for _ in range(2_000)), "the first has not come"
        refused = other.post(again, **session)
        assert (refused.status, refused.answer["error"]["code"]) == (400, INVALID_REQUEST)
        other.call("release")
        waiting.join(BOUND)
        assert [answer["id"] for answer in answers] == [7]
        assert other.post(again, **session).answer["result"]


@ERAS
def test_whoever_has_no_name_is_the_configured_actor_else_the_client(version: str, site: Site) -> None:
    """W12: without tokens the journal's actor is what it is over stdio: the configured one, else the client's own name."""
    known = Options(tools=protocol_tools.TOOLS, version="0", actor="ada")
    with serving(protocol_tools.NoStore(), known) as named, HttpPeer(named, version) as peer:
        assert peer.call("echo", {"text": "x"})["result"]["structuredContent"]["actor"] == "ada"
    with HttpPeer(site, version) as peer:
        assert peer.call("echo", {"text": "x"})["result"]["structuredContent"]["actor"] == "tester"


def test_a_request_has_an_id_that_is_answered_back(site: Site) -> None:
    """One that a log can hold is taken from the client, any other is replaced."""
    assert site.get("/healthz", X_Request_Id="a1-b2").headers["x-request-id"] == "a1-b2"
    made = site.get("/healthz", X_Request_Id="a b\t" + "x" * 100).headers["x-request-id"]
    assert made.startswith("req-")
    assert made != site.get("/healthz").headers["x-request-id"]


def test_a_request_beyond_the_bound_is_refused_before_it_is_read() -> None:
    """W14: what is declared too large is answered at once, and what turns out so while it comes; neither reaches a tool."""
    small = Listening(port=0, bounds=Bounds(request_bytes=2_000))
    with serving(protocol_tools.NoStore(), OPTIONS, small) as running:
        with HttpPeer(running, STATELESS) as peer:
            assert peer.call("echo", {"text": "x" * 900})["result"]
        declared = http.client.HTTPConnection(*running.address, timeout=BOUND)
        declared.putrequest("POST", MCP_PATH)
        declared.putheader("Accept", ACCEPT)
        declared.putheader("Content-Length", "2000000")
        declared.endheaders()
        assert declared.getresponse().status == 413
        declared.close()
        grown = http.client.HTTPConnection(*running.address, timeout=BOUND)
        grown.request("POST", MCP_PATH, iter([b"x" * 1_500, b"y" * 1_500]), {"Accept": ACCEPT}, encode_chunked=True)
        assert grown.getresponse().status == 413
        grown.close()


def test_whoever_is_too_slow_is_let_go() -> None:
    """case I4: a head or a body that never comes to its end must not hold a connection for ever."""
    hasty = Listening(port=0, bounds=Bounds(request_seconds=0.2))
    with serving(protocol_tools.NoStore(), OPTIONS, hasty) as running:
        silent = http.client.HTTPConnection(*running.address, timeout=BOUND)
        silent.connect()
        assert silent.sock.recv(1) == b""
        silent.sock.close()
        half = http.client.HTTPConnection(*running.address, timeout=BOUND)
        half.putrequest("POST", MCP_PATH)
        half.putheader("Accept", ACCEPT)
        half.putheader("Content-Length", "100")
        half.endheaders(b"{")
        assert half.getresponse().status == 408
        half.close()
        begun = http.client.HTTPConnection(*running.address, timeout=BOUND)
        begun.request("GET", "/healthz")
        begun.getresponse().read()
        begun.sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: localh")
        assert begun.sock.recv(1) == b""
        begun.close()


def test_sessions_are_bounded_and_a_stranger_to_one_is_told() -> None:
    """F13: a session that is not there is not found, and one more than there may be is refused with room for none."""
    one = Listening(port=0, bounds=Bounds(sessions=1))
    with serving(protocol_tools.NoStore(), OPTIONS, one) as running, HttpPeer(running, HANDSHAKE) as first:
        assert first.send_alone(first.introduction()).status == 503
        assert first.call("echo", {"text": "x"})["result"]
        assert first.post(first.era.request(5, "ping"), Mcp_Session_Id="0" * 32).status == 404


def test_an_idle_session_makes_room_and_its_client_is_told() -> None:
    """F13: whoever went without a word does not keep their place."""
    brief = Listening(port=0, bounds=Bounds(sessions=1, session_idle_seconds=0.05))
    with serving(protocol_tools.NoStore(), OPTIONS, brief) as running, HttpPeer(running, HANDSHAKE) as first:
        opened = next((each for _ in range(2_000) if (each := first.send_alone(first.introduction())).status == 200), None)
        assert opened is not None, "the first session keeps its place"
        assert first.post(first.era.request(5, "ping")).status == 404
