"""The protocol on stdin and stdout, byte by byte: what every host relies on before it knows any tool."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from recordance_adapters.driving.mcp_server import serve
from recordance_adapters.wire.catalogue import TOOLS, tools_of
from support import protocol_tools
from support.stdio_peer import BOUND, HANDSHAKE, STATELESS, Era, Peer, checkout_environment

LEGACY = Era(HANDSHAKE)
SERVER = ["-m", protocol_tools.__name__]
PLAIN_LOCALE = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii:strict"}
BOTH_ERAS = pytest.mark.parametrize("era", [Era(HANDSHAKE), Era(STATELESS)], ids=[HANDSHAKE, STATELESS])


@pytest.fixture
def peer() -> Iterator[Peer]:
    with Peer([*SERVER, "none"]) as started:
        yield started


@pytest.fixture
def opened(peer: Peer) -> Peer:
    LEGACY.open(peer)
    return peer


@pytest.fixture(scope="module")
def lasting() -> Iterator[Peer]:
    """A session that several tests go through, as none of them leaves anything behind."""
    with Peer([*SERVER, "none"]) as started:
        LEGACY.open(started)
        yield started


@pytest.fixture(scope="module", params=[HANDSHAKE, STATELESS])
def session(request: pytest.FixtureRequest) -> Iterator[tuple[Era, Peer]]:
    """A lasting session in either era."""
    era = Era(request.param)
    with Peer([*SERVER, "none"]) as started:
        era.open(started)
        yield era, started


def content(answer: dict[str, Any]) -> Any:
    return answer["result"]["structuredContent"]


def test_every_line_of_a_session_is_a_message_whatever_else_prints(opened: Peer) -> None:
    """case I1: one stray line on stdout ends the session in most hosts; also from libraries, at exit, and after it."""
    opened.answer(LEGACY.call(1, "noisy"))
    opened.close_stdin()
    assert opened.exit_code() == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in opened.printed)
    for stray in ("printed by a library", "without a newline", "past the new stdout", "after the end", "printed at exit"):
        assert stray in opened.log()


@BOTH_ERAS
def test_text_in_any_script_comes_back_under_the_plainest_locale(era: Era) -> None:
    """case A8: pipes carry UTF-8, whatever the locale of the process says."""
    texts = ["Привет, ★", "设备清单", "e\u0301 \u2028 \U0001f600", 'quotes " and \\ and \t']
    with Peer([*SERVER, "none"], PLAIN_LOCALE) as peer:
        era.open(peer)
        assert [content(peer.answer(era.call(1, "echo", {"text": text})))["text"] for text in texts] == texts
        peer.close_stdin()
        assert peer.exit_code() == 0
    assert json.loads(peer.printed[-1].decode())["id"] == 1


def test_a_lone_surrogate_is_refused_clearly_and_the_answer_can_be_read(lasting: Peer) -> None:
    """case A8, W14: half a character is named as such; echoing it would break the very answer that says so."""
    lasting.send(rb'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a\ud83d"}}}')
    error = lasting.receive()["error"]
    assert error["code"] == -32602
    assert error["data"]["field"] == "text"
    assert "surrogate" in error["message"]
    assert error["data"]["got"] == "a\ufffd" or error["data"]["got"] == "a?"


def test_a_lone_surrogate_in_a_parameters_name_is_an_unknown_parameter(lasting: Peer) -> None:
    """case A8: names are text too."""
    lasting.send(rb'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"\ud83d":1}}}')
    error = lasting.receive()["error"]
    assert (error["code"], error["data"]["expected"]) == (-32602, "only text")


@pytest.mark.parametrize(
    ("line", "code", "id"),
    [
        (b"{", -32700, None),
        (b"plain text", -32700, None),
        (b"\xff\xfe{}", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', -32602, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1,"x":2}}', -32602, 1),
        (b"[" * 100_000, -32700, None),
        (b"7", -32600, None),
        (b'{"id":7}', -32600, 7),
        (b'{"jsonrpc":"1.0","id":"x","method":"ping"}', -32600, "x"),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":7,"method":7}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}', -32600, 7),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None),
    ],
)
def test_a_line_that_is_no_message_is_answered_and_the_session_goes_on(lasting: Peer, line: bytes, code: int, id: Any) -> None:
    """A client that sent nonsense learns so; a server that dies of it takes the session along."""
    lasting.send(line)
    answer = lasting.receive()
    assert (answer["id"], answer["error"]["code"]) == (id, code)
    assert "send" in answer["error"]["message"] or "nested" in answer["error"]["message"]
    assert lasting.answer(LEGACY.request(9, "ping"))["result"] == {}


def test_empty_lines_and_a_byte_order_mark_are_passed_over(lasting: Peer) -> None:
    """case A8: some shells write a mark first, some people press return."""
    lasting.send(b"", b"  \r", b'\xef\xbb\xbf{"jsonrpc":"2.0","id":5,"method":"ping"}\r')
    assert lasting.receive() == {"jsonrpc": "2.0", "id": 5, "result": {}}


def test_an_unknown_tool_is_refused_with_the_nearest_name(session: tuple[Era, Peer]) -> None:
    """A misspelt name is corrected in one turn."""
    era, peer = session
    error = peer.answer(era.call(1, "ehco", {"text": "x"}))["error"]
    assert error["code"] == -32602
    assert error["data"] == {"field": "name", "got": "ehco", "expected": "echo"}


@pytest.mark.parametrize("arguments", [[], "text", 7, True])
def test_arguments_that_are_no_object_are_refused_in_our_words(session: tuple[Era, Peer], arguments: Any) -> None:
    """The library's own validation says only "invalid", and nobody can correct that."""
    era, peer = session
    error = peer.answer(era.call(1, "echo", arguments))["error"]
    assert error["code"] == -32602
    assert error["data"]["field"] == "arguments"


def test_arguments_may_be_left_out(session: tuple[Era, Peer]) -> None:
    """A tool without required parameters needs none, and one with them says which."""
    era, peer = session
    assert content(peer.answer(era.request(1, "tools/call", name="release"))) == {}
    assert peer.answer(era.request(2, "tools/call", name="echo"))["error"]["data"]["field"] == "text"


def test_an_unknown_method_is_said_to_be_one(session: tuple[Era, Peer]) -> None:
    """Hosts probe what a server can; an odd answer makes them give up."""
    era, peer = session
    assert peer.answer(era.request(1, "resources/list"))["error"]["code"] == -32601


@BOTH_ERAS
def test_a_fault_of_ours_says_an_id_that_the_log_explains(peer: Peer, era: Era) -> None:
    """No stack, path, SQL or secret goes to a client; who runs the server finds all of it under the id."""
    era.open(peer)
    error = peer.answer(era.call(1, "fail"))["error"]
    assert error["code"] == -32603
    assert "secret" not in json.dumps(error)
    assert "somewhere" not in json.dumps(error)
    peer.close_stdin()
    peer.exit_code()
    assert error["data"]["fault"] in peer.log()
    assert "SELECT secret" in peer.log()


def test_a_call_in_flight_holds_up_nothing_else(opened: Peer) -> None:
    """case I4: work on the event loop would freeze every other call of the session."""
    opened.send(LEGACY.call("long", "hold"))
    assert opened.answer(LEGACY.request(1, "ping"))["result"] == {}
    assert content(opened.answer(LEGACY.call(2, "echo", {"text": "x"})))["text"] == "x"
    opened.send(LEGACY.call(3, "release"))
    assert {opened.receive()["id"], opened.receive()["id"]} == {3, "long"}


def test_more_calls_than_workers_leave_the_session_responsive(opened: Peer) -> None:
    """case I4: the pool is bounded, and what waits for a place in it holds up no ping and no list."""
    opened.send(*(LEGACY.call(f"long-{n}", "hold") for n in range(40)))
    assert opened.answer(LEGACY.request(1, "ping"))["result"] == {}
    assert opened.answer(LEGACY.request(2, "tools/list"))["result"]["tools"]


def test_a_cancelled_call_is_never_answered_and_the_next_one_is(opened: Peer) -> None:
    """A client that has given up must not be surprised by the answer."""
    opened.send(LEGACY.call("long", "hold"))
    opened.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}})
    opened.answer(LEGACY.call(1, "release"))
    opened.answer(LEGACY.call(2, "echo", {"text": "x"}))
    opened.close_stdin()
    assert opened.rest() == []
    assert opened.exit_code() == 0


def test_what_was_sent_before_stdin_ended_is_still_answered(opened: Peer) -> None:
    """A script that pipes its requests in and closes the pipe wants their answers."""
    opened.send(*(LEGACY.call(n, "echo", {"text": "x" * 1_000}) for n in range(1, 51)))
    opened.close_stdin()
    assert {message["id"] for message in opened.rest()} == set(range(1, 51))
    assert opened.exit_code() == 0


def test_stdins_end_ends_the_process_even_with_a_call_in_flight(opened: Peer) -> None:
    """Hosts leave orphans behind when a server outlives its pipe; the process ends within two seconds."""
    opened.send(LEGACY.call("long", "hold"))
    opened.answer(LEGACY.request(1, "ping"))
    opened.close_stdin()
    assert opened.exit_code() == 0
    assert serve.GRACE + serve.LAST_WRITES < serve.HARD_END < 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without asking it")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_process_without_a_trace(opened: Peer, number: signal.Signals) -> None:
    """Hosts end servers by signal; a traceback in their log looks like a crash."""
    opened.answer(LEGACY.call(1, "echo", {"text": "x"}))
    opened.process.send_signal(number)
    assert opened.exit_code() == 0
    assert "Traceback" not in opened.log()


def test_a_reader_that_goes_away_is_no_crash() -> None:
    """A host that dies closes both pipes at once."""
    command = [sys.executable, *SERVER, "none"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=checkout_environment(), **pipes) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        requests = (LEGACY.request(n, "ping") for n in range(100))
        process.stdin.write(b"".join(json.dumps(request).encode() + b"\n" for request in requests))
        process.stdin.close()
        log = process.stderr.read()
        assert process.wait(BOUND) == 0
    assert b"Traceback" not in log


@BOTH_ERAS
def test_progress_rises_and_comes_before_the_answer(peer: Peer, era: Era) -> None:
    """Whoever asked for progress sees it grow; nothing of it comes after the answer."""
    era.open(peer)
    peer.send(era.call(1, "count", {"steps": 5_000}, progressToken="p"))
    heard = []
    while "id" not in (message := peer.receive()):
        assert message["method"] == "notifications/progress"
        assert message["params"]["progressToken"] == "p"
        assert message["params"]["total"] == 5_000
        heard.append(message["params"]["progress"])
    assert heard == sorted(set(heard))
    assert 10 <= len(heard) <= 100
    peer.close_stdin()
    assert peer.rest() == []


def test_nobody_hears_progress_who_did_not_ask(session: tuple[Era, Peer]) -> None:
    """A notification without a token is a message that the client does not know."""
    era, peer = session
    peer.send(era.call(1, "count", {"steps": 100}))
    assert peer.receive()["id"] == 1


@BOTH_ERAS
@pytest.mark.parametrize("store", ["stuck", "broken"])
def test_the_handshake_does_not_wait_for_the_store(era: Era, store: str) -> None:
    """case I2: hosts give up on a start after half a minute; opening a store may take what it takes, or fail."""
    with Peer([*SERVER, store]) as peer:
        assert "error" not in era.open(peer)
        assert peer.answer(era.request(1, "tools/list"))["result"]["tools"]


def test_a_store_that_cannot_be_opened_is_a_fault_of_each_call() -> None:
    """The server stays up and says what is wrong, in the log; no path leaks to the client."""
    with Peer([*SERVER, "broken"]) as peer:
        LEGACY.open(peer)
        error = peer.answer(LEGACY.call(1, "echo", {"text": "x"}))["error"]
        assert error["code"] == -32603
        assert "somewhere" not in json.dumps(error)
        peer.close_stdin()
        peer.exit_code()
        assert error["data"]["fault"] in peer.log()


@BOTH_ERAS
def test_the_server_introduces_itself_and_lists_its_tools_in_one_order(peer: Peer, era: Era) -> None:
    """Who it is, what it is for, and the same list every time."""
    introduction = era.open(peer)["result"]
    assert "memory_retrieve" in introduction["instructions"]
    assert introduction["capabilities"]["tools"] is not None
    first, second = (peer.answer(era.request(n, "tools/list"))["result"]["tools"] for n in (1, 2))
    assert [tool["name"] for tool in first] == ["echo", "noisy", "hold", "release", "fail", "count"]
    assert first == second
    assert set(first[0]) == {"name", "title", "description", "inputSchema", "outputSchema", "annotations"}


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_version_of_the_handshake_is_spoken(peer: Peer, version: str) -> None:
    """Hosts are older than servers."""
    era = Era(version)
    assert era.open(peer)["result"]["protocolVersion"] == version
    answer = peer.answer(era.call(1, "echo", {"text": "x"}))["result"]
    assert json.loads(answer["content"][0]["text"])["text"] == "x"


def test_an_answer_is_one_object_and_one_text_of_the_same_json(session: tuple[Era, Peer]) -> None:
    """case J5: always an object, and a text copy for hosts that know nothing else."""
    era, peer = session
    result = peer.answer(era.call(1, "echo", {"text": "★"}))["result"]
    assert result["structuredContent"] == {"text": "★", "actor": "tester"}
    assert result["content"] == [{"type": "text", "text": '{"text":"★","actor":"tester"}'}]


@pytest.mark.parametrize(("client", "actor"), [("my host", "my host"), (" \u0000 ", "unknown-client")])
def test_the_actor_is_the_client_by_the_name_it_gave(client: str, actor: str) -> None:
    """W12: the journal names who wrote, as well as anybody knows."""
    for era in (Era(HANDSHAKE, client), Era(STATELESS, client)):
        with Peer([*SERVER, "none"]) as peer:
            era.open(peer)
            assert content(peer.answer(era.call(1, "echo", {"text": "x"})))["actor"] == actor


def test_a_client_without_a_name_is_said_to_be_unknown(peer: Peer) -> None:
    """W12: an empty actor in the journal would look like a fault of the journal."""
    nameless = Era(STATELESS, None)
    nameless.open(peer)
    assert content(peer.answer(nameless.call(1, "echo", {"text": "x"})))["actor"] == "unknown-client"


@BOTH_ERAS
def test_a_configured_actor_goes_before_the_clients_name(era: Era) -> None:
    """W12: who runs the server decides under which name it writes."""
    with Peer([*SERVER, "none", "ops"]) as peer:
        era.open(peer)
        assert content(peer.answer(era.call(1, "echo", {"text": "x"})))["actor"] == "ops"


def test_the_catalogue_is_what_a_server_lists_by_default() -> None:
    """Core alone, until more is asked for."""
    assert tools_of(["core"]) == TOOLS[:12]
