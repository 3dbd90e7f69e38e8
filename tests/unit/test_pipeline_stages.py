"""The stages of the pipeline, each switched on and off and visible in its run (L10, L11, L12, G1)."""

import pytest

from recordance.domain.capsule import LabelField, Standing
from recordance.domain.change import PutFeedback
from recordance.domain.embedding import vector_of
from recordance.domain.instant import Instant
from recordance.domain.journal import Op
from recordance.domain.relation import RelationKind
from recordance.domain.review import Feedback, FeedbackOutcome
from recordance.domain.validity import Validity
from recordance.ports.models import Models
from recordance.query.pipeline import DEFAULT_STAGES, FAST_STAGES, Stage
from recordance.ranking.pipeline_run import StageState
from support.pipelines import ToyEmbedder, ToyReranker, asked, found_by, numbers, run, stage, tuned
from support.recalls import Recalls, fenced, only
from support.truths import NOON, days, told


def plain() -> Recalls:
    """A store: 1 and 2 have words of the question, 3 lies near it, 4 hangs on 1, 5 shares an entity with 1, 6 has nothing."""
    store = Recalls()
    store.remember("the build server runs tokio", entities=("Ferris",))
    store.remember("the lunch menu")
    store.remember("async runtimes compared")
    store.remember("pin it at one point thirty eight")
    store.remember("a crab", entities=("FERRIS",))
    store.remember("nothing of this")
    store.relate(4, RelationKind.SUPPORTS, 1)
    for number, vector in ((1, (1.0, 0.2)), (2, (-1.0, 0.0)), (3, (1.0, 0.0))):
        store.embed(number, *vector)
    return store


STORE = plain().destinations.reading(fenced(), None)
QUESTION = "which server runs the build"


def test_every_lane_that_runs_tells_what_it_found_and_by_what_score() -> None:
    """L10: words by their weight alone, vectors by cosine, then what hangs on the best, what shares an entity last."""
    found = run(STORE, asked(QUESTION, embedding=(1.0, 0.0)))
    assert [(each.stage, each.state) for each in found.stages] == [
        (Stage.TERM, StageState.RAN),
        (Stage.SEMANTIC, StageState.RAN),
        (Stage.FUZZY, StageState.RAN),
        (Stage.GRAPH, StageState.RAN),
        (Stage.RERANK, StageState.OFF),
        (Stage.MMR, StageState.OFF),
    ]
    assert found_by(found, Stage.TERM) == [1, 2]
    assert [hit.score for hit in stage(found, Stage.SEMANTIC).hits] == [1.0, pytest.approx(1 / 1.04**0.5)]
    assert found_by(found, Stage.SEMANTIC) == [3, 1]
    assert found_by(found, Stage.GRAPH) == [4, 5]
    assert numbers(found)[0] == 1
    assert sorted(numbers(found)) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("off", sorted(DEFAULT_STAGES))
def test_a_stage_that_is_off_finds_nothing_and_says_that_it_is_off(off: Stage) -> None:
    """L10: each stage can be switched, and what only it finds is gone with it."""
    found = run(STORE, asked(QUESTION, embedding=(1.0, 0.0), stages=DEFAULT_STAGES - {off}))
    assert stage(found, off).state is StageState.OFF
    assert not stage(found, off).hits
    assert all(off not in hit.via for hit in found.hits)
    only_by = {Stage.TERM: 2, Stage.SEMANTIC: 3, Stage.GRAPH: 4}
    if off in only_by:
        assert only_by[off] not in numbers(found)


def test_the_fast_stages_are_words_and_vectors_alone() -> None:
    """L10: fast runs term and semantic, and nothing else is looked for."""
    found = run(STORE, asked(QUESTION, embedding=(1.0, 0.0), stages=FAST_STAGES))
    assert [each.stage for each in found.stages if each.state is StageState.RAN] == [Stage.TERM, Stage.SEMANTIC]
    assert sorted(numbers(found)) == [1, 2, 3]


def test_a_hit_tells_which_lanes_found_it_and_what_matched() -> None:
    """L10, O4: words that stand in a text count for it though the vector lane alone ranked it."""
    found = run(STORE, asked(QUESTION, embedding=(1.0, 0.0)))
    hits = {hit.capsule.number: hit for hit in found.hits}
    assert hits[1].via == (Stage.TERM, Stage.SEMANTIC)
    assert set(hits[1].matched) == {"server", "runs", "the", "build"}
    assert hits[4].via == (Stage.GRAPH,)
    assert hits[4].matched == ()
    assert hits[4].claim.support == 0.0
    assert hits[3].claim.cosine == 1.0
    assert hits[3].claim.support == 1.0
    assert hits[3].claim.term is None


def test_without_an_embedding_the_semantic_stage_is_skipped_and_says_why() -> None:
    """L10: no embedder and no query_embedding, or an embedder that fails, are reasons and never errors (decision 10)."""
    silent = stage(run(STORE, asked(QUESTION)), Stage.SEMANTIC)
    assert silent.state is StageState.SKIPPED
    assert "no embedder" in silent.why
    failing = stage(run(STORE, asked(QUESTION), Models(embedder=ToyEmbedder())), Stage.SEMANTIC)
    assert failing.state is StageState.SKIPPED
    assert "did not answer" in failing.why


def test_an_embedder_lends_the_question_a_vector() -> None:
    """L10: with an embedder (decision 10) the stage runs without any embedding of the caller's."""
    found = run(STORE, asked(QUESTION), Models(embedder=ToyEmbedder(vector_of((1.0, 0.0)))))
    assert found_by(found, Stage.SEMANTIC) == [3, 1]


def test_a_word_that_no_capsule_has_is_looked_for_in_its_near_spellings() -> None:
    """L10: the near spelling is what matched, and its lane says so; words that stand somewhere are taken at their word."""
    store = Recalls()
    store.remember("the deployment pipeline", "many deploymenta", "a pipelime")
    local = store.destinations.reading(fenced(), None)
    found = run(local, asked("deploymnet of the pipelime"))
    assert found_by(found, Stage.FUZZY) == [1]
    hit = next(hit for hit in found.hits if hit.capsule.number == 1)
    assert hit.via == (Stage.TERM, Stage.FUZZY)
    assert hit.matched == ("the", "fuzzy:deployment")
    only_spelt = run(local, asked("deploymnet"))
    assert [(hit.via, hit.claim.term, hit.claim.support) for hit in only_spelt.hits] == [((Stage.FUZZY,), None, 0.0)]
    assert stage(run(local, asked("pipelime")), Stage.FUZZY).why == "every word stands somewhere as it is"


def test_two_slips_in_a_long_word_are_looked_for_where_one_leads_nowhere() -> None:
    """L10: in the index as in what waits for it, and in the caller's own corpus alone (F13)."""
    for written in (True, False):
        store = Recalls()
        store.remember("the deployment pipeline", labels={LabelField.PROJECT: "a"})
        store.remember("two deployments", labels={LabelField.PROJECT: "b"})
        if written:
            store.follower.commit()
        local = store.destinations.reading(fenced(), None)
        assert found_by(run(local, asked("deplyomnet")), Stage.FUZZY) == [1]
        assert found_by(run(local, asked("deploymnet")), Stage.FUZZY) == [1]
        assert found_by(run(local, asked("deplyomenst")), Stage.FUZZY) == [2, 1]
        assert found_by(run(local, asked("deplyomnet"), caller=fenced("b")), Stage.FUZZY) == []
        assert stage(run(local, asked("dpeloyemnst")), Stage.FUZZY).why == "nothing is spelt nearly like dpeloyemnst"


def test_near_spellings_come_from_the_callers_own_corpus() -> None:
    """L10, F13: a word that only others have is missing to this caller, and nothing that others have is near it."""
    store = Recalls()
    store.remember("tokio", labels={LabelField.PROJECT: "a"})
    store.remember("tokia", labels={LabelField.PROJECT: "b"})
    local = store.destinations.reading(fenced(), None)
    assert found_by(run(local, asked("tokia"), caller=fenced("a")), Stage.FUZZY) == [1]
    assert stage(run(local, asked("tokiax"), caller=fenced("a")), Stage.FUZZY).why == "nothing is spelt nearly like tokiax"
    assert found_by(run(local, asked("tokiax")), Stage.FUZZY) == [2]


def test_a_store_without_embeddings_says_so_to_whoever_sees_all_of_it() -> None:
    """L10, F13: an empty space is a reason; who sees a part is only told that nothing is near."""
    store = Recalls()
    store.remember("pin tokio", labels={LabelField.PROJECT: "a"})
    local = store.destinations.reading(fenced(), None)
    query = asked("tokio", embedding=(1.0, 0.0))
    assert stage(run(local, query), Stage.SEMANTIC).why == "no capsule has an embedding in the space default"
    assert stage(run(local, query, caller=fenced("a")), Stage.SEMANTIC).why == "no embedding has a cosine above 0"


def test_nothing_is_related_to_a_question_that_nothing_answers() -> None:
    """L10, case G1: words that stand nowhere have no hit, and the graph never begins without one."""
    found = run(STORE, asked("zzyzx qwfpgj"))
    assert found.hits == ()
    assert found.rows == ()
    assert stage(found, Stage.GRAPH).why == "there is no hit to go on from"


def test_a_reranker_reads_the_best_of_the_pool() -> None:
    """L10: where one is configured and asked for, its order is the fused one's successor; each score is told."""
    longest = Models(reranker=ToyReranker(lambda _, text: float(len(text))))
    found = run(STORE, asked(QUESTION, stages=DEFAULT_STAGES | {Stage.RERANK}), longest)
    assert numbers(found) == found_by(found, Stage.RERANK) == [4, 1, 2, 5]
    assert [hit.score for hit in stage(found, Stage.RERANK).hits] == [32.0, 27.0, 14.0, 6.0]


def test_a_reranker_that_is_not_there_or_fails_is_said() -> None:
    """L10: without a reranker, or with one that fails, the order is the fused one's, and the answer says why."""
    plain = numbers(run(STORE, asked(QUESTION)))
    for models, why in ((Models(), "no reranker is configured"), (Models(reranker=ToyReranker()), "did not answer")):
        found = run(STORE, asked(QUESTION, stages=DEFAULT_STAGES | {Stage.RERANK}), models)
        assert stage(found, Stage.RERANK).state is StageState.SKIPPED
        assert why in stage(found, Stage.RERANK).why
        assert numbers(found) == plain


def test_what_comes_first_also_differs_from_what_came_before() -> None:
    """L11: with mmr the repetition of the best stands behind what else there is; at a balance of one nothing moves."""
    store = Recalls()
    store.remember("tokio pins the runtime", "tokio pins the runtime twice", "tokio in the garden with many other things")
    local = store.destinations.reading(fenced(), None)
    question = "tokio pins runtime"
    with_mmr = DEFAULT_STAGES | {Stage.MMR}
    assert numbers(run(local, asked(question))) == [1, 2, 3]
    assert numbers(run(local, asked(question, stages=with_mmr, tuning=tuned(balance=0.3)))) == [1, 3, 2]
    assert numbers(run(local, asked(question, stages=with_mmr, tuning=tuned(balance=1.0)))) == [1, 2, 3]
    assert found_by(run(local, asked(question, stages=with_mmr, tuning=tuned(balance=0.3))), Stage.MMR) == [1, 3, 2]


def test_equals_in_all_else_stand_in_the_order_of_the_fusion() -> None:
    """L12: where ages, importance and help are equal, the blend changes no order."""
    found = run(STORE, asked(QUESTION, embedding=(1.0, 0.0)))
    assert [row.fused_rank for row in found.rows] == list(range(1, len(found.rows) + 1))


def test_what_is_known_of_a_capsule_moves_it() -> None:
    """L12: of two that fit alike the fresher, more important one stands first, and every factor is told."""
    store = Recalls()
    store.remember("pin tokio now", validity=Validity(Instant(NOON - days(400))))
    store.remember("pin tokio now ok", importance=1.0)
    found = run(store.destinations.reading(fenced(), None), asked("pin tokio"))
    assert numbers(found) == [2, 1]
    assert [row.fused_rank for row in found.rows] == [2, 1]
    old = found.hits[1].factors
    assert (old.similarity, old.freshness, old.reinforcement, old.importance) == (1.0, 0.3, 0.0, 0.5)
    assert found.hits[1].score == pytest.approx((0.55 + 0.045 + 0.05) * (0.7 + 0.3 * 2 ** (-400 / 90)))


def test_what_helped_is_reinforced_and_what_was_only_used_is_not() -> None:
    """L12, O11: help alone counts, a fifth each; neither a recall nor another judgement moves anything."""
    store = Recalls()
    store.remember("pin tokio", "pin tokio")
    for actor, outcome in (("bob", "helped"), ("cleo", "helped"), ("dan", "ignored"), ("eve", "hurt")):
        judged = Feedback(2, "", actor, FeedbackOutcome(outcome), True, None, NOON)
        store.write(told(Op.FED_BACK, 2, PutFeedback(judged)))
    local = store.destinations.reading(fenced(), None)
    for _ in range(2):
        found = run(local, asked("pin tokio"))
        assert [(hit.capsule.number, hit.factors.reinforcement) for hit in found.hits] == [(2, 0.4), (1, 0.0)]


def test_ages_are_those_of_the_instant_that_is_asked_about() -> None:
    """L12, F9: as of a year ago a capsule was as young as it then was, and what superseded it later had not yet."""
    store = Recalls()
    store.remember("pin tokio", validity=Validity(Instant(NOON - days(400))), standing=Standing(superseded_at=NOON))
    local = store.destinations.reading(fenced(), None)
    assert run(local, asked("pin tokio")).hits == ()
    (hit,) = run(local, asked("pin tokio", base={"as_of": Instant(NOON - days(397))})).hits
    assert hit.factors.freshness == 1.0


def test_the_graph_stays_inside_the_fences_and_leads_to_nothing_dead() -> None:
    """L10, F4, F13: what is related but fenced out, of another token's project, or superseded, is not found."""
    store = Recalls()
    store.remember("tokio", labels={LabelField.PROJECT: "a"}, entities=("x",))
    store.remember("its neighbour", labels={LabelField.PROJECT: "b"}, entities=("x",))
    store.remember("its ghost", labels={LabelField.PROJECT: "a"}, entities=("x",), standing=Standing(superseded_at=NOON))
    store.remember("its friend", labels={LabelField.PROJECT: "a"})
    for other in (2, 3, 4):
        store.relate(1, RelationKind.RELATES_TO, other)
    local = store.destinations.reading(fenced("a"), None)
    assert found_by(run(local, asked("tokio")), Stage.GRAPH) == [2, 4]
    assert found_by(run(local, asked("tokio", fences=(only(LabelField.PROJECT, "a"),))), Stage.GRAPH) == [4]
    assert found_by(run(local, asked("tokio"), caller=fenced("a")), Stage.GRAPH) == [4]


def test_what_very_many_bear_leads_nowhere() -> None:
    """L10: an entity that more than two hundred capsules bear is a hub and says nothing of any of them."""
    store = Recalls()
    store.remember("tokio", entities=("rust", "crab"))
    store.remember("a shell", entities=("crab",))
    store.remember(*(f"text {place}" for place in range(200)), entities=("rust",))
    assert found_by(run(store.destinations.reading(fenced(), None), asked("tokio")), Stage.GRAPH) == [2]
