"""Equal contents: what the second writer gave and the stored capsule does not bear, and where a dead one's chain ends."""

from dataclasses import replace
from typing import Any

import pytest

from recordance.domain.caller import Caller
from recordance.domain.instant import Instant
from recordance.domain.relation import RelationKind
from recordance.domain.validity import EventRange
from recordance.usecases.archive import archive
from recordance.usecases.gathering import MOST_SUPERSEDERS
from recordance.usecases.relate import relate
from support.stores import ANN, Bench, bench, draft
from support.truths import NOON, days

FULL: dict[str, Any] = {
    "session_id": "s1",
    "kind": "fact",
    "source": "RFC 9",
    "headline": "head",
    "tags": ("a", "b"),
    "topics": ("t",),
    "entities": ("Ada",),
    "metadata": (("port", "1"), ("host", '"x"')),
    "anchor": "src/lib.rs:1",
    "confidence": 0.9,
    "importance": 0.8,
    "value": 2.0,
    "valid_from": Instant(NOON - days(1)),
    "valid_to": Instant(NOON + days(1)),
    "event": EventRange(NOON, NOON),
    "proof_hint": "run it",
    "stale_if": "it moves",
    "signature": "sig",
}


def again(store: Bench, content: str, **given: Any) -> dict[str, Any]:
    result: dict[str, Any] = store.tell(draft(content, **given))["results"][0]
    assert result["status"] == "deduplicated"
    return result


def test_labels_that_equal_content_does_not_take_over_are_named() -> None:
    """W1, F2: a second session that believes itself stored looks for its label and finds nothing."""
    store = bench()
    store.learn("pin tokio", session_id="s1", tags=("a",))
    assert again(store, "pin tokio", session_id="s2", tags=("b",))["differs"] == ["session_id", "tags"]
    with store.truth.reading() as reader:
        assert reader.capsules([1])[1].labels["session_id"] == "s1"


def test_values_that_are_there_or_were_not_given_differ_in_nothing() -> None:
    """W1: a repetition, whole or in part, is no news."""
    store = bench()
    store.learn("pin tokio", **FULL)
    parts: tuple[dict[str, Any], ...] = ({}, FULL, {"tags": ("b",), "metadata": (("host", '"x"'),)}, {"supersedes": ()})
    for given in parts:
        assert again(store, "pin tokio", **given) == {"status": "deduplicated", "id": "cap-1"}


@pytest.mark.parametrize("name", [name for name in FULL if name not in ("anchor", "event")])
def test_every_field_that_is_not_taken_over_is_named(name: str) -> None:
    """W1: whatever was given and dropped, be it a label, a text, a weight or a time."""
    store = bench()
    store.learn("pin tokio")
    assert again(store, "pin tokio", **{name: FULL[name]})["differs"] == [name]


def test_anchors_events_and_proposals_are_named_by_the_fields_that_they_come_in() -> None:
    """W1: a caller must know its own words again."""
    store = bench()
    store.learn("pin tokio")
    assert again(store, "pin tokio", anchor="src/lib.rs:1")["differs"] == ["anchors"]
    assert again(store, "pin tokio", event=EventRange(NOON, NOON))["differs"] == ["event_at"]
    later = Instant(NOON + 1)
    assert again(store, "pin tokio", event=EventRange(NOON, later))["differs"] == ["event_from", "event_to"]
    assert again(store, "pin tokio", staged=True)["differs"] == ["staged"]


def test_what_a_batch_stored_itself_is_compared_as_well() -> None:
    """W1: a batch is judged item by item."""
    answer = bench().tell(draft("pin tokio", session_id="s1"), draft("pin tokio", session_id="s2"))
    assert answer["results"][1]["differs"] == ["session_id"]


def test_a_chain_of_superseders_is_told_with_its_living_end() -> None:
    """W1, W7: what took the dead value's place may be dead itself; whoever stores it needs the one that holds."""
    store = bench()
    for value in "abc":
        store.learn(f"value {value}", key="k")
    dead = {"status": "deduplicated", "id": "cap-1", "state": "superseded", "superseded_by": "cap-2"}
    assert again(store, "value a", key="k") == {**dead, "live": "cap-3"}
    assert "live" not in again(store, "value b", key="k")
    archive(store.destinations, ANN, None, "cap-3")
    assert again(store, "value a", key="k") == dead


def test_the_living_end_of_a_chain_is_told_inside_the_fence_only() -> None:
    """F13: the id alone would tell that there is something."""
    store = bench()
    store.learn("one", "two", project_id="nott")
    store.learn("three", project_id="other")
    relate(store.destinations, ANN, None, RelationKind.SUPERSEDES, "cap-2", "cap-1")
    relate(store.destinations, ANN, None, RelationKind.SUPERSEDES, "cap-3", "cap-2")
    fenced = replace(Caller(actor="fay"), projects=frozenset({"nott"}))
    (hidden,) = store.tell(draft("one", project_id="nott"), caller=fenced)["results"]
    assert hidden == {"status": "deduplicated", "id": "cap-1", "state": "superseded", "superseded_by": "cap-2"}
    assert again(store, "one", project_id="nott")["live"] == "cap-3"


def test_a_chain_is_followed_a_bounded_way() -> None:
    """W1: a value that changed thousands of times must not hold up every other writer."""
    store = bench()
    store.tell(*(draft(f"value {number}", key="k") for number in range(MOST_SUPERSEDERS + 2)))
    assert again(store, "value 1")["live"] == f"cap-{MOST_SUPERSEDERS + 2}"
    assert "live" not in again(store, "value 0")
