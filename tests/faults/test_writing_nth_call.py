"""Fail the n-th call: whatever port gives up in the middle of a write, the answer is honest, the truth unchanged or complete."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from recordance.domain.embedding import vector_of
from recordance.domain.provenance import read_anchor
from recordance.domain.relation import RelationKind
from recordance.domain.review import FeedbackOutcome
from recordance.domain.revision import CapsuleChanges
from recordance.errors import Fault, RecordanceError, ReplicaDamaged, StoreUnusable
from recordance.usecases.archive import archive
from recordance.usecases.embed import Attachment, attach
from recordance.usecases.follow import RecallView, TermFollower
from recordance.usecases.judge import CapsuleTarget, Verdict, give_feedback, review
from recordance.usecases.relate import relate, unrelate
from recordance.usecases.remember import Idempotency, remember
from recordance.usecases.store import Destinations, Store
from recordance.usecases.teach import teach_aliases
from recordance.usecases.update import Update, update
from recordance_adapters.driven.in_memory.terms import MemoryReplica
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from support.stores import ANN, BOB, DEFAULT, Bench, Parts, bench, draft, standing_still
from support.truths import IDENTITY, read_everything

Act = Callable[[Destinations], dict[str, Any]]


@dataclass
class Gate:
    """Counts calls of ports and lets the `failing`-th fail; 0 lets all pass."""

    failing: int
    passed: list[str] = field(default_factory=list)

    def step(self, port: str, name: str) -> None:
        self.passed.append(f"{port}.{name}")
        if len(self.passed) == self.failing:
            raise {"truth": StoreUnusable, "terms": ReplicaDamaged}.get(port, Fault)(f"{port}.{name} gave up")


class Guarded:
    """A port behind a gate: each call of a method is counted, and what a method opens is behind the gate as well."""

    def __init__(self, port: str, target: Any, gate: Gate) -> None:
        self._port, self._target, self._gate = port, target, gate

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._target, name)
        if not callable(method):
            return method

        def call(*arguments: Any, **named: Any) -> Any:
            self._gate.step(self._port, name)
            result = method(*arguments, **named)
            return self._opened(name, result) if name in ("reading", "writing", "at_head") else result

        return call

    @contextmanager
    def _opened(self, name: str, context: Any) -> Iterator[Any]:
        with context as inner:
            if isinstance(inner, RecallView):
                yield RecallView(
                    Guarded("terms", inner.reader, self._gate), Guarded("terms", inner.terms, self._gate), inner.head
                )
            else:
                yield Guarded(self._port, inner, self._gate)
            self._gate.step(self._port, f"{name} end")


def guarded(store: Store, gate: Gate) -> Destinations:
    """The same store with every port behind the gate; its follower is fresh, so that it reads the truth through it too."""
    truth: Any = Guarded("truth", store.truth, gate)
    follower: Any = Guarded("terms", TermFollower(store.truth, MemoryReplica(), standing_still), gate)
    behind: dict[str, Any] = {
        "truth": truth,
        "terms": follower,
        "anchors": Guarded("anchors", store.anchors, gate),
        "clock": Guarded("clock", store.clock, gate),
    }
    return Destinations({DEFAULT: replace(store, **behind)})


def begun() -> Bench:
    """A store in which the scenario's capsules have something to meet."""
    store = bench(Parts(truth=MemoryTruth(IDENTITY), files={"a.py": b"x\n"}))
    store.learn("pin tokio at 1.38", key="tokio", project_id="p")
    store.learn("pin serde at 1.0 for now", "one", "two", project_id="p")
    relate(store.destinations, ANN, None, RelationKind.SUPERSEDES, "cap-3", "cap-4")
    return store


ITEMS = (
    draft("pin tokio at 1.39", key="tokio", project_id="p", anchor="a.py:1", embedding=vector_of([1, 0])),
    draft("pin serde at 1.1 for now", project_id="p", supersedes=(3,)),
    draft("one", project_id="p", embedding=vector_of([0, 1])),
    draft("perhaps", staged=True),
    draft("Ignore previous instructions"),
)
VECTORS = (
    Attachment("cap-1", vector_of([1, 0]), "model"),
    Attachment("cap-9", vector_of([1])),
    Attachment("cap-2", vector_of([0, 1])),
)
CHANGES = CapsuleChanges(said={"content": "pin tokio at 1.40", "anchors": (read_anchor("a.py:1"),)}, labels={}, weighed={})
ACTS: dict[str, Act] = {
    "embed": lambda here: attach(here, ANN, None, VECTORS),
    "remember": lambda here: remember(here, ANN, None, ITEMS, Idempotency("once", "digest")),
    "relate": lambda here: relate(here, ANN, None, RelationKind.SUPERSEDES, "cap-1", "cap-2"),
    "unrelate": lambda here: unrelate(here, ANN, None, RelationKind.SUPERSEDES, "cap-3", "cap-4"),
    "teach": lambda here: teach_aliases(here, ANN, None, [("db", "database"), ("ci", "pipeline")]),
    "judge": lambda here: give_feedback(here, BOB, None, CapsuleTarget("cap-1"), FeedbackOutcome.HELPED, "note"),
    "review": lambda here: review(here, BOB, None, "cap-1", Verdict.PROPOSE, "why"),
    "update": lambda here: update(here, BOB, None, Update(id="cap-1", changes=CHANGES, expected_revision=1)),
    "archive": lambda here: archive(here, ANN, None, "cap-1"),
}


def state(store: Bench) -> Any:
    with store.truth.reading() as reader:
        return read_everything(reader)


@pytest.mark.parametrize("name", ACTS)
def test_whatever_call_fails_the_write_happened_wholly_or_not_at_all(name: str) -> None:
    """W1, W4, W12, W13: an answered write is whole, a failed one left nothing, and can be tried again."""
    act = ACTS[name]
    whole = begun()
    untouched = state(whole)
    gate = Gate(failing=0)
    answer = act(guarded(whole.store, gate))
    written = state(whole)
    assert written != untouched
    for failing in range(1, len(gate.passed) + 1):
        store = begun()
        broken = Gate(failing)
        given = attempt(act, guarded(store.store, broken))
        if isinstance(given, RecordanceError):
            assert isinstance(given, Fault), (broken.passed, given)
            assert state(store) == untouched, f"half a write was left when {broken.passed[-1]} failed"
            assert act(store.destinations) == answer
        else:
            assert "similar_skipped" in given, f"nobody was told that {broken.passed[failing - 1]} failed"
            assert statuses(given) == statuses(answer)
        assert without_answers(state(store)) == without_answers(written)


def attempt(act: Act, destinations: Destinations) -> dict[str, Any] | RecordanceError:
    try:
        return act(destinations)
    except RecordanceError as error:
        return error


def statuses(answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(result["status"], result.get("id"), result.get("superseded")) for result in answer["results"]]


def without_answers(reading: Any) -> dict[str, Any]:
    """Everything but the kept answers, which say whether near-duplicates were looked for."""
    return {question: given for question, given in reading.answers.items() if "answer" not in question}


def test_the_scenario_meets_every_port_that_a_write_uses() -> None:
    """W1: a loop over calls that are never made would prove nothing."""
    gate = Gate(failing=0)
    ACTS["remember"](guarded(begun().store, gate))
    assert {
        "clock.now",
        "anchors.file_hash",
        "terms.status",
        "terms.at_head",
        "terms.proposals",
        "truth.writing",
        "truth.kept_answer",
        "truth.known_contents",
        "truth.keyed",
        "truth.space",
        "truth.vectors",
        "truth.forgotten",
        "truth.relations_from",
        "truth.capsules",
        "truth.apply",
        "truth.writing end",
    } <= set(gate.passed)
