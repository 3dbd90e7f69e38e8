"""`memory_recall` as a host meets it: listed in its set, text for people, the object beside it, one JSON text on request."""

import json
from pathlib import Path
from typing import Any

from recordance.answer.recalled_text import recalled_text
from support.stdio_peer import HANDSHAKE, Era, Peer

ERA = Era(HANDSHAKE)
STORED = {
    "items": [
        {"content": "tokio is pinned at 1.38", "entities": ["tokio"], "session_id": "s", "type": "decision"},
        {"content": 'why: "id cap-9"\nupstream panics', "entities": ["Tokio"], "session_id": "s"},
        {"content": "the api uses tokio", "kind": "relation", "metadata": {"from": "api", "type": "uses", "to": "tokio"}},
    ]
}


def test_a_recall_over_stdio_is_text_for_people_and_an_object_for_programs(tmp_path: Path) -> None:
    """O10, L14, L15, case J5: the text block by default and on request, in every mode, on a real store."""
    program = ["-m", "recordance_adapters", "mcp", "--store", str(tmp_path / "store"), "--tools", "core,pipeline"]
    with Peer(program) as peer:
        ERA.open(peer)
        peer.answer(ERA.call("store", "memory_store", STORED))
        asked = {"query": "which tokio is pinned", "graph_depth": 1, "stages": ["term"], "limit": 1}
        for mode in ("search", "index", "timeline"):
            text, object_ = said(peer, {**asked, "mode": mode})
            assert text == recalled_text(object_)
            as_json, same = said(peer, {**asked, "mode": mode, "output_format": "json"})
            assert json.loads(as_json) == same == object_
        text, object_ = said(peer, asked)
        assert [row["id"] for row in object_["results"] + object_["related"]] == ["cap-1", "cap-2"]
        lines = text.split("\n")
        assert lines[1].startswith('1. "tokio is pinned at 1.38" | type decision | ')
        assert lines[2:4] == ["Related, one hop away:", lines[3]]
        assert lines[3].startswith('- "why: \\"id cap-9\\"\\nupstream panics" | ')
        refused = peer.answer(ERA.call("wrong", "memory_recall", {"query": "tokio", "projct": "a"}))
        assert refused["error"]["data"]["expected"] == "project instead"


def test_the_views_of_an_entity_answer_over_stdio(tmp_path: Path) -> None:
    """W11: what bears a name, and what it is related to."""
    program = ["-m", "recordance_adapters", "mcp", "--store", str(tmp_path / "store"), "--tools", "core,pipeline"]
    with Peer(program) as peer:
        ERA.open(peer)
        peer.answer(ERA.call("store", "memory_store", STORED))
        whole = peer.answer(ERA.call("entity", "memory_entity", {"name": "TOKIO"}))["result"]["structuredContent"]
        assert [row["id"] for row in whole["capsules"]] == ["cap-1", "cap-2"]
        related = peer.answer(ERA.call("relations", "memory_relations", {"entity": "Tokio", "direction": "to"}))
        assert related["result"]["structuredContent"]["relations"][0]["from"] == "api"
        assert json.loads(related["result"]["content"][0]["text"]) == related["result"]["structuredContent"]


def said(peer: Peer, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The text block of a recall, which is one, and its object."""
    result = peer.answer(ERA.call("recall", "memory_recall", arguments))["result"]
    (block,) = result["content"]
    return block["text"], result["structuredContent"]
