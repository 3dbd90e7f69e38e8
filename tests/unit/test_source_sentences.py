"""Sentences of the contracts that no other test holds by themselves (see tests/spec/sources)."""

from recordance.usecases.transfer import export_lines, import_lines
from support.houses import House
from support.stores import ANN


def test_a_label_of_two_stores_grounds_the_capsules_of_both_after_a_merge() -> None:
    """F2, W10: no store owns a session's label, and none of them is asked whether it ever began."""
    house = House()
    house.store("tokio is pinned here", session_id="sess-1", destination="home")
    house.store("tokio is pinned there", session_id="sess-1", destination="notes")
    house.store("tokio is pinned elsewhere", session_id="sess-2", destination="notes")
    lines = list(export_lines(house.destinations, ANN, "notes"))
    import_lines(house.destinations, ANN, "home", lambda: lines, lambda done, total: None)
    answer = house.call("memory_retrieve", terms=["tokio"], session_id="sess-1", destination="home")
    assert sorted(result["headline"] for result in answer["results"]) == ["tokio is pinned here", "tokio is pinned there"]


def test_a_falsified_content_is_still_had_by_get_and_by_list() -> None:
    """F6: whoever is told that a claim was counted as falsified can read what it said."""
    house = House()
    claim, proof = house.store("the port is 8080"), house.store("the socket listens on 9090")
    house.call("memory_relate", kind="falsifies", **{"from": proof, "to": claim})
    assert house.call("memory_retrieve", terms=["8080"])["excluded"] == {"falsified": 1}
    assert house.call("memory_get", id=claim)["capsules"][0]["content"] == "the port is 8080"
    assert claim in [row["id"] for row in house.call("memory_list", state="falsified", limit=10, offset=0)["capsules"]]


def test_a_depth_of_the_vector_lane_changes_nothing_where_only_words_are_looked_for() -> None:
    """L4: `vector_k` says how deep a lane goes that does not run."""
    house = House()
    for number in range(12):
        house.store(f"tokio note {number}", embedding=[1.0, float(number)])
    asked = {"terms": ["tokio"], "lane": "term", "query_embedding": [1.0, 0.0], "token_budget": 100_000}
    shallow = house.call("memory_retrieve", **asked, vector_k=1)
    assert shallow == house.call("memory_retrieve", **asked)
    assert shallow["returned"] == 12
