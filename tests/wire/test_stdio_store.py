"""The program itself over stdio, on a real store: what was answered is seen, and nothing but messages comes out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.stdio_peer import HANDSHAKE, STATELESS, Era, Peer

PROGRAM = ["-m", "recordance_adapters", "mcp"]
LEGACY = Era(HANDSHAKE)
BOTH_ERAS = pytest.mark.parametrize("era", [LEGACY, Era(STATELESS)], ids=[HANDSHAKE, STATELESS])


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    with Peer([*PROGRAM, "--store", str(tmp_path / "store"), "--project", "nott"]) as started:
        yield started


@pytest.fixture(scope="module", params=[LEGACY, Era(STATELESS)], ids=[HANDSHAKE, STATELESS])
def refusing(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Peer, Era]]:
    """A server of one era for calls that change nothing, because they are refused."""
    with Peer([*PROGRAM, "--store", str(tmp_path_factory.mktemp("refusing") / "store")]) as started:
        request.param.open(started)
        yield started, request.param


def content(message: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = message["result"]["structuredContent"]
    return answer


@BOTH_ERAS
def test_a_recall_sees_every_write_that_was_answered_before_it(peer: Peer, era: Era) -> None:
    """W1, W12: a write that answered is durable, and the next recall finds it, without waiting for any index."""
    era.open(peer)
    for number in range(100):
        stored = content(peer.answer(era.call(f"s{number}", "memory_store", {"content": f"fact number x{number} is known"})))
        found = content(peer.answer(era.call(f"r{number}", "memory_retrieve", {"terms": [f"x{number}"]})))
        assert [result["id"] for result in found["results"]] == [stored["results"][0]["id"]]


def test_a_recall_by_embedding_sees_every_vector_that_was_answered_before_it_in_any_process(tmp_path: Path) -> None:
    """W4, W1: attached through one server, found through another at once, replaced and found anew."""
    store = ["--store", str(tmp_path / "store")]
    near = {"terms": ["nowhere"], "lane": "vector", "vector_k": 1}
    with Peer([*PROGRAM, *store]) as writer, Peer([*PROGRAM, *store]) as reader:
        LEGACY.open(writer)
        LEGACY.open(reader)
        for number in range(1, 21):
            turned = [0.0] * 20
            turned[number - 1] = 1.0
            stored = LEGACY.call(f"s{number}", "memory_store", {"content": f"fact {number}", "embedding": turned})
            assert content(writer.answer(stored))["captured"] == 1
            found = content(reader.answer(LEGACY.call(f"r{number}", "memory_retrieve", {**near, "query_embedding": turned})))
            assert [(one["id"], one["vector_similarity"]) for one in found["results"]] == [(f"cap-{number}", 1.0)]
        swapped = [
            {"capsule_id": "cap-1", "embedding": [0.0] * 19 + [2.0]},
            {"capsule_id": "cap-20", "embedding": [3] + [0] * 19},
        ]
        assert content(writer.answer(LEGACY.call("swap", "memory_vector", {"items": swapped})))["attached"] == 2
        question = {**near, "query_embedding": [1] + [0] * 19}
        found = content(reader.answer(LEGACY.call("after", "memory_retrieve", question)))
        assert [one["id"] for one in found["results"]] == ["cap-20"]


def test_an_embedding_with_what_json_cannot_say_is_refused_and_the_answer_can_be_read(peer: Peer) -> None:
    """L2, case E3: many writers put NaN into what they call JSON; the lesson must not do so too."""
    LEGACY.open(peer)
    for number, (tool, field) in enumerate(
        ((b"memory_vector", b"embedding"), (b"memory_store", b"embedding"), (b"memory_retrieve", b"query_embedding"))
    ):
        beside = {
            b"memory_vector": b'"capsule_id":"cap-1"',
            b"memory_store": b'"content":"x"',
            b"memory_retrieve": b'"terms":["x"]',
        }
        arguments = b'{%s,"%s":[0.5,NaN]}' % (beside[tool], field)
        head = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":' % (number, tool)
        peer.send(head + arguments + b"}}")
        error = peer.receive()["error"]
        assert (error["code"], error["data"]["field"], error["data"]["got"]) == (-32602, f"{field.decode()}[1]", "NaN")


def test_calls_in_flight_together_are_all_answered(peer: Peer) -> None:
    """case I4: a client may send without waiting; nothing is lost, refused or answered twice."""
    LEGACY.open(peer)
    for number in range(100):
        peer.send(LEGACY.call(f"s{number}", "memory_store", {"content": f"parallel fact y{number}"}))
        peer.send(LEGACY.call(f"r{number}", "memory_retrieve", {"terms": ["parallel"]}))
    answers = [peer.receive() for _ in range(200)]
    assert len({answer["id"] for answer in answers}) == 200
    assert [answer for answer in answers if "error" in answer] == []
    assert content(peer.answer(LEGACY.call("all", "memory_retrieve", {"terms": ["parallel"]})))["matched"] == 100


def test_writes_are_stamped_with_the_servers_project(peer: Peer) -> None:
    """case F6: what a client writes through a server for one project is found under that project, by itself and by others."""
    LEGACY.open(peer)
    peer.answer(
        LEGACY.call(1, "memory_store", {"items": [{"content": "stamped fact"}, {"content": "other fact", "project_id": "else"}]})
    )
    for project, id in (("nott", "cap-1"), ("else", "cap-2")):
        found = content(peer.answer(LEGACY.call(project, "memory_retrieve", {"terms": ["fact"], "project_id": project})))
        assert [result["id"] for result in found["results"]] == [id]
        assert found["scope"] == {"project_id": project}


def test_a_session_on_a_real_store_prints_messages_alone(peer: Peer) -> None:
    """case I1: engines and drivers print too; stdout belongs to the protocol, and a calm session leaves the log empty."""
    LEGACY.open(peer)
    peer.answer(LEGACY.call(1, "memory_store", {"content": "We pin tokio at 1.38"}))
    peer.answer(LEGACY.call(2, "memory_retrieve", {"terms": ["tokio"]}))
    peer.answer(LEGACY.call(3, "memory_misses"))
    peer.close_stdin()
    assert peer.exit_code() == 0
    assert [json.loads(line)["jsonrpc"] for line in peer.printed] == ["2.0"] * 4
    assert peer.log() == ""


def test_progress_of_a_batch_ends_with_the_batch(peer: Peer) -> None:
    """Whoever stores much sees it go on."""
    LEGACY.open(peer)
    items = [{"content": f"batch fact z{number}"} for number in range(1_000)]
    peer.send(LEGACY.call(1, "memory_store", {"items": items}, progressToken="p"))
    heard = []
    while "id" not in (message := peer.receive()):
        heard.append(message["params"]["progress"])
    assert content(message)["captured"] == 1_000
    assert heard == sorted(set(heard))
    assert heard[-1] == 2_000


def raw_call(era: Era, tool: str, arguments: str, beside: str = "") -> bytes:
    """Return the line of a call whose arguments are written out, as no JSON library would write them."""
    line = json.dumps(era.call(7, tool, {"raw": 1})).replace('"arguments": {"raw": 1}', f'{beside}"arguments": {arguments}')
    return line.encode()


@pytest.mark.parametrize(
    ("tool", "arguments", "beside", "field"),
    [
        ("memory_retrieve", '{"terms": ["port"], "project_id": "nott", "project_id": "else"}', "", "project_id"),
        ("memory_retrieve", '{"terms": ["port"]}', '"arguments": {"terms": ["port"], "project_id": "nott"}, ', "arguments"),
        ("memory_retrieve", '{"terms": ["port"], "time_window": {"from": null, "from": null}}', "", "time_window.from"),
        ("memory_retrieve", '{"terms": ["port"], "min_support": Infinity}', "", "min_support"),
        ("memory_store", '{"content": "a port", "confidence": NaN}', "", "confidence"),
        ("memory_store", '{"content": "a port", "metadata": {"a": [{"b": 1, "b": 1}]}}', "", "metadata.a.b"),
        ("memory_store", '{"content": "a port", "metadata": {"a": [-Infinity]}}', "", "metadata.a"),
        ("memory_alias", '{"remove": {"term": "a", "term": "b", "alias": "c"}}', "", "remove.term"),
        ("memory_list", "NaN", "", "arguments"),
    ],
)
def test_what_a_lenient_reader_would_lose_is_refused_by_its_name(
    refusing: tuple[Peer, Era], tool: str, arguments: str, beside: str, field: str
) -> None:
    """F1, W14: the last of two fences would hold alone, and an answer without the request's id would be waited for for ever."""
    peer, era = refusing
    peer.send(raw_call(era, tool, arguments, beside))
    answer = peer.receive()
    assert (answer["id"], answer["error"]["code"], answer["error"]["data"]["field"]) == (7, -32602, field)


@BOTH_ERAS
def test_an_item_that_a_lenient_reader_would_garble_is_rejected_alone(peer: Peer, era: Era) -> None:
    """W1: one bad item never blocks its siblings, and what is repeated of it is JSON again."""
    era.open(peer)
    items = '{"content": "a", "key": "x", "key": "y"}, {"content": "b b"}, {"content": "c", "confidence": NaN}'
    peer.send(raw_call(era, "memory_store", f'{{"items": [{items}]}}'))
    results = content(peer.receive())["results"]
    assert [result["status"] for result in results] == ["rejected", "captured", "rejected"]
    assert results[0]["error"].startswith("items[0].key: ")
    assert "'NaN'" in results[2]["error"]


@pytest.mark.parametrize(
    ("sets", "last"),
    [([], "memory_search_scopes"), (["--tools", "all"], "memory_history"), (["--tools", "life"], "memory_history")],
)
def test_tool_sets_are_chosen_at_the_start(tmp_path: Path, sets: list[str], last: str) -> None:
    """The default list is short; more is listed for those who ask."""
    with Peer([*PROGRAM, "--store", str(tmp_path / "store"), *sets]) as peer:
        LEGACY.open(peer)
        assert peer.answer(LEGACY.request(1, "tools/list"))["result"]["tools"][-1]["name"] == last


@BOTH_ERAS
def test_the_default_list_costs_less_than_four_thousand_tokens_as_it_comes_over_the_wire(peer: Peer, era: Era) -> None:
    """What the protocol's own fields add to schemas and texts is paid too: the tools are counted as a client gets them."""
    era.open(peer)
    listed = peer.answer(era.request(1, "tools/list"))["result"]["tools"]
    tokens = len(json.dumps(listed, ensure_ascii=False, separators=(",", ":"))) / 4
    assert 3_000 < tokens < 4_000, f"{tokens:.0f} tokens"
