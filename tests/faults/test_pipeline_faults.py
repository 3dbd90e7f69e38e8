"""Fail the n-th call of a run of the pipeline: it tells what it found rightly or refuses, and the next one is whole."""

from collections.abc import Callable
from dataclasses import dataclass, field
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
from support.recalls import ANYBODY, Recalls
from support.truths import IDENTITY
from support.watching import Told, WatchedReplica, WatchedTruth

REQUESTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "everything": (EXPLAIN, {"query": "which tokoi port is it", "query_embedding": [1.0, 0.5], "diverse": True, "id": "cap-3"}),
    "nothing": (EXPLAIN, {"query": "zzyzx", "id": "cap-1"}),
    "quickly": (FAST, {"query": "which tokio", "query_embedding": [1.0, 0.5], "project": "a"}),
}
BOUND = 120


@dataclass
class Nth:
    """Refuses one call, counted from when it was armed, among those whose names begin so."""

    ports: str
    error: Callable[[], RecordanceError]
    place: int | None = None
    seen: list[str] = field(default_factory=list)

    def __call__(self, name: str, given: tuple[Any, ...]) -> None:
        if name.startswith(self.ports):
            self.seen.append(name)
            if len(self.seen) == self.place:
                raise self.error()


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
    expected = ask(furnished(Nth("nothing", error)), asked)
    refused = answered = 0
    for place in range(1, BOUND):
        nth = Nth(ports, error)
        recalls = furnished(nth)
        nth.seen.clear()
        nth.place = place
        try:
            assert ask(recalls, asked) == expected, place
            answered += 1
        except type(error()):
            refused += 1
        met = len(nth.seen)
        nth.place = None
        assert ask(recalls, asked) == expected, place
        if met < place:
            break
    assert met < BOUND
    assert answered + refused > 3
    assert refused if ports == "Truth" else answered
