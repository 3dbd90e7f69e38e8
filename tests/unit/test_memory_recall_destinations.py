"""`memory_recall` over several destinations: one ranking, one list beside it, and who did not answer (D2 to D5, L15, O10)."""

from typing import Any

import pytest

from recordance.domain.caller import Caller
from recordance.errors import InvalidArgument, MissingState, SearchFailed
from support.houses import House


@pytest.fixture
def house() -> House:
    """The same hit in two places, one of its own in each, and something beside each."""
    house = House()
    for name in ("home", "notes", "team"):
        house.store("tokio everywhere", destination=name)
        house.store(f"tokio of the {name}", destination=name, entities=[name], session_id="s")
        house.store(f"beside {name}", destination=name, entities=[name.upper()], session_id="s")
    return house


def ask(house: House, **raw: Any) -> dict[str, Any]:
    return house.call("memory_recall", **{"query": "tokio", "stages": ["term"], **raw})


def ids(answer: dict[str, Any], name: str = "results") -> list[str]:
    return [row["id"] for row in answer[name]]


def test_hits_of_several_are_merged_by_rank_and_name_their_destination(house: House) -> None:
    """D2, D4: what several have comes first and once, with its other ids; ranks are those of the merged list."""
    answer = ask(house, search_scope="all")
    assert ids(answer) == ["cap-1", "cap-2", "notes:cap-2", "team:cap-2"]
    first = answer["results"][0]
    assert (first["destination"], first["equal"], first["rank"]) == ("home", ["notes:cap-1", "team:cap-1"], 1)
    assert answer["searched"] == [{"destination": name, "found": 2} for name in ("home", "notes", "team")]


@pytest.mark.parametrize(
    ("scope", "names"),
    [
        ({}, ["home"]), ({"search_scope": "routed"}, ["home"]), ({"search_scope": "work"}, ["team", "notes"]),
        ({"search_scope": "notes,team"}, ["notes", "team"]), ({"search_scope": ["team"]}, ["team"]),
        ({"destination": "notes"}, ["notes"]),
        ({"project": "notes/x"}, ["notes"]),
    ],
    ids=repr,
)  # fmt: skip
def test_the_search_scope_says_what_is_asked(house: House, scope: dict[str, Any], names: list[str]) -> None:
    """D2: routed by the filters where nothing is named, the older single form, names, groups and lists."""
    assert [each["destination"] for each in ask(house, **scope)["searched"]] == names


def test_both_forms_of_a_scope_are_refused_together(house: House) -> None:
    """D2: which of them holds nobody can tell; and a name that is none is refused with those that are."""
    with pytest.raises(InvalidArgument):
        ask(house, search_scope="all", destination="home")
    with pytest.raises(MissingState):
        ask(house, search_scope="attic")


def test_a_limit_cuts_the_merged_list_and_changes_no_order(house: House) -> None:
    """D4, O10: few of all, not few of each."""
    whole = ask(house, search_scope="all")
    for limit in (1, 2, 3):
        assert ask(house, search_scope="all", limit=limit)["results"] == whole["results"][:limit]


@pytest.mark.parametrize("mode", ["search", "index"])
def test_what_is_related_hangs_on_hits_that_are_shown(house: House, mode: str) -> None:
    """L15, D4: of each destination, inside it, with the links to what the answer shows alone."""
    answer = ask(house, search_scope="all", graph_depth=1, mode=mode)
    assert sorted(ids(answer, "related")) == ["cap-3", "notes:cap-3", "team:cap-3"]
    links = {row["id"]: row["linked_by"] for row in answer["related"]}
    assert links["notes:cap-3"] == [{"id": "notes:cap-2", "entity": "notes"}]
    few = ask(house, search_scope="all", graph_depth=1, mode=mode, limit=2)
    assert ids(few, "related") == ["cap-3"]


def test_a_timeline_of_several_has_each_among_its_own(house: House) -> None:
    """L14, D4: a session's label in two destinations is two sessions."""
    answer = ask(house, search_scope="home,notes", mode="timeline")
    roles = {(row["id"], row["role"]) for row in answer["results"]}
    assert {("cap-2", "hit"), ("notes:cap-2", "hit"), ("cap-3", "neighbor"), ("notes:cap-3", "neighbor")} <= roles
    assert len(ids(answer)) == len(set(ids(answer)))
    assert all("destination" in row for row in answer["results"])


def test_one_that_fails_is_named_and_all_failing_is_an_error(house: House) -> None:
    """D3: never an empty answer in its place."""
    house.problems = {"notes": RuntimeError("gone")}
    answer = ask(house, search_scope="all")
    assert answer["searched"][1] == {"destination": "notes", "failed": "fault", "why": "internal fault fault-1"}
    assert "notes:cap-2" not in ids(answer)
    house.problems = {name: RuntimeError("gone") for name in house.benches}
    with pytest.raises(SearchFailed):
        ask(house, search_scope="all")


def test_an_embedding_of_another_dimension_is_skipped_where_it_does_not_fit(house: House) -> None:
    """D5: that destination answers by its words, and the answer says so; where it fits nowhere it is refused."""
    house.call("memory_vector", capsule_id="cap-1", embedding=[1.0, 0.0])
    house.call("memory_vector", capsule_id="notes:cap-1", embedding=[1.0, 0.0, 0.0])
    answer = house.call("memory_recall", query="tokio", query_embedding=[1.0, 0.0], search_scope="home,notes")
    assert "skipped" not in answer["searched"][0]
    assert answer["searched"][1]["skipped"] == "vector"
    assert answer["skipped"][0]["destinations"] == ["notes"]
    with pytest.raises(InvalidArgument):
        house.call("memory_recall", query="tokio", query_embedding=[1.0] * 4, search_scope="home,notes")


def test_an_empty_answer_names_who_was_not_asked(house: House) -> None:
    """O1, case F8: a true miss and one elsewhere are told apart."""
    assert "Not asked: notes, team" in ask(house, query="zzyzx")["reason"]


def test_whoever_sees_one_destination_is_told_of_no_other(house: House) -> None:
    """F13: in no field of any answer."""
    alone = Caller(actor="ann", destinations=frozenset({"team"}))
    for raw in ({}, {"query": "zzyzx"}, {"graph_depth": 1}, {"mode": "timeline"}):
        answer = house.call("memory_recall", caller=alone, **{"query": "tokio", **raw})
        assert "home" not in str(answer)
        assert "notes" not in str(answer)
        assert all("destination" not in row for row in answer["results"])
