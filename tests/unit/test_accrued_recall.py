"""`recall`: what fits a question, weighed by what it has been worth."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from recordance.domain.caller import Caller, Permission
from recordance.domain.capsule import LabelField, Standing, Use
from recordance.domain.change import PutFeedback
from recordance.domain.journal import Op
from recordance.domain.relation import RelationKind
from recordance.domain.review import Feedback, FeedbackOutcome
from recordance.domain.trust import TrustRoot
from recordance.domain.validity import Validity
from recordance.domain.warrant import Bar
from recordance.errors import InvalidArgument, MissingState, StateKind
from recordance.query.accrued import Wish
from recordance.usecases.reliance import Reliance
from recordance.usecases.whereabouts import Started
from recordance_adapters.driven.signing import Ed25519Verifier
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.accrued import RECALL
from recordance_adapters.wire.tools.life import UPDATE
from recordance_adapters.wire.tools.read import GET
from recordance_adapters.wire.tools.whereabouts import PROJECTS, WHERE_AM_I
from support.recalls import ANYBODY, Recalls, fenced
from support.signatures import public_key, signature_of
from support.truths import NOON, days, labels, told

KEY, OTHER = Ed25519PrivateKey.from_private_bytes(bytes(32)), Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
STUFFED = "tokio tokio tokio tokio tokio one two three four five six seven eight"
SHORT = {"id", "text", "score", "value", "tags"}


def asked(
    recalls: Recalls, query: str = "tokio", *, caller: Caller = ANYBODY, project: str | None = None, **given: Any
) -> dict[str, Any]:
    """The answer of a server that was started for `project`."""
    call = Call(destinations=recalls.destinations, caller=caller, started=Started(project=project))
    return RECALL.handle(call, {"query": query, **given})


def ids(answer: dict[str, Any]) -> list[int]:
    return [int(row["id"].removeprefix("cap-")) for row in answer["result"]]


def found(recalls: Recalls, query: str = "tokio", **given: Any) -> list[int]:
    return ids(asked(recalls, query, **given))


def relying(recalls: Recalls, **given: Any) -> Recalls:
    recalls.destinations.reliance = Reliance(verifier=Ed25519Verifier(), **given)
    return recalls


def credit(recalls: Recalls, number: int, *outcomes: FeedbackOutcome, warrants: bool = True) -> None:
    for place, outcome in enumerate(outcomes):
        judged = Feedback(number, "", f"reader {place}", outcome, warrants, None, NOON)
        recalls.write(told(Op.FED_BACK, number, PutFeedback(judged)))


# ── what comes first ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_worth_outweighs_a_little_relevance_and_newness_outweighs_nothing() -> None:
    """L12: relevance × accrued value; the newer of two that are equal otherwise stands behind."""
    recalls = Recalls()
    recalls.remember("we pin tokio", validity=Validity(NOON - days(900)))
    recalls.remember("we pin tokio too", value=50.0)
    recalls.remember("we like tokio")
    recalls.remember("they use tokio", use=Use(feedback_weight=0.1))
    assert found(recalls) == [2, 1, 3, 4]


def test_the_words_of_a_question_are_looked_for_each_for_itself() -> None:
    """L12, L10: a question is no phrase; what has its rare words fits it better than what has its common ones."""
    recalls = Recalls()
    recalls.remember("the gate is open", "the lamp is red", "tokio is pinned in the gate")
    assert found(recalls, "Which tokio version is it?")[0] == 3


def test_an_alias_is_another_way_to_say_a_word_of_the_question() -> None:
    """T7: what was taught for a term holds for the words of a question."""
    recalls = Recalls()
    recalls.remember("we pin the runtime")
    recalls.teach("tokio", "runtime")
    assert found(recalls, "which tokio do we have") == [1]


def test_both_lanes_meet_where_the_question_has_a_vector() -> None:
    """L12: what no word matches is found by meaning, and what both have stands above it."""
    recalls = Recalls()
    recalls.remember("we pin tokio", "the runtime is fixed", "tokio is a town", "lunch is at noon")
    for number, vector in ((1, (1.0, 0.1)), (2, (1.0, 0.0)), (3, (0.0, 1.0)), (4, (-1.0, 0.0))):
        recalls.embed(number, *vector)
    answer = asked(recalls, "tokio", query_embedding=[1, 0], full=True)
    assert ids(answer) == [1, 2, 3]
    assert "skipped" not in answer["store"]
    assert [row.get("vector_similarity") for row in answer["result"] if row["id"] == "cap-2"] == [1.0]


def test_the_stuffed_stand_behind_the_clean_in_every_order() -> None:
    """L13: whatever score, value, date or diversity says."""
    recalls = Recalls()
    recalls.remember("a long story in which somewhere deep inside the word tokio is said once among many others", "tokio")
    recalls.remember(STUFFED, value=1_000.0, confidence=1.0, validity=Validity(NOON))
    for given in ({}, {"mmr": 0.3}, *({"rerank_by": by} for by in ("value", "recency", "confidence"))):
        answer = asked(recalls, **given)
        assert ids(answer)[-1] == 3, given
        assert answer["result"][-1]["stuffed"] is True


def test_the_stuffed_take_no_place_among_the_k_from_the_clean() -> None:
    """L13: they stand behind before the list is cut, with diversity and without."""
    recalls = Recalls()
    recalls.remember("a long story in which somewhere deep inside the word tokio is said once among many others", "tokio")
    recalls.remember(STUFFED, value=1_000.0)
    for given in ({}, {"mmr": 0.3}, {"mmr": 1.0}):
        assert sorted(found(recalls, k=2, **given)) == [1, 2], given


def test_rerank_by_reorders_those_found_and_nothing_else() -> None:
    """L18: relevance is the default; the others order the k by what they name, and bring nobody in."""
    recalls = Recalls()
    recalls.remember("tokio", confidence=0.1, validity=Validity(NOON - days(3)))
    recalls.remember("tokio tokio", value=9.0, confidence=0.2, validity=Validity(NOON - days(2)))
    recalls.remember("tokio and more", confidence=0.9, validity=Validity(NOON - days(1)))
    recalls.remember("tokio far behind all of the others that are here", confidence=1.0, validity=Validity(NOON))
    by_relevance = found(recalls, k=3)
    assert by_relevance == found(recalls, k=3, rerank_by="relevance")
    assert 4 not in by_relevance
    assert found(recalls, k=3, rerank_by="value")[0] == 2
    assert found(recalls, k=3, rerank_by="recency") == [3, 2, 1]
    assert found(recalls, k=3, rerank_by="confidence") == [3, 2, 1]


def test_diversity_makes_room_for_what_says_something_else() -> None:
    """L11: ten wordings of one statement would crowd out the second statement."""
    recalls = Recalls()
    recalls.remember("we pin tokio", "we pin tokio now", "tokio panics in tests on macs")
    assert found(recalls, k=2) == [1, 2]
    assert found(recalls, k=2, mmr=0.5) == [1, 3]
    assert found(recalls, k=2, mmr=1) == [1, 2]


def test_what_diversity_leaves_out_is_named() -> None:
    """L11: nothing leaves the first k without a word, and nothing is named that never was among them."""
    recalls = Recalls()
    recalls.remember("we pin tokio", "we pin tokio now", "tokio panics in tests on macs")
    assert asked(recalls, k=2, mmr=0.5)["store"]["folded"] == {"alike": ["cap-2"]}
    for given in ({"mmr": 1}, {}, {"mmr": 0.5, "k": 3}):
        assert "folded" not in asked(recalls, **{"k": 2, **given})["store"], given


# ── what is shown ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_row_is_five_fields_with_the_whole_text() -> None:
    """O10: nothing that a model does not reason over."""
    recalls = Recalls()
    recalls.remember("tokio " + "x" * 5_000, tags=("build",), value=2.0)
    (row,) = asked(recalls)["result"]
    assert row.keys() == SHORT
    assert len(row["text"]) == 5_006
    assert (row["value"], row["tags"]) == (2.0, ["build"])


def test_a_snippet_says_that_it_was_cut() -> None:
    """O10: truncated only where something is missing; 0 cuts nothing."""
    recalls = Recalls()
    recalls.remember("tokio is pinned", "tokio")
    rows = {row["id"]: row for row in asked(recalls, snippet_chars=5)["result"]}
    assert rows["cap-1"]["text"] == rows["cap-2"]["text"] == "tokio"
    assert rows["cap-1"]["truncated"] is True
    assert "truncated" not in rows["cap-2"]
    assert all("truncated" not in row for row in asked(recalls, snippet_chars=0)["result"])


def test_a_text_that_was_cut_is_one_get_away() -> None:
    """O10, O4: the id of a row is the id of its capsule."""
    recalls = Recalls()
    recalls.remember("tokio is pinned")
    (row,) = asked(recalls, snippet_chars=5)["result"]
    (capsule,) = GET.handle(Call(destinations=recalls.destinations, caller=ANYBODY), {"id": row["id"]})["capsules"]
    assert capsule["content"] == "tokio is pinned"


def test_full_rows_are_whole_capsules_with_what_ranked_them() -> None:
    """O10: every field of the capsule, every number of its rank, and no vector."""
    recalls = Recalls()
    recalls.remember("tokio is pinned", source="ci", proof_hint="look", labels=labels(project_id="acme", kind="fact"))
    recalls.embed(1, 1.0, 0.0)
    (row,) = asked(recalls, full=True, query_embedding=[1, 0], snippet_chars=3)["result"]
    assert row["text"] == "tokio is pinned"
    assert row["source"] == "ci"
    assert row["project_id"] == "acme"
    assert row.keys() >= {"relevance", "accrued", "bm25", "vector_similarity", "matched_terms", "writer", "captured_at", "state"}
    assert not row.keys() & {"embedding", "vector", "content"}


def test_k_is_ten_and_never_more_than_fifty() -> None:
    """O10: a larger one is clamped, and the answer says so; none and less are refused."""
    recalls = Recalls()
    recalls.remember(*(f"tokio number {number}" for number in range(60)))
    assert len(found(recalls)) == 10
    answer = asked(recalls, k=1_000)
    assert len(answer["result"]) == 50
    assert answer["store"]["clamped"] == {"k": 1000, "to": 50, "why": "at most 50 hits are returned"}
    assert "clamped" not in asked(recalls, k=50)["store"]
    for k in (0, -1):
        with pytest.raises(InvalidArgument):
            asked(recalls, k=k)


@pytest.mark.parametrize(
    "given", [{"query": ""}, {"query": "?!"}, {"mmr": 1.5}, {"rerank_by": "luck"}, {"snippet_chars": -1}, {"user_id": None}]
)
def test_what_cannot_be_served_is_refused(given: dict[str, Any]) -> None:
    """T1, F4: a question without a word, a number out of range, a fence that says nothing."""
    with pytest.raises(InvalidArgument):
        asked(Recalls(), **{"query": "tokio", **given})


# ── what may be seen ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_quarantined_and_archived_ones_come_back_only_when_asked_for() -> None:
    """F11, W2, W7: each has its own switch, says so in its row, and is counted where it stays out."""
    recalls = Recalls()
    recalls.remember("tokio one", standing=Standing(quarantined_at=NOON))
    recalls.remember("tokio two", standing=Standing(archived_at=NOON))
    recalls.remember("tokio three", standing=Standing(superseded_at=NOON, superseded_by=1))
    assert asked(recalls)["store"]["excluded"] == {"quarantined": 1, "archived": 1, "superseded": 1}
    assert found(recalls) == []
    (row,) = asked(recalls, include_quarantined=True)["result"]
    assert (row["id"], row["quarantined"]) == ("cap-1", True)
    (row,) = asked(recalls, include_archive=True)["result"]
    assert (row["id"], row["archived"]) == ("cap-2", True)
    assert sorted(found(recalls, include_archive=True, include_quarantined=True)) == [1, 2]


def test_a_project_server_answers_from_its_project_and_from_what_bears_none() -> None:
    """F10: adopting a scope narrows what is seen without hiding what was there before."""
    recalls = Recalls()
    for project in ("acme", "nott", None, "acme/x"):
        recalls.remember("tokio", labels={} if project is None else labels(project_id=project))
    answer = asked(recalls, project="acme")
    assert sorted(ids(answer)) == [1, 3]
    assert all("project" not in row for row in answer["result"])
    assert (answer["store"]["scope"], answer["store"]["project"]) == ("project and unstamped", "acme")
    assert len(found(recalls)) == 4


def test_all_projects_lifts_the_scope_and_every_hit_names_its_project() -> None:
    """F10: an answer across projects says where each hit comes from; only the unstamped have none to name."""
    recalls = Recalls()
    for project in ("acme", "nott", None):
        recalls.remember("tokio", labels={} if project is None else labels(project_id=project))
    answer = asked(recalls, project="acme", all_projects=True)
    assert {row["id"]: row.get("project") for row in answer["result"]} == {"cap-1": "acme", "cap-2": "nott", "cap-3": None}
    assert answer["store"]["scope"] == "all projects"


def test_a_token_holds_whatever_the_call_lifts() -> None:
    """F13: all_projects lifts the server's scope, and never the caller's own fence."""
    recalls = Recalls()
    for project in ("acme", "nott", None):
        recalls.remember("tokio", labels={} if project is None else labels(project_id=project))
    answer = asked(recalls, caller=fenced("nott"), all_projects=True, full=True, with_warrant=True)
    assert ids(answer) == [2]
    assert (answer["store"]["capsules"], answer["store"]["matched"]) == (1, 1)


@pytest.mark.parametrize("field", [LabelField.USER, LabelField.AGENT, LabelField.SESSION])
def test_an_owner_sees_their_own_and_what_bears_none(field: LabelField) -> None:
    """F10, F2: equal or unset, character by character."""
    recalls = Recalls()
    for label in ("ann", "Ann", None, "bob"):
        recalls.remember("tokio", labels={} if label is None else {field: label})
    assert sorted(found(recalls, **{field.value: "ann"})) == [1, 3]


def test_what_the_service_notes_about_itself_is_no_answer() -> None:
    """F9: kind telemetry is left out, uncounted."""
    recalls = Recalls()
    recalls.remember("tokio", labels=labels(kind="telemetry"))
    assert asked(recalls)["store"]["matched"] == 0


def test_only_what_a_trusted_key_or_source_stands_behind_is_ranked_or_counted() -> None:
    """F11: before ranking, in both lanes and in every count: a poisoned capsule takes nobody's place."""
    recalls = relying(Recalls(), root=TrustRoot(frozenset({public_key(KEY)}), frozenset({"ci"})))
    recalls.remember(*(f"tokio poison {number}" for number in range(60)), value=100.0)
    recalls.remember("the tokio that ci has built", source="ci")
    recalls.remember("the tokio that ann has signed", signature=signature_of(KEY, "the tokio that ann has signed"))
    recalls.remember("tokio signed by another", signature=signature_of(OTHER, "tokio signed by another"))
    recalls.remember("tokio with a stolen signature", signature=signature_of(KEY, "the tokio that ann has signed"))
    recalls.remember("tokio from CI", source="CI")
    for number in range(1, 66):
        recalls.embed(number, 1.0, 0.01 * number)
    for given in ({}, {"query_embedding": [1, 0]}):
        answer = asked(recalls, trusted_only=True, **given)
        assert sorted(ids(answer)) == [61, 62]
        assert answer["store"]["matched"] == 2


def test_what_is_trusted_is_known_anew_after_every_write_and_every_change_of_trust() -> None:
    """F11: what a store keeps of it between recalls is never older than the store, nor another root's."""
    recalls = relying(Recalls(), root=TrustRoot(sources=frozenset({"ci"})))
    recalls.remember("tokio from ci", source="ci")
    recalls.remember("tokio from ann", source="ann")
    assert found(recalls, trusted_only=True) == found(recalls, trusted_only=True) == [1]
    recalls.remember("tokio again from ci", source="ci")
    assert sorted(found(recalls, trusted_only=True)) == [1, 3]
    UPDATE.handle(Call(destinations=recalls.destinations, caller=ANYBODY), {"id": "cap-1", "changes": {"source": "ann"}})
    assert found(recalls, trusted_only=True) == [3]
    relying(recalls, root=TrustRoot(sources=frozenset({"ann"})))
    assert sorted(found(recalls, trusted_only=True)) == [1, 2]


def test_without_a_trust_root_trusted_only_is_an_error() -> None:
    """F11: an empty list would read as if nothing trusted had matched."""
    with pytest.raises(MissingState) as raised:
        asked(Recalls(), trusted_only=True)
    assert raised.value.kind is StateKind.NO_TRUST_ROOT


# ── warrant ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def tiers(recalls: Recalls, **given: Any) -> dict[str, str]:
    return {row["id"]: row["warrant"] for row in asked(recalls, with_warrant=True, **given)["result"]}


def test_credit_by_others_earns_and_own_credit_does_not() -> None:
    """O8, W8: whoever grades their own capsule says nothing new."""
    recalls = Recalls()
    recalls.remember("tokio one", "tokio two", "tokio three")
    credit(recalls, 1, FeedbackOutcome.HELPED)
    credit(recalls, 2, FeedbackOutcome.HELPED, warrants=False)
    assert tiers(recalls) == {"cap-1": "earned", "cap-2": "unwarranted", "cap-3": "unwarranted"}


def test_two_distinct_sources_corroborate() -> None:
    """O8: its own, and those of what supports it, of what it is derived from, and of equal content elsewhere."""
    recalls = Recalls()
    recalls.remember("tokio one", "tokio two", "tokio three", "tokio four", source="CI")
    recalls.remember("backing", source="wiki")
    recalls.remember("same voice", source="ci.")
    recalls.remember("tokio three", source="mail", labels=labels(project_id="nott"))
    recalls.relate(5, RelationKind.SUPPORTS, 1)
    recalls.relate(2, RelationKind.DERIVED_FROM, 5)
    recalls.relate(6, RelationKind.SUPPORTS, 4)
    told_tiers = tiers(recalls)
    assert [told_tiers[f"cap-{number}"] for number in (1, 2, 3, 4)] == ["corroborated"] * 3 + ["unwarranted"]


def test_a_source_that_was_taken_back_corroborates_nothing() -> None:
    """O8: what is known to be false is no second voice."""
    recalls = Recalls()
    recalls.remember("tokio one", source="ci")
    recalls.remember("backing", source="wiki", standing=Standing(falsified_at=NOON))
    recalls.relate(2, RelationKind.SUPPORTS, 1)
    assert tiers(recalls) == {"cap-1": "unwarranted"}


def test_a_voice_outside_the_callers_fence_is_not_counted() -> None:
    """O8, F13: a tier that changes with what somebody may not see tells of it."""
    recalls = Recalls()
    recalls.remember("tokio one", source="ci", labels=labels(project_id="acme"))
    recalls.remember("backing", source="wiki", labels=labels(project_id="nott"))
    recalls.relate(2, RelationKind.SUPPORTS, 1)
    assert tiers(recalls) == {"cap-1": "corroborated"}
    assert tiers(recalls, caller=fenced("acme")) == {"cap-1": "unwarranted"}


def test_under_the_strict_bar_two_verified_keys_corroborate() -> None:
    """O8: a key that did not sign is no key, however many sources there are."""
    recalls = relying(Recalls(), bar=Bar.KEYS)
    recalls.remember("tokio one", source="ci", signature=signature_of(KEY, "tokio one"))
    recalls.remember("backing", source="wiki", signature=signature_of(OTHER, "backing"))
    recalls.remember("tokio two", source="ci", signature=signature_of(KEY, "tokio two"))
    recalls.remember("forged", source="wiki", signature=signature_of(OTHER, "something else"))
    recalls.relate(2, RelationKind.SUPPORTS, 1)
    recalls.relate(4, RelationKind.SUPPORTS, 3)
    assert tiers(recalls) == {"cap-1": "corroborated", "cap-3": "unwarranted"}


def test_a_quarantined_hit_is_unwarranted_whatever_it_earned() -> None:
    """O8: retracted is retracted."""
    recalls = Recalls()
    recalls.remember("tokio one", standing=Standing(quarantined_at=NOON))
    credit(recalls, 1, FeedbackOutcome.HELPED)
    assert tiers(recalls, include_quarantined=True) == {"cap-1": "unwarranted"}


# ── conflicts ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

OLD, NEW = "the api port of the shop is 8080", "the api port of the shop is now 9090 and no more the former"


def corrected() -> Recalls:
    recalls = Recalls()
    recalls.remember(OLD, standing=Standing(superseded_at=NOON, superseded_by=2))
    recalls.remember(NEW)
    recalls.relate(2, RelationKind.SUPERSEDES, 1)
    recalls.remember(OLD + " says bob", value=9.0)
    recalls.remember("the api port of the library is 8080 for all we know about it", value=8.0)
    return recalls


def test_a_restated_old_value_falls_below_its_correction_where_that_is_asked_for() -> None:
    """O9: by the birth of the value, whatever its score, its worth or its date; and the correction says over whom."""
    recalls = corrected()
    assert found(recalls, "api port of the shop")[0] == 3
    answer = asked(recalls, "api port of the shop", resolve_conflicts=True)
    order = ids(answer)
    assert order.index(3) == order.index(2) + 1
    assert {row["id"]: row["resolved_over"] for row in answer["result"] if "resolved_over" in row} == {"cap-2": ["cap-3"]}
    for by in ("value", "recency", "confidence"):
        order = found(recalls, "api port of the shop", resolve_conflicts=True, rerank_by=by)
        assert order.index(3) > order.index(2), by


def test_a_correction_of_a_correction_still_retires_the_first_value() -> None:
    """O9: any number of steps back."""
    recalls = corrected()
    recalls.remember("the api port of the shop is 7070 since this week only")
    recalls.relate(5, RelationKind.SUPERSEDES, 2)
    recalls.write(told(Op.SUPERSEDED, 2, _retired(2, 5)))
    answer = asked(recalls, "api port of the shop", resolve_conflicts=True)
    assert {row["id"]: row["resolved_over"] for row in answer["result"] if "resolved_over" in row} == {"cap-5": ["cap-3"]}


def _retired(number: int, by: int) -> Any:
    from recordance.domain.change import SetStanding

    return SetStanding(number, Standing(superseded_at=NOON, superseded_by=by), NOON)


def test_what_falls_behind_its_correction_and_out_of_the_answer_is_named() -> None:
    """O9: whether the correction is shown or lies deeper itself."""
    recalls = corrected()
    assert found(recalls, "api port of the shop", k=1) == [3]
    answer = asked(recalls, "api port of the shop", k=1, resolve_conflicts=True)
    assert ids(answer) == [4]
    assert answer["store"]["folded"] == {"restated": ["cap-3"]}
    answer = asked(recalls, "api port of the shop", k=2, resolve_conflicts=True)
    assert (ids(answer), answer["store"]["folded"]) == ([4, 2], {"restated": ["cap-3"]})
    assert "folded" not in asked(recalls, "api port of the shop", k=3, resolve_conflicts=True)["store"]


def test_a_stuffed_correction_stands_above_what_it_corrects_and_above_nothing_else() -> None:
    """O9, L13: what it corrects is no longer true, however plainly said; other clean hits stay before it, and it is marked."""
    recalls = Recalls()
    recalls.remember(OLD, standing=Standing(superseded_at=NOON, superseded_by=2))
    recalls.remember("api port api port api port api port api port of the shop is now 9090", value=99.0)
    recalls.relate(2, RelationKind.SUPERSEDES, 1)
    recalls.remember(OLD + " says bob", "the shop has an api")
    assert found(recalls, "api port of the shop") == [3, 4, 2]
    answer = asked(recalls, "api port of the shop", resolve_conflicts=True)
    assert ids(answer) == [4, 2, 3]
    assert answer["result"][1]["stuffed"] is True
    assert answer["result"][1]["resolved_over"] == ["cap-3"]


def test_a_flood_of_restatements_keeps_no_correction_out() -> None:
    """O9, L12: of a retired value that is restated more often than a recall weighs, the correction still comes first."""
    recalls = Recalls()
    recalls.remember("the gateway times out after thirty seconds", standing=Standing(superseded_at=NOON, superseded_by=2))
    why = "since the slow night in march, when half of all requests of the shop had failed"
    recalls.remember(f"the gateway times out after sixty seconds {why}")
    recalls.relate(2, RelationKind.SUPERSEDES, 1)
    recalls.remember(*(f"the gateway times out after thirty seconds n{place}" for place in range(80)))
    recalls.remember("the gateway rings")
    assert 2 not in found(recalls, "gateway times out seconds", k=5)
    answer = asked(recalls, "gateway times out seconds", k=5, resolve_conflicts=True)
    assert ids(answer)[0] == 2
    assert set(answer["result"][0]["resolved_over"]) >= {f"cap-{number}" for number in ids(answer)[1:]}
    assert answer["store"]["matched"] == 82
    plain = found(recalls, "gateway rings", k=1)
    assert found(recalls, "gateway rings", k=1, resolve_conflicts=True) == plain == [83], "who restates nothing stays above"


def test_the_server_can_resolve_without_being_asked() -> None:
    """O9: one setting for all who recall."""
    recalls = relying(corrected(), wishes=frozenset({Wish.RESOLVED}))
    order = found(recalls, "api port of the shop")
    assert order.index(3) == order.index(2) + 1


# ── the store ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def emptiness(answer: dict[str, Any]) -> str:
    assert answer["result"] == []
    return str(answer["store"]["empty"])


def test_every_emptiness_has_its_own_words() -> None:
    """O10, O6: nothing stored, nothing in this scope, nothing that matched, all excluded: no error, and each another one."""
    recalls = Recalls()
    new = emptiness(asked(recalls))
    recalls.remember("we pin tokio", labels=labels(project_id="nott"))
    elsewhere = emptiness(asked(recalls, project="acme"))
    unmatched = emptiness(asked(recalls, "lunch"))
    recalls.remember("lunch", standing=Standing(archived_at=NOON))
    excluded = emptiness(asked(recalls, "lunch"))
    assert "memory_store" in new
    assert "all_projects" in elsewhere
    assert "Nothing matched among the 1 capsules" in unmatched
    assert "1 archived" in excluded
    assert len({new, elsewhere, unmatched, excluded}) == 4
    assert "empty" not in asked(recalls)["store"]


def test_a_fenced_caller_learns_nothing_from_an_empty_answer() -> None:
    """F13: to whoever sees nothing, a full store is a new one."""
    recalls = Recalls()
    recalls.remember("tokio", labels=labels(project_id="nott"))
    assert asked(recalls, caller=fenced("acme"))["store"] == asked(Recalls(), caller=fenced("acme"))["store"]


def test_without_a_vector_the_answer_says_that_meaning_was_skipped() -> None:
    """L10: a stage that did not run is told, with the reason."""
    recalls = Recalls()
    recalls.remember("tokio")
    assert "no embedder" in asked(recalls)["store"]["skipped"]["semantic"]


def test_a_recall_writes_nothing() -> None:
    """O11: no use, no miss, no journal row."""
    recalls = Recalls()
    recalls.remember("tokio")
    before = head(recalls)
    asked(recalls)
    asked(recalls, "nothing like it")
    assert head(recalls) == before
    assert recalls.misses.notes == []


def head(recalls: Recalls) -> int:
    with recalls.truth.reading() as reader:
        return reader.head()


# ── where am I ────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_where_am_i_tells_the_store_the_scope_and_who_asks() -> None:
    """W11: counts of the store and of the scope, and what the server was started with."""
    recalls = Recalls()
    for project in ("acme", "acme", "nott", None):
        recalls.remember("tokio", labels={} if project is None else labels(project_id=project))
    call = Call(destinations=recalls.destinations, caller=ANYBODY, started=Started(project="acme", tool_sets=("core", "recall")))
    answer = WHERE_AM_I.handle(call, {})
    assert answer["stores"] == [{"destination": "main", "store": "store-of-tests", "capsules": 4, "in_scope": 3}]
    assert (answer["scope"], answer["project"], answer["actor"]) == ("project and unstamped", "acme", "ann")
    assert answer["tool_sets"] == ["core", "recall"]
    new = WHERE_AM_I.handle(Call(destinations=Recalls().destinations, caller=ANYBODY), {})
    assert new["scope"] == "all projects"
    assert "empty" in new["stores"][0]


def test_projects_lists_them_with_counts_the_unstamped_first() -> None:
    """W11, F13: as far as the caller sees them."""
    recalls = Recalls()
    for project in ("nott", "acme", None, "acme"):
        recalls.remember("tokio", labels={} if project is None else labels(project_id=project), captured_at=NOON)
    rows = _projects(recalls, ANYBODY)
    assert [(row.get("project"), row["capsules"]) for row in rows] == [(None, 1), ("acme", 2), ("nott", 1)]
    assert rows[0]["unstamped"] is True
    assert rows[0]["last_captured_at"] == "2026-03-01T12:00:00Z"
    assert [row.get("project") for row in _projects(recalls, fenced("acme"))] == ["acme"]


def _projects(recalls: Recalls, caller: Caller) -> Sequence[dict[str, Any]]:
    rows: Sequence[dict[str, Any]] = PROJECTS.handle(Call(destinations=recalls.destinations, caller=caller), {})["projects"]
    return rows


def test_a_read_only_caller_may_ask_all_three() -> None:
    """F13: they read."""
    recalls = Recalls()
    reader = replace(ANYBODY, permissions=frozenset({Permission.READ}))
    call = Call(destinations=recalls.destinations, caller=reader)
    for tool, given in ((RECALL, {"query": "x"}), (WHERE_AM_I, {}), (PROJECTS, {})):
        assert tool.handle(call, given)
