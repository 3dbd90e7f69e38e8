"""Fail the n-th call of a `recall` with everything switched on: it answers rightly or refuses, and the next one is whole."""

from collections.abc import Callable
from typing import Any

import pytest

from recordance.domain.relation import RelationKind
from recordance.domain.trust import TrustRoot
from recordance.errors import RecordanceError, ReplicaDamaged, StoreUnusable
from recordance.ranking.trimming import compact_json
from recordance.usecases.reliance import Reliance
from recordance_adapters.driven.in_memory.terms import MemoryReplica
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.accrued import RECALL
from support.nth_call import each_call_failed
from support.recalls import ANYBODY, Recalls
from support.truths import IDENTITY, NOON, stands
from support.watching import Told, WatchedReplica, WatchedTruth

REQUESTS: dict[str, dict[str, Any]] = {
    "plain": {"query": "which tokio is it"},
    "everything": {
        "query": "the port of the shop", "trusted_only": True, "with_warrant": True, "resolve_conflicts": True, "full": True,
        "mmr": 0.5, "include_archive": True,
    },
    "empty": {"query": "nothing"},
}  # fmt: skip
BOUND = 80


def furnished(told_of: Told) -> Recalls:
    """A store with a correction, a restatement and a voice, half of it committed to the index and half in the overlay."""
    replica = WatchedReplica(MemoryReplica(), told_of)
    recalls = Recalls(truth=WatchedTruth(MemoryTruth(IDENTITY), told_of), replica=replica)
    recalls.destinations.reliance = Reliance(root=TrustRoot(sources=frozenset({"ci"})))
    recalls.remember("the port of the shop is 8080", "the port of the shop is 9090 now, and tokio listens there", source="ci")
    recalls.follower.commit()
    recalls.write(stands(1, superseded_at=NOON, superseded_by=2))
    recalls.relate(2, RelationKind.SUPERSEDES, 1)
    recalls.remember("the port of the shop is 8080 says bob", "a port of the shop, put away", source="ci")
    recalls.relate(3, RelationKind.SUPPORTS, 2)
    recalls.write(stands(4, archived_at=NOON))
    return recalls


def ask(recalls: Recalls, given: dict[str, Any]) -> str:
    return compact_json(RECALL.handle(Call(destinations=recalls.destinations, caller=ANYBODY), given))


@pytest.mark.parametrize("asked", REQUESTS)
@pytest.mark.parametrize(
    ("ports", "error"),
    [
        ("Truth", lambda: StoreUnusable("the disk is gone")),
        ("TermSnapshot", lambda: ReplicaDamaged("a segment cannot be read")),
    ],
    ids=["a truth that is gone", "an index that is damaged"],
)
def test_a_recall_by_worth_of_which_any_call_fails_answers_rightly_or_refuses(
    asked: str, ports: str, error: Callable[[], RecordanceError]
) -> None:
    """O6, D3: never half an answer, never an emptiness for want of an index."""
    given = REQUESTS[asked]
    course = each_call_failed(furnished, lambda recalls: ask(recalls, given), ports, error, BOUND)
    assert course.answered + course.refused > 3
    assert course.refused if ports == "Truth" else course.answered
