"""Keys and times: a value of another time is kept beside the one that holds now."""

from typing import Any

import pytest

from recordance.domain.instant import Instant
from recordance.query.request import RecallRequest
from recordance.query.terms import read_terms
from recordance.usecases.archive import archive
from recordance.usecases.recall import recall
from support.stores import ANN, Bench, bench, draft
from support.truths import NOON, days

PAST = {"valid_from": Instant(NOON - days(2)), "valid_to": Instant(NOON - days(1))}
FUTURE = {"valid_from": Instant(NOON + days(1))}


def told(store: Bench, content: str, **given: Any) -> dict[str, Any]:
    result: dict[str, Any] = store.tell(draft(content, key="ep", **given))["results"][0]
    return result


def holding(store: Bench) -> list[str]:
    """The contents that a recall grounds on now."""
    found = recall(store.destinations, ANN, None, RecallRequest(terms=read_terms(["port"])))
    return sorted(result["headline"] for result in found["results"])


@pytest.mark.parametrize(
    ("given", "state", "step"), [(PAST, "expired", "all the same"), (FUTURE, "not_yet_valid", "once it holds")]
)
def test_a_value_of_another_time_leaves_the_present_one_in_place_and_says_so(
    given: dict[str, Any], state: str, step: str
) -> None:
    """W7: history that is filled in later, or a plan, must not leave a recall without the answer that holds."""
    store = bench()
    told(store, "port 2")
    result = told(store, "port 1", **given)
    assert {name: result.get(name) for name in ("status", "id", "state")} == {"status": "captured", "id": "cap-2", "state": state}
    assert "superseded" not in result
    assert "cap-1 keeps the key" in result["lesson"]
    assert step in result["lesson"]
    assert holding(store) == ["port 2"]


@pytest.mark.parametrize("given", [PAST, FUTURE])
def test_a_value_of_another_time_says_nothing_where_the_key_is_free(given: dict[str, Any]) -> None:
    """W7: a lesson that tells of nobody teaches to overlook the next one."""
    store = bench()
    assert "lesson" not in told(store, "port 1", **given)
    told(store, "port 2")
    archive(store.destinations, ANN, None, "cap-2")
    assert "lesson" not in told(store, "port 3", **given)


def test_a_planned_value_retires_the_present_one_when_it_is_stored_again_and_holds() -> None:
    """W7: the step that the lesson names must lead there."""
    store = bench()
    told(store, "port 2")
    told(store, "port 1", **FUTURE)
    again = told(store, "port 1", **FUTURE)
    assert (again["status"], again["state"]) == ("deduplicated", "not_yet_valid")
    assert "cap-1 keeps the key" in again["lesson"]
    store.clock.advance(days(1))
    assert told(store, "port 1", **FUTURE) == {"status": "deduplicated", "id": "cap-2", "superseded": ["cap-1"]}
    assert holding(store) == ["port 1"]


@pytest.mark.parametrize("given", [PAST, FUTURE])
def test_who_is_named_in_supersedes_is_retired_whenever_the_new_value_holds(given: dict[str, Any]) -> None:
    """W7: what is asked for in so many words is done, at the first writing and at the second."""
    for twice in (False, True):
        store = bench()
        told(store, "port 2")
        if twice:
            told(store, "port 1", **given)
        result = told(store, "port 1", supersedes=(1,), **given)
        assert result["superseded"] == ["cap-1"]
        assert "lesson" not in result
        assert holding(store) == []


def test_a_present_value_retires_every_present_holder_and_leaves_other_times_alone() -> None:
    """W7: values of several times may bear one key; of those that hold now, the last one stored stays."""
    store = bench()
    told(store, "port 1", **PAST)
    told(store, "port 2", **FUTURE)
    assert "superseded" not in told(store, "port 3")
    store.clock.advance(days(1))
    assert holding(store) == ["port 2", "port 3"]
    assert told(store, "port 4")["superseded"] == ["cap-2", "cap-3"]
    assert holding(store) == ["port 4"]


def test_a_present_value_retires_an_archived_holder_so_that_no_restoring_brings_it_back() -> None:
    """W7: what was put away keeps its time, and a correction concerns it as well."""
    store = bench()
    told(store, "port 1")
    archive(store.destinations, ANN, None, "cap-1")
    assert told(store, "port 2")["superseded"] == ["cap-1"]


def test_equal_content_that_is_told_of_another_time_retires_nobody() -> None:
    """W7: the item is history, although the capsule that has its content holds now."""
    store = bench()
    told(store, "port 2")
    store.learn("port 1")
    result = told(store, "port 1", **PAST)
    assert (result["status"], result["id"]) == ("deduplicated", "cap-2")
    assert "superseded" not in result
    assert result["differs"] == ["key", "valid_from", "valid_to"]
    assert holding(store) == ["port 1", "port 2"]


def test_a_batch_settles_times_in_its_order() -> None:
    """W1, W7: a whole history in one batch ends with the value of now, wherever that stands in it."""
    store = bench()
    answer = store.tell(draft("port 2", key="ep"), draft("port 1", key="ep", **PAST), draft("port 3", key="ep"))
    assert [result.get("superseded") for result in answer["results"]] == [None, None, ["cap-1"]]
    assert "cap-1" in answer["results"][1]["lesson"]
    assert holding(store) == ["port 3"]
