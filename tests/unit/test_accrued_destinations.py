"""`recall`, `where_am_i` and `projects` over several destinations: merged by rank, and whoever does not answer is named."""

from typing import Any

import pytest

from recordance.errors import InvalidArgument, SearchFailed, StoreUnusable
from recordance.usecases.whereabouts import Started
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.accrued import RECALL
from support.houses import House
from support.stores import ANN

STUFFED = "tokio tokio tokio tokio tokio one two three four five six seven eight"


def furnished() -> House:
    house = House()
    house.store("tokio at home")
    house.store("tokio for the team", destination="team", value=9.0)
    house.store(STUFFED, destination="notes", value=99.0)
    return house


def ids(answer: dict[str, Any]) -> list[str]:
    return [row["id"] for row in answer["result"]]


def test_every_destination_ranks_for_itself_and_the_stuffed_stand_behind_in_all() -> None:
    """D4, L13: ids and rows name the destination; a score of one store says nothing in another, but stuffing does."""
    answer = furnished().call("recall", query="tokio", search_scope="all")
    assert ids(answer) == ["cap-1", "team:cap-1", "notes:cap-1"]
    assert [row["destination"] for row in answer["result"]] == ["home", "team", "notes"]
    assert [each["destination"] for each in answer["store"]["searched"]] == ["home", "notes", "team"]
    assert (answer["store"]["capsules"], answer["store"]["matched"]) == (3, 3)


def test_k_counts_the_merged_and_another_order_is_one_of_all() -> None:
    """L18, D4: value, recency and confidence mean the same everywhere, so they order what was merged."""
    house = furnished()
    assert ids(house.call("recall", query="tokio", search_scope="all", rerank_by="value")) == [
        "team:cap-1",
        "cap-1",
        "notes:cap-1",
    ]
    assert ids(house.call("recall", query="tokio", search_scope="all", k=1)) == ["cap-1"]


def test_a_destination_that_fails_is_named_and_the_others_answer() -> None:
    """D3: in `store`, with the reason; where all fail it is an error and no emptiness."""
    house = furnished()
    house.problems["team"] = StoreUnusable("gone")
    answer = house.call("recall", query="tokio", search_scope="all")
    assert ids(answer) == ["cap-1", "notes:cap-1"]
    assert next(each for each in answer["store"]["searched"] if each["destination"] == "team")["failed"] == "store_unusable"
    empty = house.call("recall", query="lunch", search_scope="home,team")
    assert "Not answered: team" in empty["store"]["empty"]
    assert "Not asked: notes" in empty["store"]["empty"]
    with pytest.raises(SearchFailed):
        house.call("recall", query="tokio", search_scope="team")


def test_embeddings_of_another_dimension_leave_that_vector_lane_out() -> None:
    """D5: named beside the destination; where none fits, the embedding is refused."""
    house = furnished()
    house.call("memory_vector", capsule_id="cap-1", embedding=[1.0, 0.0])
    house.call("memory_vector", capsule_id="team:cap-1", embedding=[1.0, 0.0, 0.0])
    answer = house.call("recall", query="tokio", search_scope="home,team", query_embedding=[1.0, 0.0])
    assert ids(answer) == ["cap-1", "team:cap-1"]
    assert answer["store"]["searched"][1]["skipped"] == "vector"
    with pytest.raises(InvalidArgument):
        house.call("recall", query="tokio", search_scope="team", query_embedding=[1.0, 0.0])


def test_a_server_of_a_project_asks_where_the_project_belongs() -> None:
    """D1, F10: its project and the unstamped are looked for where the rules lead the project."""
    house = furnished()
    house.store("tokio of acme", project_id="acme")
    call = Call(destinations=house.destinations, caller=ANN, started=Started(project="acme"))
    answer = RECALL.handle(call, {"query": "tokio"})
    assert answer["store"]["searched" if "searched" in answer["store"] else "destination"] == "team"
    assert sorted(ids(answer)) == ["team:cap-1", "team:cap-2"]


def test_a_correction_stands_above_its_restatement_after_the_merge() -> None:
    """O9, D4: equal content elsewhere lifts a restatement in the merge, and not above its correction."""
    house = House()
    house.store("the api port of the shop is 8080", key="port")
    house.store("the api port of the shop is now 9090 and no more the former", key="port")
    house.store("the api port of the shop is 8080 says bob")
    house.store("the api port of the shop is 8080 says bob", destination="team")
    plain = ids(house.call("recall", query="api port of the shop", search_scope="all"))
    assert plain.index("cap-3") < plain.index("cap-2")
    assert "team:cap-1" not in plain
    answer = house.call("recall", query="api port of the shop", search_scope="all", resolve_conflicts=True)
    assert ids(answer) == ["cap-2", "team:cap-1"]
    assert answer["result"][1]["equal"] == ["cap-3"]
    assert "folded" not in answer["store"]
    answer = house.call("recall", query="api port of the shop", search_scope="all", resolve_conflicts=True, k=1)
    assert (ids(answer), answer["store"]["folded"]) == (["cap-2"], {"restated": ["cap-3", "team:cap-1"]})
    assert {row["id"]: row["resolved_over"] for row in answer["result"] if "resolved_over" in row} == {"cap-2": ["cap-3"]}


def test_where_am_i_and_projects_tell_of_every_destination() -> None:
    """W11, D3: one that cannot answer is named there too."""
    house = furnished()
    house.store("tokio of acme", project_id="acme")
    house.problems["notes"] = StoreUnusable("gone")
    where = house.call("where_am_i")
    assert [each["destination"] for each in where["stores"]] == ["home", "notes", "team"]
    assert where["stores"][1]["failed"] == "store_unusable"
    assert where["store"] == "home"
    listed = house.call("projects", search_scope="all")
    rows = [(row["destination"], row.get("project"), row["capsules"]) for row in listed["projects"]]
    assert rows == [("home", None, 1), ("team", None, 1), ("team", "acme", 1)]
    assert listed["failed"][0]["destination"] == "notes"
