"""Fail the n-th call: over every call to a port that a recall makes, it answers rightly or says honestly that it cannot."""

from typing import Any

import pytest

from recordance.domain.change import AppendCorroboration
from recordance.domain.journal import Op
from recordance.domain.provenance import read_anchor
from recordance.domain.relation import RelationKind
from recordance.domain.review import AnchorVerdict, Corroboration
from recordance.domain.vocabulary import Kind
from recordance.errors import MissingState, RecordanceError, ReplicaDamaged, StateKind, StoreUnusable
from recordance.ranking.trimming import compact_json
from recordance_adapters.driven.in_memory.terms import MemoryReplica
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from recordance_adapters.driven.system.misses import QueuedMisses
from support.nth_call import Nth
from support.recalls import Recalls, fenced
from support.truths import IDENTITY, NOON, entombed, labels, stands, told
from support.watching import Told, WatchedReplica, WatchedTruth

REQUESTS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "grounded": (("tokio", "runtime", "cap-5"), {}),
    "blended": (("tokio",), {"weight_blend": 1.0, "corroboration_blend": 1.0, "token_budget": 10**5}),
    "effort": (("tokio",), {"effort_id": "cap-1"}),
    "support": (("tokio", "nothing"), {"min_support": 0.1}),
    "fenced": (("tokio",), {"caller": fenced("nott")}),
    "missing": (("serde",), {}),
    "abstain": (("nothing",), {}),
}
BOUND = 60
"""More calls than any of these recalls makes; a loop that reaches it is not testing what it says."""


def busy() -> RecordanceError:
    return MissingState(StateKind.STORE_BUSY, "main", "another writer holds the store; try again")


def unusable() -> RecordanceError:
    return StoreUnusable("the disk is gone")


def damaged() -> RecordanceError:
    return ReplicaDamaged("a segment cannot be read")


def furnished(told_of: Told) -> Recalls:
    """A store with everything that a recall reads, half of it committed to the index and half of it in the overlay."""
    replica = WatchedReplica(MemoryReplica(), told_of)
    recalls = Recalls(truth=WatchedTruth(MemoryTruth(IDENTITY), told_of), replica=replica)
    recalls.remember("tokio", labels=labels(kind=Kind.EPIC, project_id="nott"), anchors=(read_anchor("src/lib.rs:1"),))
    recalls.remember("tokio pin", "tokio serde", "serde", "forgotten", *["tokio"] * 30, labels=labels(project_id="nott/x"))
    recalls.write(stands(4, archived_at=NOON), stands(3, archived_at=NOON), entombed(5))
    recalls.follower.commit()
    recalls.relate(2, RelationKind.PART_OF, 1)
    recalls.teach("runtime", "tokio")
    verdict = Corroboration(2, "main", "src/lib.rs", None, AnchorVerdict.CORROBORATED, 1, NOON)
    recalls.write(told(Op.CORROBORATED, 2, AppendCorroboration(verdict)))
    recalls.remember("tokio in the overlay", labels=labels(project_id="nott"))
    recalls.write(stands(6, archived_at=NOON))
    return recalls


FAULTS = {
    "a truth that is gone": (("Truth",), unusable),
    "a truth that is busy": (("Truth.reading",), busy),
    "an index that is damaged": (("TermSnapshot",), damaged),
    "a replica that cannot be written": (("TermReplica",), unusable),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("asked", REQUESTS)
def test_a_recall_of_which_any_call_fails_answers_rightly_or_refuses(asked: str, fault: str) -> None:
    """O6, F13: never half an answer, never an abstention for want of an index; and the next recall is as good as ever."""
    terms, given = REQUESTS[asked]
    nth = Nth(*FAULTS[fault])
    expected = compact_json(furnished(Nth((), unusable)).ask(*terms, **given))
    outcomes = []
    for place in range(1, BOUND):
        recalls = furnished(nth)
        nth.arm(place)
        try:
            outcomes.append(compact_json(recalls.ask(*terms, **given)))
        except type(nth.error()):
            outcomes.append("refused")
        assert outcomes[-1] != "refused" or recalls.misses.notes == []
        reached = len(nth.seen) >= place
        nth.arm(None)
        assert compact_json(recalls.ask(*terms, **given)) == expected, f"after {nth.seen[-1:]} failed at {place}"
        if not reached:
            break
    assert set(outcomes) <= {expected, "refused"}
    assert len(outcomes) < BOUND - 1
    assert outcomes[-1] == expected


@pytest.mark.parametrize("asked", REQUESTS)
def test_a_damaged_index_is_rebuilt_without_a_word_to_the_recall(asked: str) -> None:
    """O6, O11: whichever question the damage shows at, the answer is the same bytes."""
    terms, given = REQUESTS[asked]
    nth = Nth(("TermSnapshot",), damaged)
    expected = compact_json(furnished(nth).ask(*terms, **given))
    for place in range(1, len(nth.seen) + 1):
        recalls = furnished(nth)
        nth.arm(place)
        assert compact_json(recalls.ask(*terms, **given)) == expected, f"call {place}: {nth.seen[-1]}"
        nth.arm(None)


def test_a_rebuild_that_fails_too_is_said_and_made_good_by_the_next_recall() -> None:
    """O6: damaged at the first question, and unwritable at each step of the remedy in turn."""
    damage, hindrance = Nth(("TermSnapshot",), damaged, 1), Nth(("TermReplica",), unusable)

    def told_of(name: str, given: tuple[Any, ...]) -> None:
        hindrance(name, given)
        damage(name, given)

    for place in range(1, BOUND):
        damage.arm(None)
        hindrance.arm(None)
        recalls = furnished(told_of)
        expected = compact_json(recalls.ask("tokio"))
        damage.arm(1)
        hindrance.arm(place)
        try:
            assert compact_json(recalls.ask("tokio")) == expected
        except StoreUnusable:
            hindrance.arm(None)
            assert compact_json(recalls.ask("tokio")) == expected
        else:
            break
    assert 2 < place < BOUND - 1


def test_every_port_of_a_recall_is_among_those_that_fail() -> None:
    """A fault that no recall ever meets would prove nothing about recalls."""
    met: set[str] = set()
    nth = Nth(("T",), unusable)
    for terms, given in REQUESTS.values():
        recalls = furnished(nth)
        nth.arm(None)
        recalls.ask(*terms, **given)
        met.update(nth.seen)
    assert {
        "Truth.reading",
        *(f"TruthReader.{name}" for name in ("head", "identity", "corpus", "corpus_within", "capsules", "texts", "contents")),
        *(
            f"TruthReader.{name}"
            for name in ("aliases", "relations_to", "tombstones", "corroborations", "documents", "changes_after")
        ),
        *(f"TermSnapshot.{name}" for name in ("proposals", "frequencies", "tally", "numbers_present")),
    } <= met


def test_a_ledger_that_cannot_be_written_never_fails_a_recall() -> None:
    """T8: telemetry fails open; the answer is the one that it would have been, and the store is as usable as before."""
    nth = Nth(("Truth.writing",), unusable)
    recalls = furnished(nth)
    nth.arm(1)
    recorder = QueuedMisses(recalls.truth, settle_seconds=30.0)
    asking = Recalls(truth=recalls.truth, misses=recorder)
    answer = asking.ask("nothing")
    recorder.settle()
    assert (answer["outcome"], nth.seen) == ("abstain", ["Truth.writing"])
    assert ledger(asking) == []
    asking.ask("nothing", "Serde")
    recorder.close()
    assert ledger(asking) == ["nothing", "serde"]


def test_a_full_ledger_queue_never_delays_a_recall() -> None:
    """T8: what cannot be kept is lost, and the recall does not wait for it."""
    recalls = furnished(Nth((), unusable))
    recorder = QueuedMisses(recalls.truth, capacity=0)
    asking = Recalls(truth=recalls.truth, misses=recorder)
    assert asking.ask("nothing")["outcome"] == "abstain"
    recorder.close()
    assert ledger(asking) == []


def ledger(recalls: Recalls) -> list[str]:
    with recalls.truth.reading() as reader:
        return [miss.term_key for miss in reader.misses(None, 100)]
