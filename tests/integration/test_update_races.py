"""Updates of one capsule by several at once, on files, and what recalls find afterwards (W13, case C12)."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from recordance.errors import InvalidArgument, MissingState, StateKind
from recordance_adapters.bootstrap import Service, open_service
from recordance_adapters.settings import load_settings
from recordance_adapters.wire.catalogue import TOOLS
from recordance_adapters.wire.tool import Call

TOOL = {tool.name: tool for tool in TOOLS}
AGENTS = 8


@pytest.fixture
def services(tmp_path: Path) -> Iterator[tuple[Service, Service]]:
    """Two services on one store, as two sessions have them."""
    settings = load_settings({"store": str(tmp_path / "store")}, {})
    with open_service(settings) as one, open_service(settings) as other:
        yield one, other


def call(service: Service, name: str, actor: str = "ann", **arguments: Any) -> dict[str, Any]:
    return TOOL[name].handle(Call(destinations=service.destinations, caller=service.caller(actor)), arguments)


def test_of_many_who_change_the_same_revision_one_succeeds_and_the_others_are_told(services: tuple[Service, Service]) -> None:
    """W13, case C12: nothing is merged silently, and nothing is lost: each who is told can look and try again."""
    call(services[0], "memory_store", content="agents: none")

    def join(agent: int) -> int | MissingState:
        try:
            changes = {"content": f"agents: number {agent}"}
            return call(services[agent % 2], "memory_update", id="cap-1", changes=changes, expected_revision=1)["revision"]
        except MissingState as refusal:
            return refusal

    with ThreadPoolExecutor(AGENTS) as pool:
        ended = list(pool.map(join, range(AGENTS)))
    refusals = [each for each in ended if isinstance(each, MissingState)]
    assert [each for each in ended if not isinstance(each, MissingState)] == [2]
    assert {(each.kind, each.data["revision"]) for each in refusals} == {(StateKind.REVISION_CONFLICT, 2)}
    assert len(call(services[1], "memory_history", id="cap-1")["rows"]) == 2


def test_updates_without_an_expectation_follow_one_another(services: tuple[Service, Service]) -> None:
    """W13: each is a revision of its own, in the order of the journal, and the last one stands."""
    call(services[0], "memory_store", content="agents: none")
    with ThreadPoolExecutor(AGENTS) as pool:
        revisions = list(
            pool.map(
                lambda agent: call(
                    services[agent % 2], "memory_update", id="cap-1", changes={"content": f"agents: number {agent}"}
                )["revision"],
                range(AGENTS),
            )
        )
    assert sorted(revisions) == list(range(2, AGENTS + 2))
    rows = call(services[0], "memory_history", id="cap-1")["rows"]
    assert [row["revision"] for row in rows] == list(range(1, AGENTS + 2))
    (capsule,) = call(services[1], "memory_get", id="cap-1")["capsules"]
    assert (capsule["content"], capsule["revision"]) == (rows[-1]["text"]["content"], AGENTS + 1)


def test_a_recall_in_another_process_sees_new_words_and_no_vector_of_the_old(services: tuple[Service, Service]) -> None:
    """W13, W4, case D7: both indexes follow a revision; the vector of other words grounds nothing any more."""
    one, other = services
    call(one, "memory_store", content="cats purr", embedding=[1.0, 0.0])
    call(one, "memory_store", content="dogs bark", embedding=[0.0, 1.0])
    asked = {"terms": ["purr"], "lane": "fused", "query_embedding": [1.0, 0.0]}
    assert call(other, "memory_retrieve", **asked)["outcome"] == "grounded"
    answer = call(one, "memory_update", id="cap-1", changes={"content": "databases index"})
    assert answer["embeddings_dropped"] == ["default"]
    assert call(other, "memory_retrieve", **asked)["outcome"] == "abstain"
    (hit,) = call(other, "memory_retrieve", terms=["databases"])["results"]
    assert "vector_similarity" not in hit
    assert call(other, "memory_vector", capsule_id="cap-1", embedding=[0.6, 0.8])["attached"] == 1
    with pytest.raises(InvalidArgument, match="cap-2"):
        call(other, "memory_update", id="cap-1", changes={"content": "dogs bark"})
