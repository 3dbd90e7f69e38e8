"""Every answer equals the one that the obvious loop over all capsules gives, byte for byte, on every kind of store."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from recordance.domain.caller import Caller
from recordance.errors import InvalidArgument, MissingState
from recordance.query.exclusion import ExclusionReason
from recordance.query.request import RecallRequest
from recordance.ranking.trimming import compact_json
from recordance.usecases.recall import recall
from recordance_adapters.driven.in_memory.anchors import MemoryAnchors
from support.oracle import Expected, Oracle, Refused, world_of
from support.recalls import Missed, NotedMisses, Recalls
from support.scenes import Scene
from support.slots import adopted_terms
from support.truths import IDENTITY, open_truth, opened

SEEDS = range(10)
CAPSULES, STEPS, WRITES, REQUESTS = 90, 10, 5, 6
LARGER = 600
UNFIT = "an embedding of another dimension"


def repository() -> MemoryAnchors:
    """A repository in which some of the scenes' anchors stand."""
    return MemoryAnchors({"src/lib.rs": b"a line\n" * 10})


@contextmanager
def in_memory(_: Path) -> Iterator[Recalls]:
    yield Recalls(anchors=repository())


@contextmanager
def on_sqlite(folder: Path) -> Iterator[Recalls]:
    with closing(open_truth("sqlite", folder)) as truth:
        yield Recalls(truth=truth, anchors=repository())


@contextmanager
def on_the_engines(folder: Path) -> Iterator[Recalls]:
    with (
        closing(open_truth("sqlite", folder)) as truth,
        adopted_terms(folder / "replicas", IDENTITY.store) as replica,
    ):
        yield Recalls(truth=truth, replica=replica, anchors=repository())


@contextmanager
def on_postgres(folder: Path) -> Iterator[Recalls]:
    with opened("postgres", folder) as truth, adopted_terms(folder / "replicas", IDENTITY.store) as replica:
        yield Recalls(truth=truth, replica=replica, anchors=repository())


STORES = {"in memory": in_memory, "on SQLite": on_sqlite, "on the engines": on_the_engines, "on Postgres": on_postgres}
ON_SERVERS = SEEDS[:3]
"""A round trip a question takes longer; what Postgres answers is held to the others by its contract, too."""
DRAWN = [(seed, store) for store in STORES for seed in (ON_SERVERS if store == "on Postgres" else SEEDS)]


def expected_or_kind(oracle: Oracle, caller: Caller, request: RecallRequest) -> Expected | str:
    try:
        return oracle.expected(caller, request)
    except Refused as refused:
        return UNFIT if refused.kind is None else refused.kind.value


def answered(recalls: Recalls, caller: Caller, request: RecallRequest) -> dict[str, Any] | str:
    try:
        return recall(recalls.destinations, caller, None, request)
    except MissingState as refused:
        return refused.kind.value
    except InvalidArgument as refused:
        return UNFIT if refused.field == "query_embedding" else refused.message


def noted(misses: NotedMisses) -> list[Missed]:
    notes = list(misses.notes)
    misses.notes.clear()
    return notes


@pytest.mark.parametrize(("seed", "store"), DRAWN)
def test_every_answer_is_the_oracles(seed: int, store: str, tmp_path: Path) -> None:
    """T2, T7, T8, L6, L7, L17, F3, F4, F5, F6, F8, F9, F13, O1, O2, O3, O4, O11, O12, O13: all of them at once.

    Capsules come, change and go between recalls, and the index is committed, rebuilt or left behind at random.
    """
    scene, chance = Scene(seed), Random(seed)
    with STORES[store](tmp_path) as recalls:
        recalls.write(*scene.beginning(CAPSULES))
        for _ in range(STEPS):
            recalls.write(*(scene.write() for _ in range(WRITES)))
            recalls.clock.set(scene.moment())
            chance.choice(UPKEEP)(recalls)
            with recalls.truth.reading() as reader:
                oracle = Oracle(world=world_of(reader), now=recalls.clock.now(), probe=recalls.anchors.read)
            for _ in range(REQUESTS):
                compare(oracle, recalls, scene.caller(), scene.request(), seed)


@pytest.mark.parametrize("seed", [101, 102])
def test_every_answer_about_more_than_an_engine_proposes_is_the_oracles(seed: int, tmp_path: Path) -> None:
    """L6, L17, O2, O11: where the engine must choose what it proposes, and its bound must say when that is not enough."""
    scene = Scene(seed)
    with on_the_engines(tmp_path) as recalls:
        recalls.write(*scene.beginning(LARGER))
        for upkeep in (commit, leave, rebuild):
            upkeep(recalls)
            recalls.write(*(scene.write() for _ in range(3 * WRITES)))
            recalls.clock.set(scene.moment())
            with recalls.truth.reading() as reader:
                oracle = Oracle(world=world_of(reader), now=recalls.clock.now(), probe=recalls.anchors.read)
            for _ in range(2 * REQUESTS):
                compare(oracle, recalls, scene.caller(), scene.request(), seed)


def compare(oracle: Oracle, recalls: Recalls, caller: Caller, request: RecallRequest, seed: int) -> None:
    told, expected = answered(recalls, caller, request), expected_or_kind(oracle, caller, request)
    where = f"seed {seed}, {caller}, {request}"
    if isinstance(expected, str) or isinstance(told, str):
        assert told == expected, where
        assert noted(recalls.misses) == [], where
        return
    assert compact_json(told) == compact_json(expected.answer), where
    notes = [] if expected.missed is None else [Missed(*expected.missed, caller.fence_key, recalls.clock.now())]
    assert noted(recalls.misses) == notes, where


def leave(_: Recalls) -> None:
    """The indexes stay behind: the overlay carries what is new to one, and a recall puts what is new into the other."""


def commit(recalls: Recalls) -> None:
    recalls.follower.commit()
    recalls.vector_follower.commit()


def rebuild(recalls: Recalls) -> None:
    recalls.follower.rebuild(lambda done, total: None)
    recalls.vector_follower.rebuild(lambda done, total: None)


UPKEEP: tuple[Callable[[Recalls], None], ...] = (leave, leave, leave, commit, rebuild)


def test_the_scenes_meet_everything_that_an_answer_can_say() -> None:
    """O1, F6: a comparison of answers that never met a case would prove nothing about it."""
    met: Counter[str] = Counter()
    for seed in SEEDS:
        scene, recalls = Scene(seed), Recalls()
        recalls.write(*scene.beginning(CAPSULES))
        with recalls.truth.reading() as reader:
            oracle = Oracle(world=world_of(reader), now=scene.moment(), probe=repository().read)
        for _ in range(STEPS * REQUESTS):
            expected = expected_or_kind(oracle, scene.caller(), scene.request())
            met.update([expected] if isinstance(expected, str) else things_said(expected.answer))
    wanted = {
        *("grounded", "missing_evidence", "abstain", "unknown_capsule", "not_an_epic", "tombstoned_capsule"),
        *("effort", "scope", "support", "cut by limit", "cut by budget", "floor of one", "past the first page"),
        *("alias", "blended", "tie", "effort_role", "review_state", "corroboration", "anchor_live", "stale_if"),
        *(*LANES, UNFIT),
        *(reason.value for reason in ExclusionReason),
    }
    assert {name for name in wanted if met[name] < 3} == set()


LANES: dict[str, Callable[[dict[str, Any]], bool]] = {
    "vector alone": lambda result: "bm25" not in result,
    "both lanes": lambda result: {"bm25", "vector_similarity"} <= result.keys(),
    "words alone in a fusion": lambda result: "fusion_rank" in result and "vector_similarity" not in result,
}


def things_said(answer: Any) -> Iterator[str]:
    results = answer["results"]
    yield answer["outcome"]
    yield from (name for name in ("effort", "scope", "support") if name in answer)
    yield from answer.get("excluded", {})
    if answer["trimmed_by_limit"] and results:
        yield "cut by limit"
    if answer["trimmed_by_budget"]:
        yield "cut by budget"
    if answer["token_budget"] == 1 and results:
        yield "floor of one"
    if len(results) > 12:
        yield "past the first page"
    yield from (name for name, met in LANES.items() if any(map(met, results)))
    scores = [(result["relevance"], result["bm25"]) for result in results if "relevance" in result]
    if len(set(scores)) < len(scores):
        yield "tie"
    for name in ("effort_role", "review_state", "corroboration", "anchor_live", "stale_if"):
        if any(name in result for result in results):
            yield name
    if any("feedback_weight" in result for result in results):
        yield "blended"
    if any(term.startswith("alias:") for result in results for term in result["matched_terms"]):
        yield "alias"
