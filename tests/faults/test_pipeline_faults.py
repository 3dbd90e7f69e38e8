"""Fail the n-th call of a run of the pipeline: it tells what it found rightly or refuses, and the next one is whole."""

from collections.abc import Callable
from typing import Any

import pytest

from recordance.domain.relation import RelationKind
from recordance.errors import RecordanceError, ReplicaDamaged, StoreUnusable
from recordance.ranking.trimming import compact_json
from recordance_adapters.driven.in_memory.terms import MemoryReplica
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.explain import EXPLAIN
from recordance_adapters.wire.tools.fast import FAST
from support.nth_call import each_call_failed
from support.recalls import ANYBODY, Recalls
from support.truths import IDENTITY
from support.watching import Told, WatchedReplica, WatchedTruth

REQUESTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "everything": (EXPLAIN, {"query": "which tokoi port is it", "query_embedding": [1.0, 0.5], "diverse": True, "id": "cap-3"}),
    "nothing": (EXPLAIN, {"query": "zzyzx", "id": "cap-1"}),
    "quickly": (FAST, {"query": "which tokio", "query_embedding": [1.0, 0.5], "project": "a"}),
}
BOUND = 120


def furnished(told_of: Told) -> Recalls:
    """A store in which every stage finds something, half of it committed to the index and half in the overlay."""
    recalls = Recalls(truth=WatchedTruth(MemoryTruth(IDENTITY), told_of), replica=WatchedReplica(MemoryReplica(), told_of))
    recalls.remember("the port of tokio", "what tokio is", entities=("Rust",))
    recalls.follower.commit()
    recalls.remember("a crab", entities=("rust",))
    recalls.remember("its neighbour")
    recalls.relate(4, RelationKind.SUPPORTS, 1)
    recalls.embed(1, 1.0, 0.0)
    recalls.embed(3, 0.5, 1.0)
    return recalls


def ask(recalls: Recalls, asked: str) -> str:
    tool, given = REQUESTS[asked]
    return compact_json(tool.handle(Call(destinations=recalls.destinations, caller=ANYBODY), given))


@pytest.mark.parametrize("asked", REQUESTS)
@pytest.mark.parametrize(
    ("ports", "error"),
    [
        ("Truth", lambda: StoreUnusable("the disk is gone")),
        ("TermSnapshot", lambda: ReplicaDamaged("a segment cannot be read")),
    ],
    ids=["a truth that is gone", "an index that is damaged"],
)
def test_a_run_of_which_any_call_fails_tells_rightly_or_refuses(
    asked: str, ports: str, error: Callable[[], RecordanceError]
) -> None:
    """L10, O6, D3: never a stage that seems to have found nothing, never half a table."""
    course = each_call_failed(furnished, lambda recalls: ask(recalls, asked), ports, error, BOUND)
    assert course.answered + course.refused > 3
    assert course.refused if ports == "Truth" else course.answered
