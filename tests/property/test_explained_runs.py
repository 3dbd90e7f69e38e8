"""Drawn stores and questions: every adapter explains alike, tables follow from stages, and an off lane is an empty one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from recordance.query.pipeline import PipelineFusion, Stage
from recordance.ranking.pipeline import LaneFound, brought_in, fuse
from support.dialect_oracle import Reading
from support.dialect_scenes import Arguments, DialectScene
from support.dialect_trials import trial
from support.pipelines import asked, run, tuned
from support.recalls import Recalls, fenced
from support.scenes import DIMENSION

EXPLAIN = "memory_explain_search"
FINDING = (Stage.TERM, Stage.SEMANTIC, Stage.FUZZY)
WEIGHTS = {"similarity": 0.55, "freshness": 0.15, "reinforcement": 0.10, "importance": 0.10}


def wrong(_: Reading, asked: Arguments, answer: Mapping[str, Any]) -> str:
    """Say where the table of an explanation does not follow from its stages and factors."""
    if "error" in answer:
        return ""
    ranks = {(each["stage"], hit["id"]): hit["rank"] for each in answer["stages"] for hit in each["hits"]}
    for hit in answer["hits"]:
        if {stage: ranks.get((stage, hit["id"])) for stage in hit["ranks"]} != hit["ranks"]:
            return f"{hit['id']} stands elsewhere in the lanes"
        factors = hit["factors"]
        value = sum(weight * factors[name] for name, weight in WEIGHTS.items()) * (0.7 + 0.3 * factors["decay"])
        if abs(value - hit["score"]) > 0.0003:
            return f"{hit['id']} is not blended of its factors: {value}"
    scores = [hit["score"] for hit in answer["hits"]]
    if scores != sorted(scores, reverse=True) and not asked.get("diverse") and "mmr" not in asked.get("stages", ()):
        return f"the scores do not fall: {scores}"
    return ""


@pytest.mark.parametrize("seed", [11, 12])
def test_explanations_are_the_same_on_every_adapter_and_follow_from_themselves(seed: int) -> None:
    """L10, L12, O11: in memory and on the engines byte for byte, whatever the indexes have taken up; the seed is told."""
    met = trial(seed, 40, {EXPLAIN: wrong})
    assert met[EXPLAIN] == 40
    assert met[f"{EXPLAIN}: refused"] < 20


def _judged(lanes: Sequence[LaneFound], fusion: PipelineFusion) -> list[LaneFound]:
    """Return the lanes with what words and meaning say of everything that any of them brings in, where scores are added."""
    entering = brought_in(lanes) if fusion.by_scores else ()
    said = {lane.stage: tuple(hit for hit in lane.hits if hit.number in entering) for lane in lanes}
    asked = {Stage.TERM, Stage.SEMANTIC} if fusion.by_scores else set()
    return [replace(lane, judged=said[lane.stage]) if lane.stage in asked else lane for lane in lanes]


@pytest.mark.parametrize("seed", range(3))
def test_a_stage_that_is_off_is_a_lane_that_found_nothing(seed: int) -> None:
    """L10, L16: for each set of lanes the ranking is the fusion of what those lanes find when all run; the seed is told.

    The stores are so small that a lane ranks all that it has a word for. What convex makes of words is not told by a stage: the
    oracle of the dialects has it.
    """
    scene, store = DialectScene(seed, [EXPLAIN]), Recalls()
    store.write(*scene.beginning(60))
    local = store.destinations.reading(fenced(), None)
    for _ in range(10):
        _, arguments = scene.asked()
        question, embedding = arguments["query"], arguments.get("query_embedding", [1.0] * DIMENSION)[:DIMENSION]
        for fusion in (PipelineFusion.RRF, PipelineFusion.LEGACY):
            tuning = tuned(fusion=fusion)
            whole = {
                each.stage: LaneFound(each.stage, tuning.share(each.stage), each.hits)
                for each in run(local, asked(question, embedding=embedding, stages=frozenset(FINDING), tuning=tuning)).stages
                if each.stage in FINDING
            }
            for few in combinations(FINDING, 2):
                found = run(local, asked(question, embedding=embedding, stages=frozenset(few), tuning=tuning))
                expected = fuse(_judged([whole[stage] for stage in few], fusion), fusion)[: tuning.pool]
                by_rank = sorted(found.rows, key=lambda row: row.fused_rank)
                assert tuple(row.fused for row in by_rank) == expected, (seed, question, few, fusion)
