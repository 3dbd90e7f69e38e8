"""Explaining a recall: what each stage told, the table of the fusion, and every way of not being found (L10, F13)."""

from typing import Any

import pytest

from recordance.domain.caller import Caller
from recordance.domain.capsule import LabelField, Standing
from recordance.domain.relation import RelationKind
from recordance.errors import Json
from recordance.query.pipeline import DEFAULT_STAGES, FAST_STAGES, Stage
from recordance.usecases.absence import NamedFence
from recordance.usecases.explain import Explanation, explain
from recordance.usecases.store import Destinations
from support.pipelines import asked, tuned
from support.recalls import ANYBODY, Recalls, fenced, only
from support.truths import NOON, entombed, stands

A, B = {LabelField.PROJECT: "a"}, {LabelField.PROJECT: "b"}


def scene() -> Recalls:
    """A store in which every way of not being found has its capsule."""
    store = Recalls()
    store.remember("tokio pins the runtime", labels=A)  # 1 found by words and vector
    store.remember("the runtime", labels=A)  # 2 found by one word
    store.remember("far away", labels=A)  # 3 its cosine is below zero
    store.remember("no vector", labels=A)  # 4
    store.remember("tokio in another project", labels=B)  # 5
    store.remember("tokio once", labels=A, standing=Standing(superseded_at=NOON))  # 6
    store.remember("tokio forgotten", labels=A)  # 7
    store.write(entombed(7))
    store.remember("what supports it", labels=A)  # 8 by the graph
    store.relate(8, RelationKind.SUPPORTS, 1)
    for number, vector in ((1, (1.0, 0.0)), (2, (0.1, 1.0)), (3, (-1.0, 0.1))):
        store.embed(number, *vector)
    return store


STORE = scene()
FENCE = NamedFence("project", "a", (only(LabelField.PROJECT, "a"),))


def told(id: str | None = None, caller: Caller = ANYBODY, question: str = "tokio runtime", **given: Any) -> dict[str, Json]:
    """Return the explanation of a question with its embedding, fenced to project a unless `fences` says otherwise."""
    fences = given.pop("fences", (FENCE,))
    query = asked(
        question, embedding=(1.0, 0.0), fences=[each for fence in fences for each in fence.fences], **{"wanted": 10, **given}
    )
    return explain(STORE.destinations, caller, Explanation(query=query, fences=fences, id=id))


def about(id: str, **given: Any) -> Any:
    """Return what became of a capsule."""
    return told(id, **given)["about"]


def test_every_stage_tells_its_state_its_candidates_and_its_time() -> None:
    """L10: candidates with ranks and scores, stages that are off, and the time that the stopwatch tells, here a standing one."""
    stages = {each["stage"]: each for each in told()["stages"]}
    assert list(stages) == [stage.value for stage in Stage]
    assert [(hit["id"], hit["rank"]) for hit in stages["term"]["hits"]] == [("cap-1", 1), ("cap-2", 2)]
    assert stages["semantic"]["hits"] == [
        {"id": "cap-1", "rank": 1, "score": 1.0},
        {"id": "cap-2", "rank": 2, "score": 0.0995},
    ]
    assert [hit["id"] for hit in stages["graph"]["hits"]] == ["cap-8"]
    assert (stages["rerank"]["state"], stages["rerank"]["took_ms"]) == ("off", 0.0)


def test_the_table_shows_rank_by_rank_what_a_score_is_made_of() -> None:
    """L10, L12: the rank in each lane, the fused score, every factor and the final score of each hit."""
    first = told()["hits"][0]
    assert first["id"] == "cap-1"
    assert first["ranks"] == {"term": 1, "semantic": 1}
    assert first["factors"] == {"similarity": 1.0, "freshness": 1.0, "reinforcement": 0.0, "importance": 0.5, "decay": 1.0}
    assert (first["rank"], first["fused_rank"], first["score"]) == (1, 1, 0.75)


def test_a_capsule_that_is_found_shows_where() -> None:
    """L10: its rank in each lane against the ranks of that lane that enter, and why a lane has nothing for it."""
    found = about("cap-2", question="tokio runtime")
    assert (found["fate"], found["rank"]) == ("shown", 2)
    places = {each["stage"]: each for each in found["lanes"]}
    assert (places["term"]["rank"], places["semantic"]["rank"]) == (2, 2)
    assert places["term"]["depth"] >= 1
    assert places["graph"]["why"] == "nothing leads to it"


@pytest.mark.parametrize("id", ["cap-99", "nonsense", "cap-0"])
def test_an_id_that_nothing_has_is_unknown(id: str) -> None:
    """L10: an id of no capsule is told as such, and is no error: the rest of the explanation stands."""
    assert about(id) == {"id": id, "fate": "unknown", "why": "no capsule has exactly this id here"}


def test_what_a_token_fences_out_is_as_unknown_as_what_is_not_there() -> None:
    """F13: another project's capsule and one that never was read alike to whoever sees neither."""
    unseen = about("cap-5", caller=fenced("a"))
    assert {**unseen, "id": "cap-99"} == about("cap-99", caller=fenced("a"))


def test_a_forgotten_capsule_is_said_to_be_forgotten() -> None:
    """L10, W6: nothing of what it said is told."""
    assert about("cap-7")["fate"] == "forgotten"


def test_the_fence_that_drops_a_capsule_is_named_as_the_caller_wrote_it() -> None:
    """L10: of several fences the one that does not admit it, with its value."""
    wide = NamedFence("branch", "main", (only(LabelField.BRANCH, "main", None),))
    dropped = about("cap-5", fences=(wide, FENCE))
    assert (dropped["fate"], dropped["why"]) == ("fenced_out", 'project "a" does not admit it')


def test_the_reason_that_excludes_a_capsule_is_told() -> None:
    """L10, F6: a superseded capsule never answers, and says why."""
    excluded = about("cap-6")
    assert (excluded["fate"], excluded["why"]) == ("excluded", "it may not answer: superseded")


def test_a_capsule_that_nothing_finds_says_why_each_lane_does_not() -> None:
    """L10: no word matched, and the cosine is not above zero, or there is no embedding at all."""
    for id, why in (
        ("cap-3", "its cosine is -0.9950, and only above 0 is near"),
        ("cap-4", "it has no embedding in the space default"),
    ):
        missed = about(id)
        assert missed["fate"] == "no_match"
        places = {each["stage"]: each["why"] for each in missed["lanes"]}
        assert places["term"] == "none of the question's words stands in it, nor an alias of one"
        assert places["semantic"] == why


def test_a_stage_that_is_off_is_named_as_why_it_has_nothing() -> None:
    """L10: what only the graph finds is not found without it, and that it is off is said."""
    missed = about("cap-8", stages=FAST_STAGES)
    assert missed["fate"] == "no_match"
    assert {each["stage"]: each["why"] for each in missed["lanes"]}["graph"] == "it is off"


def test_a_rank_behind_the_limit_is_told_with_the_limit() -> None:
    """L10: its rank, and what the limit is; no order depends on the limit."""
    behind = about("cap-2", wanted=1)
    assert (behind["fate"], behind["rank"]) == ("beyond_limit", 2)
    assert behind["why"] == "it is number 2 of 3, and the limit is 1"


def test_what_matches_behind_the_pool_is_told_as_that() -> None:
    """L10: whatever a lane leaves behind its bound says what it matches and how many weigh more."""
    cut = about("cap-2", tuning=tuned(pool=1), stages=DEFAULT_STAGES)
    assert cut["fate"] == "beyond_cut"
    places = {each["stage"]: each for each in cut["lanes"]}
    assert places["term"]["why"] == "it matches runtime, and 1 others weigh as much or more"
    assert places["semantic"]["score"] == 0.0995


def test_an_archived_capsule_is_told_as_excluded_whatever_it_matches() -> None:
    """L10, F6: exclusion is looked at before ranks."""
    store = Recalls()
    store.remember("tokio")
    store.write(stands(1, archived_at=NOON))
    answer: Any = explain(store.destinations, ANYBODY, Explanation(query=asked("tokio"), id="cap-1"))
    assert answer["about"]["why"] == "it may not answer: archived"


def test_each_stage_tells_how_long_it_took_by_the_stopwatch_that_it_was_handed() -> None:
    """L10: vectors are asked while the snapshot opens, which is their time; nothing else of the answer depends on a time."""
    seconds = (place / 8 for place in range(1_000))
    watched = Destinations({"main": STORE.destinations.reading(ANYBODY, None)}, stopwatch=lambda: next(seconds))
    query = asked("tokio runtime", embedding=(1.0, 0.0), wanted=10)
    timed, untimed = (explain(each, ANYBODY, Explanation(query=query)) for each in (watched, STORE.destinations))
    assert [each.pop("took_ms") for each in timed["stages"]] == [125.0, 250.0, 125.0, 125.0, 0.0, 0.0]
    assert [each.pop("took_ms") for each in untimed["stages"]] == [0.0] * 6
    assert timed == untimed
