"""`recall`, `where_am_i` and `projects` over stdio, on a real store and a server of one project."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.stdio_peer import HANDSHAKE, Era, Peer

ERA = Era(HANDSHAKE)


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    store = tmp_path_factory.mktemp("recall") / "store"
    command = ["-m", "recordance_adapters", "mcp", "--store", str(store), "--project", "nott", "--tools", "core,recall"]
    with Peer(command) as started:
        ERA.open(started)
        yield started


def told(peer: Peer, tool: str, **given: Any) -> dict[str, Any]:
    answer: dict[str, Any] = peer.answer(ERA.call(tool, tool, given))
    return answer


def content(peer: Peer, tool: str, **given: Any) -> dict[str, Any]:
    found: dict[str, Any] = told(peer, tool, **given)["result"]["structuredContent"]
    return found


def test_recall_answers_over_stdio_with_its_result_and_its_store(peer: Peer) -> None:
    """O10, F10, W11: from the first empty answer to one across all projects, with what is told of the place."""
    new = content(peer, "recall", query="which tokio do we pin")
    assert new["result"] == []
    assert "memory_store" in new["store"]["empty"]
    for text, given in (("we pin tokio at 1.38", {}), ("acme pins tokio at 1.40", {"project_id": "acme"})):
        content(peer, "memory_store", content=text, **given)
    own = content(peer, "recall", query="which tokio do we pin")
    assert [(row["text"], row["value"], row["tags"]) for row in own["result"]] == [("we pin tokio at 1.38", 1.0, [])]
    assert own["store"]["project"] == "nott"
    every = content(peer, "recall", query="which tokio do we pin", all_projects=True)
    assert {row["project"] for row in every["result"]} == {"nott", "acme"}
    where = content(peer, "where_am_i")
    assert (where["project"], where["actor"], where["tool_sets"]) == ("nott", "tester", ["core", "recall"])
    assert [(each["capsules"], each["in_scope"]) for each in where["stores"]] == [(2, 1)]
    assert [(row["project"], row["capsules"]) for row in content(peer, "projects")["projects"]] == [("acme", 1), ("nott", 1)]


def test_an_error_over_stdio_says_what_is_missing(peer: Peer) -> None:
    """F11: no trust root is told as state that is missing, never as an empty list."""
    refused = told(peer, "recall", query="tokio", trusted_only=True)["error"]
    assert refused["code"] == -32002
    assert refused["data"]["kind"] == "no_trust_root"


def test_nothing_told_of_the_place_is_a_path_of_the_machine(peer: Peer, tmp_path_factory: pytest.TempPathFactory) -> None:
    """W11: where a store lies on the disk is nobody's business but its owner's, whom the command line tells."""
    base = str(tmp_path_factory.getbasetemp().resolve())
    assert all(base not in line.decode() and str(Path.cwd()) not in line.decode() for line in peer.printed)
