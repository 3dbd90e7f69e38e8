"""Fences that keep about one row in a thousand of 10,000, on the real engines: a filtered recall equals brute force.

Nearly everything outside a fence lies nearer to what is asked than what is inside, so that whoever cut first and fenced then
would find nothing. Each fence has neighbours just beyond it.
"""

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest

from recordance.domain.caller import Caller
from recordance.domain.capsule import LabelField, Standing
from recordance.domain.change import AddRelation, ChangeSet
from recordance.domain.embedding import Vector, vector_of
from recordance.domain.instant import Instant
from recordance.domain.journal import Op
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.validity import EventRange, TimeWindow
from recordance.query.fence import CreationFence, Fence, MarkFence, MarkField, Scope, SubtreeFence, admits, marks_of
from recordance.query.lane import Fusion, LaneChoice
from recordance.query.request import RecallRequest
from recordance.query.terms import read_terms
from recordance.ranking.trimming import compact_json
from recordance.usecases.recall import recall
from recordance_adapters.driven.qdrant_vectors.opening import open_vectors
from support.oracle import Oracle, World, world_of
from support.recalls import ANYBODY, Recalls, below, fenced, only
from support.slots import adopted_slot, terms_in
from support.truths import IDENTITY, NOON, captured, days, make_capture, open_truth, told, write
from support.vector_views import embedding_of, is_scan

CAPSULES, TURN = 10_000, 1_000
"""In each turn of so many, one capsule of each rare kind is captured."""
REPLACED = range(11, CAPSULES, 97)
"""Whose vectors are replaced once the index was written: they are masked there, and compared from the truth."""
EPIC = 1
START = Instant(NOON - days(40))
END = Instant(START + CAPSULES // TURN - 1)
"""In each microsecond between them one capsule was captured, and what another one tells of happened."""
DIMENSION = 6


@dataclass(frozen=True)
class Fenced:
    """What a caller asks to be fenced to."""

    fences: tuple[Fence, ...] = ()
    window: TimeWindow | None = None
    effort_id: str | None = None
    caller: Caller = ANYBODY


FENCES = {
    "project": Fenced((only(LabelField.PROJECT, "rare"),)),
    "project prefix": Fenced((below("seldom"),)),
    "a token's projects": Fenced(caller=fenced("seldom/a", "rare/below")),
    "session": Fenced((only(LabelField.SESSION, " rare"),)),
    "effort": Fenced(effort_id=f"cap-{EPIC}"),
    "creation": Fenced((CreationFence(START, END),)),
    "label": Fenced((only(LabelField.CATEGORY, "rare"),)),
    "tag": Fenced((MarkFence(MarkField.TAGS, frozenset({"rare"})),)),
    "window": Fenced(window=TimeWindow(START, END)),
    "open window in a subtree": Fenced((below("half"),), TimeWindow(START, None)),
    "several": Fenced((below("half"), CreationFence(START, None), only(LabelField.CATEGORY, None)), TimeWindow(None, START)),
}
RARE: dict[int, dict[str, Any]] = {
    11: {"project": "rare"}, 12: {"project": "rare/below"}, 13: {"project": "Rare"},
    21: {"project": "seldom/a"}, 22: {"project": "seldomx"},
    31: {"session": " rare"}, 32: {"session": "rare"},
    41: {"captured": START}, 42: {"captured": START - TURN}, 43: {"captured": END + 1},
    51: {"category": "rare"}, 52: {"category": "rarer"},
    61: {"tags": ("rare", "b")}, 62: {"tags": ("rar",)},
    71: {"event": (START, START)}, 72: {"event": (START - days(1), START - TURN)}, 73: {"event": (END + 1, END + days(1))},
    81: {"captured": END + TURN, "event": (START - days(9), START - days(2)), "project": "half/x"},
    91: {"member": True},
}  # fmt: skip
"""What the capsules bear whose number has this rest, beside what all bear; instants move on by a microsecond each turn."""


@dataclass(frozen=True)
class Scale:
    """A store with its index, the same one without any, and all that it holds."""

    indexed: Recalls
    scanned: Recalls
    world: World


@pytest.fixture(scope="module")
def scale(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scale]:
    folder, chance = tmp_path_factory.mktemp("scale"), random.Random(7)
    with (
        closing(open_truth("sqlite", folder)) as truth,
        adopted_slot(folder / "replicas") as slot,
        closing(terms_in(slot, IDENTITY.store)) as terms,
        closing(open_vectors(slot.path, IDENTITY.store, slot.others())) as vectors,
    ):
        for first in range(1, CAPSULES + 1, TURN):
            write(truth, *(remembered(number, chance) for number in range(first, first + TURN)))
        write(truth, *(part_of_the_epic(number) for number in range(1, CAPSULES + 1) if "member" in RARE.get(number % TURN, {})))
        indexed = Recalls(truth=truth, replica=terms, vectors=vectors)
        indexed.follower.commit()
        indexed.vector_follower.commit()
        with truth.reading() as reader:
            replaced = reader.capsules(REPLACED)
        write(truth, *(embedding_of(capsule, drawn(chance, capsule.number)) for capsule in replaced.values()))
        with truth.reading() as reader:
            yield Scale(indexed, Recalls(truth=truth, replica=terms), world_of(reader))


def remembered(number: int, chance: random.Random) -> ChangeSet:
    """A capsule with its vector."""
    rare, turn = RARE.get(number % TURN, {}), (number - 1) // TURN
    labels = {
        LabelField.KIND: "epic" if number == EPIC else "fact",
        LabelField.PROJECT: rare.get("project", chance.choice((None, "half", "half/x", "other"))),
        LabelField.SESSION: rare.get("session", chance.choice((None, "s"))),
        LabelField.CATEGORY: rare.get("category"),
    }
    event = rare.get("event", (NOON - days(90), NOON - days(80)) if chance.random() < 0.5 else None)
    capture = make_capture(
        number,
        f"statement {number} of word{number % 7} " + chance.choice(("about tokio", "about tokio and tokio", "about pins")),
        labels={field: label for field, label in labels.items() if label is not None},
        captured_at=Instant(rare.get("captured", NOON - days(60)) + turn),
        event=None if event is None else EventRange(Instant(event[0] + turn), Instant(event[1] + turn)),
        tags=rare.get("tags", ("b",)),
        standing=Standing(archived_at=NOON) if chance.random() < 0.3 else Standing(),
    )
    return captured(capture).then(embedding_of(capture.capsule, drawn(chance, number)))


def drawn(chance: random.Random, number: int) -> Vector:
    """A vector near the first axis; of a rare capsule one that is all but across, in any direction."""
    axis = chance.gauss(0.1, 0.1) if number % TURN in RARE else 1.0
    return vector_of([axis, *(chance.gauss(0.0, 0.3) for _ in range(DIMENSION - 1))])


def part_of_the_epic(number: int) -> ChangeSet:
    return told(Op.RELATED, number, AddRelation(Relation(RelationKind.PART_OF, number, EPIC, NOON)))


def test_the_index_answers_one_store_and_a_scan_the_other(scale: Scale) -> None:
    """L4: else both would be one way to answer."""
    for recalls, scans in ((scale.indexed, False), (scale.scanned, True)):
        with recalls.vector_follower.steady() as steady, recalls.truth.reading() as reader:
            assert is_scan(steady.at(reader)) is scans


@pytest.mark.parametrize("name", FENCES)
def test_a_recall_inside_a_narrow_fence_equals_brute_force_over_10_000(name: str, scale: Scale) -> None:
    """F4, L4: fences and window apply before any cap, in both lanes; whole answers, byte for byte, with an index and without."""
    given, chance = FENCES[name], random.Random(name)
    assert CAPSULES // TURN // 2 <= kept(scale.world, given) <= 3 * CAPSULES // TURN
    oracle = Oracle(world=scale.world, now=NOON, probe=scale.indexed.anchors.read)
    for lane, fusion, vector_k in ASKED:
        request = RecallRequest(
            terms=read_terms(["tokio", f"word{chance.randrange(7)} about"]),
            lane=lane,
            embedding=vector_of([1.0, *(chance.gauss(0.0, 0.2) for _ in range(DIMENSION - 1))]),
            vector_k=vector_k,
            fusion=fusion,
            scope=Scope(given.fences),
            window=given.window,
            effort_id=given.effort_id,
            token_budget=10**6,
        )
        expected = compact_json(oracle.expected(given.caller, request).answer)
        assert '"vector_similarity"' in expected
        for recalls in (scale.indexed, scale.scanned):
            assert compact_json(recall(recalls.destinations, given.caller, None, request)) == expected, request


ASKED = (
    (LaneChoice.VECTOR, Fusion.RRF, 3),
    (LaneChoice.VECTOR, Fusion.RRF, 1_000),
    (LaneChoice.FUSED, Fusion.RRF, 3),
    (LaneChoice.FUSED, Fusion.CONVEX, 10),
)


def kept(world: World, given: Fenced) -> int:
    """How many capsules lie inside the fences and the window."""
    members = {EPIC} | {relation.source for relation in world.relations if relation.target == EPIC}
    own = () if given.caller.projects is None else (SubtreeFence(given.caller.projects),)
    return sum(
        admits(Scope((*given.fences, *own)), capsule, marks_of(world.texts[number]))
        and (given.effort_id is None or number in members)
        and (given.window is None or (capsule.event is not None and given.window.meets(capsule.event)))
        for number, capsule in world.capsules.items()
    )
