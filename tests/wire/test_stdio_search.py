"""`memory_search` as a host meets it: listed in its set, called over stdio, answered as one object."""

import json
from pathlib import Path
from typing import Any

from support.stdio_peer import HANDSHAKE, Era, Peer

ERA = Era(HANDSHAKE)


def test_a_search_over_stdio_tells_its_page_and_how_to_read_it(tmp_path: Path) -> None:
    """O7, L8, L9, F10: the whole answer of a strict search and of a relaxed one, on a real store."""
    program = ["-m", "recordance_adapters", "mcp", "--store", str(tmp_path / "store"), "--tools", "core,search"]
    with Peer(program) as peer:
        ERA.open(peer)
        stored = {"items": [{"content": "tokio is pinned at 1.38"}, {"content": "tokio panics", "project_id": "nott"}]}
        peer.answer(ERA.call("store", "memory_store", stored))
        strict = said(peer.answer(ERA.call("strict", "memory_search", {"selection": {"query": "tokio pinned"}})))
        assert [row["id"] for row in strict["memories"]] == ["cap-1"]
        assert strict["retrieval"] == {
            "strategy": "strict",
            "search_mode": "strict",
            "reason": "matched",
            "scope": {"scope": "global"},
            "scoped_active": 1,
            "total_matches": 1,
            "candidate_pool": 1,
            "candidate_limit_reached": False,
            "returned": 1,
            "offset": 0,
            "limit": 20,
            "has_more_in_pool": False,
        }
        asked = {"query": "tokio breaks", "search_mode": "auto", "scope": "project", "scope_id": "nott"}
        relaxed = said(peer.answer(ERA.call("relaxed", "memory_search", {"selection": asked})))
        assert [row["match_quality"] for row in relaxed["memories"]] == ["relaxed", "relaxed"]
        assert relaxed["retrieval"]["fallback"]["fragments"] == ["tokio"]
        refused = peer.answer(ERA.call("flat", "memory_search", {"query": "tokio"}))
        assert refused["error"]["data"]["expected"] == 'selection instead, such as {"selection": {"query": "tokio pin"}}'


def said(message: dict[str, Any]) -> dict[str, Any]:
    """The answer's object, which its text says as well."""
    answer: dict[str, Any] = message["result"]["structuredContent"]
    assert json.loads(message["result"]["content"][0]["text"]) == answer
    return answer
