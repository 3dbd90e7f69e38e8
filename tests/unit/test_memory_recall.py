"""`memory_recall`: the union of what two tools of this name promise, every parameter of it, honest answers (L14, L15, O10)."""

import json
import math
from collections.abc import Mapping
from typing import Any

import pytest

from recordance.domain.caller import Caller, Permission
from recordance.domain.instant import Instant
from recordance.domain.relation import RelationKind
from recordance.errors import InvalidArgument
from recordance.query.memory_recall import Detail, detail_for
from recordance.ranking.trimming import token_size
from recordance_adapters.driven.in_memory.clock import MemoryClock
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.memory_recall import ARGUMENTS, MEMORY_RECALL
from support.recalls import ANYBODY, Recalls, fenced
from support.truths import NOON, days, labels, stands

EVERYTHING = {
    "project_id": "a", "type": "decision", "kind": "fact", "subtype": "preference", "category": "human", "domain": "research",
    "repo": "r", "branch": "main", "intent": "plan", "task_key": "t", "workstream_key": "w", "episode_id": "e",
    "review_status": "approved", "origin_user_id": "ou", "origin_agent_id": "oa", "origin_interface": "cli", "user_id": "u",
    "agent_id": "g", "session_id": "s",
}  # fmt: skip
PLAN = '{"title": "pin tokio", "options": ["1.38", "1.40"], "selected": "1.38"}'


def store() -> Recalls:
    """Four capsules of a session, a decision with every label and mark, one that only its entity leads to, and a dead one."""
    recalls = Recalls(clock=MemoryClock(Instant(NOON + days(1))))
    recalls.remember("one about crabs", "two about crabs", "tokio runs tasks " * 12, "four", labels=labels(session_id="s1"))
    marks = {"entities": ("Tokio",), "topics": ("io",), "tags": ("structured",), "metadata": (("m", "1"),)}
    recalls.remember(PLAN, labels=labels(**EVERYTHING), captured_at=Instant(NOON - days(10)), importance=0.9, **marks)
    recalls.remember("ada likes crabs", entities=("TOKIO",), labels=labels(branch="main"))
    recalls.remember("the archived runtime of tokio")
    recalls.write(stands(7, archived_at=NOON))
    recalls.relate(6, RelationKind.ABOUT, 4)
    recalls.embed(1, 1.0, 0.0)
    return recalls


RECALLS = store()
CALL = Call(destinations=RECALLS.destinations, caller=ANYBODY)
TERM = ["term"]
"""By words alone, where a test is about what stands beside the hits."""


def told(call: Call = CALL, **raw: Any) -> dict[str, Any]:
    """Return the answer to these arguments."""
    return MEMORY_RECALL.handle(call, {"query": "which tokio", **raw})


def ids(answer: Mapping[str, Any], name: str = "results") -> list[str]:
    return [row["id"] for row in answer[name]]


def refused(**raw: Any) -> InvalidArgument:
    with pytest.raises(InvalidArgument) as raised:
        told(**raw)
    return raised.value


# ── every parameter ───────────────────────────────────────────────────────────────────────────────────────────────────────────

MOVES: dict[str, tuple[dict[str, Any], Any]] = {
    "query": ({}, "crabs"),
    "limit": ({}, 1),
    "mode": ({}, "index"),
    "detail": ({}, "compact"),
    "neighbors": ({"mode": "timeline", "stages": TERM}, 0),
    "graph_depth": ({"stages": TERM}, 1),
    "expand_context": ({"stages": TERM}, True),
    "expand_budget": ({"stages": TERM, "expand_context": True}, 0),
    "stages": ({}, TERM),
    "fusion": ({"query": "crabs tokio", "query_embedding": [1.0, 0.1]}, "rrf"),
    "rerank": ({}, True),
    "diverse": ({"query": "two crabs about", "limit": 2, "fusion": "rrf"}, True),
    "query_embedding": ({}, [1.0, 0.0]),
    "project": ({}, "b"), "type": ({}, "lesson"), "kind": ({}, "summary"), "memory_subtype": ({}, "domain_rule"),
    "category": ({}, "system"), "domain": ({}, "product_strategy"), "repo": ({}, "q"), "branch": ({}, "dev"),
    "entity": ({}, "Ada"), "entities": ({}, ["tokio"]), "topics": ({}, ["io"]), "intent": ({}, "fact"), "task_key": ({}, "x"),
    "workstream_key": ({}, "x"), "episode_id": ({}, "x"), "review_status": ({}, "rejected"), "origin_user_id": ({}, "x"),
    "origin_agent_id": ({}, "x"), "origin_interface": ({}, "ui"), "metadata_filter": ({}, {"m": 2}), "since": ({}, "2026-02-28"),
    "until": ({}, "2026-02-27"), "user_id": ({}, "x"), "agent_id": ({}, "x"), "session_id": ({}, "x"),
    "decisions_only": ({}, True),
}  # fmt: skip
ELSEWHERE = {"search_scope", "destination", "output_format"}
"""Those that other tests hold: of several destinations, and of the text."""
REMOVED: dict[str, Any] = {"workspace_id": "ws-7", "include_legacy_workspace": True}


def test_every_parameter_is_known_to_these_tests() -> None:
    """F9, O10: one that nobody tries may do nothing."""
    assert {parameter.name for parameter in ARGUMENTS.parameters} == MOVES.keys() | ELSEWHERE | REMOVED.keys()


@pytest.mark.parametrize("name", sorted(MOVES))
def test_every_parameter_makes_a_difference(name: str) -> None:
    """L10, L15, F9, O10: to the hits, to what stands beside them, or to what is said of them."""
    base, value = MOVES[name]
    assert told(**{**base, name: value}) != told(**base)


@pytest.mark.parametrize("name", sorted(REMOVED))
def test_what_a_source_has_removed_is_taken_and_ignored(name: str) -> None:
    """Clients still send it: it changes nothing, whatever it is."""
    assert told(**{name: REMOVED[name]}) == told() == told(**{name: None})


def test_filters_act_before_ranking_and_are_told() -> None:
    """F9, O1: the one that passes is found however far behind it stood, and the answer names the fences."""
    filters = {"project": "a", "type": "decision", "kind": "fact", "memory_subtype": "preference", "entities": ["TOKIO"]}
    answer = told(limit=1, **filters)
    assert (ids(answer), answer["scope"]) == (["cap-5"], filters)


def test_what_fences_nothing_looks_everywhere() -> None:
    """O10, F9: decisions, facts and lessons of every project and session, unless a filter says otherwise."""
    recalls = Recalls()
    for role, session in (("decision", "s1"), ("solution", "s2"), ("fact", "s3"), ("lesson", "s4")):
        recalls.remember(f"tokio {role}", labels=labels(type=role, session_id=session, project_id=session))
    answer = told(Call(destinations=recalls.destinations, caller=ANYBODY))
    assert {row["type"] for row in answer["results"]} == {"decision", "solution", "fact", "lesson"}


@pytest.mark.parametrize("raw", [{"qeury": "x"}, {"project_id": "a"}, {"fliter": {}}])
def test_an_unknown_parameter_is_refused(raw: dict[str, Any]) -> None:
    """F9: one that nobody reads could be a dropped fence."""
    assert refused(**raw).field in raw


@pytest.mark.parametrize(
    "raw",
    [
        {"mode": "browse"}, {"detail": "some"}, {"output_format": "xml"}, {"graph_depth": 2}, {"neighbors": -1},
        {"neighbors": 11}, {"expand_budget": 51}, {"fusion": "sum"}, {"stages": []}, {"limit": "5"}, {"limit": True},
        {"query": "..."},
        {"mode": "index", "detail": "some"},
    ],
    ids=repr,
)  # fmt: skip
def test_what_cannot_be_served_is_refused_by_its_name(raw: dict[str, Any]) -> None:
    """O10: even where it would be ignored, a word that means nothing is a mistake that somebody wants to hear of."""
    assert refused(**raw).field == list(raw)[-1]


def test_the_schema_names_every_default_and_no_union() -> None:
    """O10, case J2, case J3: search_scope takes an array too, and is published as text."""
    properties = MEMORY_RECALL.arguments.schema["properties"]
    assert {name: value["default"] for name, value in properties.items() if "default" in value} == {
        "limit": 10, "mode": "search", "detail": "full", "neighbors": 2, "output_format": "text", "graph_depth": 0,
        "expand_context": False, "expand_budget": 10, "rerank": False, "diverse": False,
    }  # fmt: skip
    assert all(isinstance(value["type"], str) for value in properties.values())


# ── the answer ────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_answer_has_its_lists_and_counts_always() -> None:
    """O10, case J5: flat arrays in an object, there when they are empty too."""
    for raw in ({}, {"query": "zzyzx"}, {"mode": "index"}, {"mode": "timeline"}):
        answer = told(**raw)
        assert all(isinstance(answer[name], list) for name in ("results", "related", "expansion", "searched"))
        assert (answer["result_count"], answer["related_count"]) == (len(answer["results"]), len(answer["related"]))
        assert set(MEMORY_RECALL.output["required"]) <= answer.keys() <= MEMORY_RECALL.output["properties"].keys()


@pytest.mark.parametrize(
    ("limit", "requested", "effective"),
    [
        (10, 10, 10), (50, 50, 50), (51, 51, 50), (0, 0, 1), (-3, -3, 1), (2.0, 2.0, 2), (2.5, 2.5, 2), (0.5, 0.5, 1),
        (2**53, 2**53, 50), (2**53 + 2, None, 50), (10**400, None, 50), (-(10**400), None, 1), (1e300, None, 50),
        (math.nan, None, 10), (math.inf, None, 10), (-math.inf, None, 10),
    ],
    ids=repr,
)  # fmt: skip
def test_a_limit_is_clamped_and_said(limit: float, requested: float | None, effective: int) -> None:
    """O10: one to fifty; what no client can hold is not repeated, and what is no finite number is the default."""
    answer = told(limit=limit)
    assert (answer.get("requested_limit"), answer["effective_limit"]) == (requested, effective)
    assert answer["limit_clamped"] is (requested != effective)
    json.dumps(answer, allow_nan=False)


def test_a_whole_hit_has_its_capsule_and_every_factor() -> None:
    """O10, L12, case K1: nothing about it needs another call, and it is framed as data."""
    (hit,) = told(project="a", query_embedding=[1.0, 0.0])["results"]
    assert (hit["label"], hit["framing"], hit["id"], hit["content"]) == ("ADVISORY_NOT_AUTHORITY", "DATA", "cap-5", PLAN)
    assert {name: hit[name] for name in ("project", "type", "kind", "subtype", "category", "domain")} == {
        "project": "a", "type": "decision", "kind": "fact", "subtype": "preference", "category": "human", "domain": "research",
    }  # fmt: skip
    assert (hit["entities"], hit["topics"], hit["tags"], hit["metadata"]) == (["Tokio"], ["io"], ["structured"], {"m": 1})
    assert (hit["confidence"], hit["importance"], hit["created_at"]) == (0.6, 0.9, "2026-02-19T12:00:00Z")
    assert (hit["rank"], hit["via"], hit["matched_terms"]) == (1, ["term"], ["tokio"])
    assert hit["factors"].keys() == {"similarity", "freshness", "reinforcement", "importance", "decay"}
    assert hit["similarity"] == hit["factors"]["similarity"] == 1.0
    assert hit["bm25"] < 0
    assert hit["valid_from"] == "2026-03-01T12:00:00Z"
    near = told(query="zzyzx", query_embedding=[1.0, 0.0])["results"][0]
    assert (near["id"], near["vector_similarity"], near["via"]) == ("cap-1", 1.0, ["semantic"])
    assert "bm25" not in near


def test_details_show_less_of_the_same_hits() -> None:
    """O10: compact is id, title and score; a summary has the first 150 characters."""
    full, compact, summary = (told(detail=detail)["results"] for detail in ("full", "compact", "summary"))
    assert compact == [{"id": row["id"], "title": row["title"], "score": row["score"]} for row in full]
    assert [row["id"] for row in summary] == [row["id"] for row in full]
    assert [row["content"] for row in summary] == [row["content"][:150] for row in full]
    assert {row.get("truncated", False) for row in summary} == {True, False}


@pytest.mark.parametrize(
    ("question", "detail"),
    [
        ("service/recordance/errors.py", Detail.FULL), ("what does config.toml say of the pool", Detail.FULL),
        ("see https://example.org now", Detail.FULL), ("where is fold_words called from these days", Detail.FULL),
        ("why does readQuestion fail on an empty text", Detail.FULL), (r"C:\repo\main", Detail.FULL), ("a->b", Detail.FULL),
        ("tokio version", Detail.COMPACT), ("Ada", Detail.COMPACT), ("ada and tea time", Detail.COMPACT),
        ("ada and tea at noon", Detail.SUMMARY),
        ("which version of tokio do we pin and why", Detail.SUMMARY),
        ("version 1.38 of tokio, since when. And why?", Detail.SUMMARY),
    ],
)  # fmt: skip
def test_auto_gives_as_much_as_the_question_wants(question: str, detail: Detail) -> None:
    """O10: a path, an address or code wants the whole, few words want little, a sentence the beginning; the answer says which."""
    assert detail_for(question) is detail
    assert told(query=question, detail="auto")["detail"] == detail.value
    assert "detail" not in told(query=question, detail="auto", mode="index")


def test_an_index_has_six_fields_and_costs_few_tokens() -> None:
    """O10: forty to sixty tokens a hit, whatever its text is; detail is ignored."""
    recalls = Recalls()
    recalls.remember(
        "tokio " + "x" * 500,
        "tokio runs the tasks of the whole service and its timers",
        labels=labels(project_id="acme/api", type="fact"),
    )
    call = Call(destinations=recalls.destinations, caller=ANYBODY)
    for detail in ("full", "compact"):
        rows = told(call, mode="index", detail=detail)["results"]
        assert [list(row) for row in rows] == [["id", "title", "score", "type", "project", "created_at"]] * 2
        assert all(40 <= token_size(row) <= 60 for row in rows)
    assert max(len(row["title"]) for row in rows) == 80


# ── timeline ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_timeline_has_hits_among_their_session_in_order() -> None:
    """L14: two before and after each hit by default, each capsule once, with its role."""
    answer = told(mode="timeline", stages=TERM, session_id="s1")
    assert [(row["id"], row["role"]) for row in answer["results"]] == [
        ("cap-1", "neighbor"), ("cap-2", "neighbor"), ("cap-3", "hit"), ("cap-4", "neighbor"),
    ]  # fmt: skip
    one = told(mode="timeline", stages=TERM, session_id="s1", neighbors=1)
    assert ids(one) == ["cap-2", "cap-3", "cap-4"]
    assert (one["results"][1]["rank"], "score" in one["results"][0]) == (1, False)


def test_a_timeline_stays_in_the_session_and_stands_by_time() -> None:
    """L14: a hit of no session has its neighbours in all of them; older stands before newer; a hit is never a mere neighbour."""
    answer = told(mode="timeline", query="crabs", stages=TERM, neighbors=10)
    assert ids(answer)[0] == "cap-5"
    assert [row["created_at"] for row in answer["results"]] == sorted(row["created_at"] for row in answer["results"])
    assert {row["id"] for row in answer["results"] if row["role"] == "hit"} == {"cap-1", "cap-2", "cap-6"}
    assert len(set(ids(answer))) == answer["result_count"] == 6


def test_neighbours_stay_inside_the_fences() -> None:
    """L14, F9: what a filter keeps out is no neighbour either, nor what may not answer."""
    answer = told(mode="timeline", query="crabs", stages=TERM, neighbors=10, branch="main")
    assert "cap-7" not in ids(answer)
    assert set(ids(told(mode="timeline", stages=TERM, neighbors=10, until="2026-02-20"))) == {"cap-5"}


# ── one hop away ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_related_capsules_stand_apart_with_the_link_that_leads_to_them() -> None:
    """L15: half the limit at most, by relation or by shared entity in any case, never a hit, never without being asked for."""
    answer = told(graph_depth=1, stages=TERM)
    assert ids(answer) == ["cap-3", "cap-5"] or ids(answer) == ["cap-5", "cap-3"]
    assert ids(answer, "related") == ["cap-6"]
    assert answer["related"][0]["linked_by"] == [{"id": "cap-5", "entity": "Tokio"}]
    assert "score" not in answer["related"][0]
    assert told(stages=TERM)["related"] == told(stages=TERM, graph_depth=0)["related"] == []


def test_a_relation_that_goes_both_ways_is_one_link() -> None:
    """L15: a link tells the kind and the hit, not the way, so that two ways would read like the same link told twice."""
    recalls = Recalls()
    recalls.remember("tokio", "beside it")
    recalls.relate(1, RelationKind.SUPPORTS, 2)
    recalls.relate(2, RelationKind.SUPPORTS, 1)
    answer = told(Call(destinations=recalls.destinations, caller=ANYBODY), query="tokio", graph_depth=1, stages=TERM)
    assert [row["linked_by"] for row in answer["related"]] == [[{"id": "cap-1", "relation": "supports"}]]


def test_an_embedding_that_meets_none_is_told_as_skipped() -> None:
    """L10: where no capsule has an embedding, meaning found nothing because it could not look."""
    recalls = Recalls()
    recalls.remember("tokio")
    answer = told(Call(destinations=recalls.destinations, caller=ANYBODY), query_embedding=[1.0, 0.0])
    assert answer["skipped"] == [{"stage": "semantic", "why": "no capsule has an embedding in the space default"}]


def test_a_relation_leads_either_way_and_weighs_more_than_an_entity() -> None:
    """L15: of equal seeds, what is related stands before what shares an entity; ties fall to append order."""
    recalls = Recalls()
    recalls.remember("tokio", "x", "y", "z", entities=("e",))
    recalls.remember("from it", "to it", "dead", "beyond")
    recalls.relate(1, RelationKind.SUPPORTS, 5)
    recalls.relate(6, RelationKind.BLOCKS, 1)
    recalls.relate(1, RelationKind.SUPPORTS, 7)
    recalls.relate(5, RelationKind.SUPPORTS, 8)
    recalls.write(stands(7, archived_at=NOON))
    call = Call(destinations=recalls.destinations, caller=ANYBODY)
    answer = told(call, graph_depth=1, stages=TERM)
    assert ids(answer, "related") == ["cap-5", "cap-6", "cap-2", "cap-3", "cap-4"]
    assert [row["linked_by"][0] for row in answer["related"][:3]] == [
        {"id": "cap-1", "relation": "supports"}, {"id": "cap-1", "relation": "blocks"}, {"id": "cap-1", "entity": "e"},
    ]  # fmt: skip


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_as_many_are_related_as_half_the_limit_rounded_up(limit: int) -> None:
    """L15: and an expansion by its own budget, which has nothing that is related already."""
    recalls = Recalls()
    recalls.remember("tokio", *(f"other {number}" for number in range(12)), entities=("e",))
    call = Call(destinations=recalls.destinations, caller=ANYBODY)
    answer = told(call, limit=limit, graph_depth=1, expand_context=True, expand_budget=3, stages=TERM)
    assert (answer["related_count"], len(answer["expansion"])) == (math.ceil(limit / 2), 3)
    everything = ids(answer, "related") + ids(answer, "expansion")
    assert everything == [f"cap-{number}" for number in range(2, len(everything) + 2)]
    alone = told(call, limit=limit, expand_context=True, expand_budget=3, stages=TERM)
    assert (ids(alone, "expansion"), alone["related"]) == (["cap-2", "cap-3", "cap-4"], [])


def test_an_index_has_related_capsules_in_its_form_and_no_expansion() -> None:
    """L15, O10: an index is as short as can be, and what was asked for by graph_depth is there."""
    answer = told(mode="index", graph_depth=1, expand_context=True, stages=TERM)
    assert [list(row) for row in answer["related"]] == [["id", "title", "created_at", "linked_by"]]
    assert answer["expansion"] == []


def test_nothing_one_hop_away_lies_outside_a_fence() -> None:
    """L15, F9, F13: neither a filter's nor a token's."""
    assert told(graph_depth=1, stages=TERM, project="a")["related"] == []
    recalls = Recalls()
    recalls.remember("tokio", "mine", entities=("e",), labels=labels(project_id="acme"))
    recalls.remember("theirs", "related", entities=("e",), labels=labels(project_id="other"))
    recalls.relate(1, RelationKind.SUPPORTS, 4)
    call = Call(destinations=recalls.destinations, caller=fenced("acme"))
    assert ids(told(call, graph_depth=1, stages=TERM), "related") == ["cap-2"]


# ── decisions, silence, reminders ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_structured_decision_is_parsed_and_one_that_is_not_says_so() -> None:
    """F9: with decisions_only, the payload stands under `decision`."""
    recalls = Recalls()
    contents = (PLAN, "tokio, in plain words", '["tokio"]', '{"tokio": NaN}', "[" * 100_000 + " tokio")
    recalls.remember(*contents, labels=labels(type="decision"), tags=("structured",))
    call = Call(destinations=recalls.destinations, caller=ANYBODY)
    rows = {row["id"]: row for row in told(call, decisions_only=True)["results"]}
    assert rows["cap-1"]["decision"] == json.loads(PLAN)
    assert {rows[f"cap-{number}"]["decision_unread"] for number in (2, 3, 4, 5)} == {"the content is no JSON object"}
    assert not any("decision" in row for row in told(call)["results"])
    assert all(
        "decision" in row or "decision_unread" in row for row in told(call, decisions_only=True, detail="summary")["results"]
    )


def test_a_stage_that_was_skipped_is_named_with_its_reason() -> None:
    """L10: whether by the service's configuration or for want of an embedding."""
    assert told()["skipped"] == [{"stage": "semantic", "why": "no embedder is configured and no query_embedding came"}]
    assert told(rerank=True, stages=TERM)["skipped"] == [{"stage": "rerank", "why": "no reranker is configured"}]
    assert "skipped" not in told(stages=TERM)


def test_an_empty_answer_says_why() -> None:
    """O1, O2: excluded with its counts, or nothing matched, with the fences given; never padded."""
    dead = told(query="archived runtime", stages=TERM)
    assert (dead["results"], dead["excluded"]) == ([], {"archived": 1})
    assert "1 archived" in dead["reason"]
    fenced_out = told(query="zzyzx", project="a", stages=TERM)
    assert fenced_out["reason"].startswith('Nothing matched in the term lane. Fences: project "a".')
    assert "reason" not in told()


def test_a_reminder_stands_where_nothing_was_written_for_a_while() -> None:
    """O10, O11: as of the clock's reading and the journal; for those who may write, see all, and ask for hits."""
    recalls = Recalls()
    recalls.remember("tokio")
    reader = Caller(actor="ann", permissions=frozenset({Permission.READ}))
    minutes = 60_000_000
    for after, nudged in ((0, False), (10 * minutes, False), (10 * minutes + 1, True)):
        clocked = Recalls(truth=recalls.truth, clock=MemoryClock(Instant(NOON + after)))
        call = Call(destinations=clocked.destinations, caller=ANYBODY)
        answer = told(call)
        assert ("nudge" in answer) is nudged, after
        assert answer == told(call)
    assert "since 2026-03-01T12:00:00Z" in answer["nudge"]
    for caller in (fenced("acme"), reader):
        assert "nudge" not in told(Call(destinations=clocked.destinations, caller=caller))
    assert "nudge" not in told(call, mode="index")


def test_a_superseded_capsule_never_answers() -> None:
    """O10: in no mode, and neither beside nor one hop away."""
    recalls = Recalls()
    recalls.remember("tokio old", "tokio new", entities=("e",))
    recalls.write(stands(1, superseded_at=NOON, superseded_by=2))
    call = Call(destinations=recalls.destinations, caller=ANYBODY)
    for raw in ({}, {"mode": "index"}, {"mode": "timeline"}, {"graph_depth": 1}, {"expand_context": True}):
        answer = told(call, **raw)
        assert ids(answer) == ["cap-2"]
        assert answer["related"] == answer["expansion"] == []
