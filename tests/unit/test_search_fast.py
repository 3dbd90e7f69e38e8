"""`memory_search_fast`: words and meaning alone, in one destination or several, and an honest empty answer (L10, O1, O10)."""

from dataclasses import replace
from typing import Any

import pytest

from recordance.domain.capsule import LabelField
from recordance.domain.destination import Naming
from recordance.errors import InvalidArgument
from recordance.usecases.store import Destinations
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.fast import FAST
from support.recalls import ANYBODY, Recalls
from support.truths import NOON, labels, stands


def store() -> Recalls:
    """Two capsules of the question, one that only the graph would find, and one that may not answer."""
    recalls = Recalls()
    recalls.remember("pin tokio at 1.38", "tokio once more", labels=labels(project_id="a", type="fact"), entities=("Rust",))
    recalls.remember("a crab", entities=("rust",))
    recalls.remember("the archived runtime")
    recalls.write(stands(4, archived_at=NOON))
    return recalls


RECALLS = store()
CALL = Call(destinations=RECALLS.destinations, caller=ANYBODY)


def told(**raw: Any) -> Any:
    """Return the answer to these arguments."""
    return FAST.handle(CALL, {"query": "which tokio", **raw})


def test_words_and_meaning_alone_are_looked_for() -> None:
    """L10: what shares an entity, or is spelt nearly so, is for memory_recall to find."""
    assert [row["id"] for row in told()["results"]] == ["cap-2", "cap-1"]
    assert told(query="tokioo")["results"] == []


def test_a_row_has_what_a_reader_needs_and_is_framed_as_data() -> None:
    """L10, case K1: whole content, how it was found, what matched; evidence on every surface is data."""
    row = told()["results"][1]
    assert (row["label"], row["framing"]) == ("ADVISORY_NOT_AUTHORITY", "DATA")
    assert (row["content"], row["type"], row["project"]) == ("pin tokio at 1.38", "fact", "a")
    assert (row["via"], row["matched_terms"]) == (["term"], ["tokio"])


def test_the_skipped_stage_is_said_with_its_reason() -> None:
    """L10: without an embedding and an embedder nothing is compared by meaning, and the answer says so."""
    assert told()["skipped"] == [{"stage": "semantic", "why": "no embedder is configured and no query_embedding came"}]
    none = {"stage": "semantic", "why": "no capsule has an embedding in the space default"}
    assert told(query_embedding=[1.0, 0.0])["skipped"] == [none]


def test_a_limit_above_the_most_is_clamped_and_said() -> None:
    """L10, O10: fifty at most, and what was asked for stands beside it."""
    answer = told(limit=80)
    assert (answer["requested_limit"], answer["effective_limit"], answer["limit_clamped"]) == (80, 50, True)
    assert [row["id"] for row in told(limit=1)["results"]] == ["cap-2"]


def test_an_empty_answer_says_what_was_excluded_or_where_it_looked() -> None:
    """O1, O2: all that matched is excluded, by reason; or nothing matched inside these fences."""
    dead = told(query="archived runtime")
    assert (dead["excluded"], dead["results"]) == ({"archived": 1}, [])
    assert "1 archived" in dead["reason"]
    nowhere = told(query="zzyzx", project="a")
    assert nowhere["reason"].startswith('Nothing matched in the term lane. Fences: project "a".')


def test_parameters_of_the_other_stages_are_unknown_here() -> None:
    """L10: what it cannot do it does not take."""
    with pytest.raises(InvalidArgument):
        told(rerank=True)
    with pytest.raises(InvalidArgument):
        told(stages=["graph"])


def test_several_destinations_answer_as_one_ranking_with_their_names() -> None:
    """L10, D4: each row names its destination, and the answer says what each one found."""
    other = Recalls()
    other.remember("tokio elsewhere", labels={LabelField.PROJECT: "b"})
    main = RECALLS.destinations.reading(ANYBODY, None)
    far = replace(other.destinations.reading(ANYBODY, None), name="far", naming=Naming("far:"))
    both = Call(destinations=Destinations({"main": main, "far": far}), caller=ANYBODY)
    answer: Any = FAST.handle(both, {"query": "tokio", "search_scope": "all"})
    assert {(row["id"], row["destination"]) for row in answer["results"]} == {
        ("cap-1", "main"),
        ("cap-2", "main"),
        ("far:cap-1", "far"),
    }
    assert answer["searched"] == [{"destination": "main", "found": 2}, {"destination": "far", "found": 1}]
