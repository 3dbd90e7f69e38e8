"""Writes to several destinations: where they go, what one that fails leaves alone, and what comes again."""

from typing import Any

import pytest

from recordance.domain.caller import Caller
from recordance.errors import InvalidArgument, MissingState, StateKind, StoreUnusable
from recordance.usecases.verify import verify_receipt
from support.houses import House
from support.stores import ANN

DOWN = StoreUnusable("/secret/path is broken", lesson="its disk is full")


def stored(house: House, *items: dict[str, Any], caller: Caller = ANN, **beside: Any) -> dict[str, Any]:
    return house.call("memory_store", caller, items=list(items), **beside)


def ended(answer: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(result["status"], result.get("id")) for result in answer["results"]]


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({}, "home"),
        ({"project_id": "acme/shop"}, "team"),
        ({"project_id": "acmeish"}, "home"),
        ({"tags": ["team"]}, "team"),
        ({"project_id": "notes", "tags": ["team"]}, "notes"),
        ({"project_id": "acme", "destination": "notes"}, "notes"),
    ],
)
def test_a_write_goes_to_the_destination_named_else_to_the_routed_one(fields: dict[str, Any], place: str) -> None:
    """D1, D6: first match in order, else the default; the answer says where it went."""
    (result,) = House().call("memory_store", content="a statement", **fields)["results"]
    assert result["destination"] == place


def test_a_write_is_routed_by_the_project_that_it_is_stamped_with() -> None:
    """D6, F13: a caller of one project writes there, whether it says so or not."""
    caller = Caller(actor="ann", projects=frozenset({"acme"}))
    (result,) = House().call("memory_store", caller, content="a statement")["results"]
    assert (result["destination"], result["id"]) == ("team", "team:cap-1")


def test_a_batch_goes_to_several_destinations_and_is_answered_in_its_order() -> None:
    """D6, W1: each part is a transaction of its own, and the answer is one."""
    house = House()
    batch = [
        {"content": "one", "destination": "notes"},
        {"content": "two"},
        {"content": "", "destination": "notes"},
        {"content": "three", "destination": "nots"},
        {"content": "four", "tags": ["team"]},
        {"content": "five", "destination": "notes", "confidence": 7},
        {"content": "one", "destination": "notes"},
    ]
    answer = stored(house, *batch)
    assert ended(answer) == [
        ("captured", "notes:cap-1"),
        ("captured", "cap-1"),
        ("rejected", None),
        ("rejected", None),
        ("captured", "team:cap-1"),
        ("rejected", None),
        ("deduplicated", "notes:cap-1"),
    ]
    assert (answer["captured"], answer["deduplicated"], answer["rejected"]) == (3, 1, 3)
    errors = [result.get("error", "") for result in answer["results"]]
    assert errors[2].startswith("items[2].content")
    assert errors[5].startswith("items[5].confidence")
    assert "unknown_destination" in errors[3]
    assert "home, notes, team" in errors[3]


def test_a_lesson_of_a_part_names_the_place_in_the_whole_batch() -> None:
    """W1, D6: the second item of its part is not the second of the call."""
    answer = stored(
        House(),
        {"content": "one"},
        {"content": "two", "destination": "notes"},
        {"content": "three", "valid_to": "2001-01-01T00:00:00Z", "destination": "notes"},
    )
    assert answer["results"][2]["error"].startswith("items[2].valid_to")


def test_the_destination_beside_items_holds_for_those_that_name_none() -> None:
    """D6: one word for all, and an item's own counts before it."""
    answer = stored(House(), {"content": "one"}, {"content": "two", "destination": "team"}, destination="notes")
    assert [result["id"] for result in answer["results"]] == ["notes:cap-1", "team:cap-1"]
    with pytest.raises(MissingState) as missing:
        stored(House(), {"content": "one"}, destination="nots")
    assert missing.value.kind is StateKind.UNKNOWN_DESTINATION


def test_a_destination_that_fails_rejects_its_items_and_nobody_elses() -> None:
    """D3, D6: one bad item never blocks its siblings, nor does a destination that is down; what it was is not told."""
    house = House()
    house.problems["notes"] = DOWN
    answer = stored(house, {"content": "one"}, {"content": "two", "destination": "notes"}, {"content": "three"})
    assert ended(answer) == [("captured", "cap-1"), ("rejected", None), ("captured", "cap-2")]
    assert answer["results"][1]["error"] == "destination notes has taken nothing of this call: its disk is full (fault-1)"
    with pytest.raises(StoreUnusable):
        stored(house, {"content": "four", "destination": "notes"})


@pytest.mark.parametrize(
    ("problem", "taken"),
    [
        (
            StoreUnusable("x", lesson="the database went away", kind=StateKind.WRITE_UNCERTAIN),
            "may have taken its part of this call or not",
        ),
        (ValueError("a secret path"), "may have taken its part of this call or not"),
        (StoreUnusable("x", lesson="the database is away", kind=StateKind.STORE_UNREACHABLE), "has taken nothing of this call"),
    ],
    ids=["uncertain", "strange", "away"],
)
def test_what_may_have_been_written_is_not_called_unwritten(problem: Exception, taken: str) -> None:
    """D3, D6: whoever is told that nothing was taken sends it again, and would have it twice; what was strange is in the log."""
    house = House()
    house.problems["notes"] = problem
    answer = stored(house, {"content": "one"}, {"content": "two", "destination": "notes"})
    assert ended(answer) == [("captured", "cap-1"), ("rejected", None)]
    error = answer["results"][1]["error"]
    assert error.startswith(f"destination notes {taken}: ")
    assert "fault-1" in error
    assert "secret" not in error


def test_the_same_key_and_items_do_what_had_failed_and_answer_the_rest_again() -> None:
    """D6, W1: a retry writes nothing twice, and completes what was left."""
    house = House()
    house.problems["notes"] = DOWN
    items = [{"content": "one"}, {"content": "two", "destination": "notes"}]
    assert ended(stored(house, *items, idempotency_key="k")) == [("captured", "cap-1"), ("rejected", None)]
    house.problems.clear()
    whole = stored(house, *items, idempotency_key="k")
    assert ended(whole) == [("captured", "cap-1"), ("captured", "notes:cap-1")]
    assert stored(house, *items, idempotency_key="k") == whole
    other = stored(house, {"content": "other"}, items[1], idempotency_key="k")
    assert [result["status"] for result in other["results"]] == ["rejected", "rejected"]
    assert all("idempotency_conflict" in result["error"] for result in other["results"])


def test_an_answer_is_kept_for_those_behind_the_same_fence() -> None:
    """W1, F13: what one caller was answered, with the destinations that it sees, is not given to another who sees fewer."""
    house = House()
    fenced = Caller(actor="eve", destinations=frozenset({"notes"}))
    first = house.call("memory_store", content="one", destination="notes", idempotency_key="k")
    second = house.call("memory_store", fenced, content="one", destination="notes", idempotency_key="k")
    assert first["results"] == [{"status": "captured", "id": "notes:cap-1", "destination": "notes"}]
    assert second["results"] == [{"status": "deduplicated", "id": "notes:cap-1"}]


def test_what_a_capsule_supersedes_lies_beside_it() -> None:
    """D6: a bare id means the default destination, and a rule must not turn it into another capsule's."""
    house = House()
    house.store("at home")
    house.store("in the team", destination="team")
    with pytest.raises(InvalidArgument) as refused:
        house.call("memory_store", content="new", tags=["team"], supersedes="cap-1")
    assert (refused.value.field, refused.value.got) == ("supersedes", "cap-1")
    assert refused.value.expected == "home as its destination, or ids of team"
    answer = stored(house, {"content": "a"}, {"content": "b", "supersedes": ["team:cap-1"]})
    assert answer["results"][1]["error"].startswith("items[1].supersedes: got 'team:cap-1'")
    (done,) = house.call("memory_store", content="new", destination="team", supersedes=["cap-1"])["results"]
    assert done["superseded"] == ["team:cap-1"]


def test_vectors_go_where_their_capsules_lie() -> None:
    """D5, D6: each store has its own dimension, and a batch may meet several."""
    house = House()
    for place in ("home", "notes"):
        house.store(f"at {place}", destination=place)
    items = [
        {"capsule_id": "notes:cap-1", "embedding": [1, 0, 0]},
        {"capsule_id": "cap-1", "embedding": [1, 0]},
        {"capsule_id": "notes:cap-1", "embedding": [1, 0]},
        {"capsule_id": "nots:cap-1", "embedding": [1, 0]},
        {"capsule_id": "cap-7", "embedding": [1, 0]},
    ]
    answer = house.call("memory_vector", items=items)
    assert ended(answer) == [
        ("attached", "notes:cap-1"),
        ("attached", "cap-1"),
        ("rejected", None),
        ("rejected", None),
        ("rejected", None),
    ]
    assert answer["spaces"] == [{"destination": "notes", "dimension": 3}, {"destination": "home", "dimension": 2}]
    assert answer["results"][2]["error"].startswith("items[2].embedding")
    house.problems["notes"] = DOWN
    assert ended(house.call("memory_vector", items=items[:2])) == [("rejected", None), ("unchanged", "cap-1")]


def test_a_receipt_of_several_destinations_is_judged_in_each() -> None:
    """O13, D4: what a merged recall showed is fed back as it came."""
    house = House()
    for place in ("home", "notes"):
        house.store(f"the boat at {place}", destination=place)
    receipt = house.call("memory_retrieve", terms=["boat"], search_scope="all")["receipt"]
    answer = house.call("memory_feedback", receipt=receipt, outcome="helped")
    assert sorted(each["id"] for each in answer["judged"]) == ["cap-1", "notes:cap-1"]
    with pytest.raises(InvalidArgument):
        house.call("memory_feedback", receipt=receipt, outcome="helped", destination="notes")
    verified = verify_receipt(house.destinations, ANN, None, receipt)
    assert verified["signature"] == "holds"
    assert {part["destination"]: part["ids"] for part in verified["parts"]} == {"home": ["cap-1"], "notes": ["notes:cap-1"]}
    broken = verify_receipt(house.destinations, ANN, None, receipt[:-4] + "AAAA")
    assert broken["signature"] == "broken"
    gone = house.call("memory_forget", id="notes:cap-1")["receipt"]
    assert verify_receipt(house.destinations, ANN, None, gone)["id"] == "notes:cap-1"


def test_nothing_is_judged_where_a_part_of_the_receipt_is_no_good() -> None:
    """O13: half a judgement is one that nobody has given."""
    house = House()
    for place in ("home", "notes"):
        house.store(f"the boat at {place}", destination=place)
    receipt = house.call("memory_retrieve", terms=["boat"], search_scope="all")["receipt"]
    with pytest.raises(InvalidArgument):
        house.call("memory_feedback", receipt=receipt[:-4] + "AAAA", outcome="helped")
    house.problems["notes"] = DOWN
    with pytest.raises(StoreUnusable):
        house.call("memory_feedback", receipt=receipt, outcome="helped")
    house.problems.clear()
    shown = house.call("memory_get", ids=["cap-1", "notes:cap-1"])["capsules"]
    assert [each["use_count"] for each in shown] == [0, 0]
