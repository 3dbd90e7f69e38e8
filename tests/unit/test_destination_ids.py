"""Ids of several destinations: how they are shown, how they are taken, and what contradicts itself."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import pytest

from recordance.domain.caller import Caller
from recordance.errors import InvalidArgument, MissingState, SearchFailed, StateKind, StoreUnusable
from recordance.usecases.overseeing import status_of_all
from recordance.usecases.side_by_side import Answer, OneByOne, Question, Unanswered
from recordance_adapters.driven.system.housing import MemoryHousing
from support.houses import House
from support.stores import ANN

T = TypeVar("T")


def gotten(house: House, **arguments: Any) -> list[str]:
    return [capsule["content"] for capsule in house.call("memory_get", **arguments)["capsules"]]


def test_an_id_is_bare_in_the_default_destination_and_named_elsewhere() -> None:
    """D4: two stores both have a cap-1, and nobody may take one for the other."""
    house = House()
    assert [house.store("at home"), house.store("a note", destination="notes")] == ["cap-1", "notes:cap-1"]
    assert gotten(house, id="cap-1") == gotten(house, id="home:cap-1") == ["at home"]
    assert gotten(house, id="notes:cap-1") == gotten(house, id="cap-1", destination="notes") == ["a note"]
    assert [row["id"] for row in house.call("memory_list", destination="notes")["capsules"]] == ["notes:cap-1"]


def test_everything_that_is_said_of_a_capsule_names_its_destination() -> None:
    """D4: an answer that named one id in two ways would be read as two capsules."""
    house = House()
    old, new = house.store("we pin tokio at 1.38 today", destination="notes"), house.store("we pin it", destination="notes")
    related = house.call("memory_relate", kind="supersedes", **{"from": new, "to": old})
    assert (related["from"], related["to"]) == (new, old)
    (shown,) = house.call("memory_get", id=old)["capsules"]
    assert (shown["superseded_by"], shown["relations"]["in"]) == (new, [{"kind": "supersedes", "from": new}])
    (again,) = house.call("memory_store", content="we pin tokio at 1.38 today", destination="notes")["results"]
    assert (again["id"], again["superseded_by"]) == (old, new)
    (alike,) = house.call("memory_store", content="we pin it now", destination="notes")["results"]
    assert [each["id"] for each in alike["similar"]] == [new]
    assert house.call("memory_review", id=new, verdict="propose")["id"] == new
    assert house.call("memory_archive", id=new)["id"] == new
    (attached,) = house.call("memory_vector", capsule_id=new, embedding=[1, 0])["results"]
    assert attached["id"] == new
    (judged,) = house.call("memory_feedback", capsule_id=new, outcome="helped")["judged"]
    assert judged["id"] == new
    gone = house.call("memory_forget", id=new)
    assert gone["id"] == new
    assert gone["receipt"].startswith("notes:ersr-")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_get", {"id": "notes:cap-9"}),
        ("memory_get", {"id": "cap-9", "destination": "notes"}),
        ("memory_relate", {"kind": "about", "from": "notes:cap-9", "to": "notes:cap-1"}),
        ("memory_vector", {"capsule_id": "notes:cap-9", "embedding": [1]}),
        ("memory_forget", {"id": "notes:cap-9"}),
        ("memory_review", {"id": "cap-9", "verdict": "ratify", "destination": "notes"}),
        ("memory_feedback", {"capsule_id": "notes:cap-9", "outcome": "hurt"}),
        ("memory_archive", {"id": "notes:cap-9"}),
        ("memory_store", {"content": "x", "destination": "notes", "supersedes": "cap-9"}),
    ],
)
def test_a_lesson_names_an_id_as_answers_do(tool: str, arguments: dict[str, Any]) -> None:
    """D4: however it was sent, the id that comes back can be sent again."""
    with pytest.raises(MissingState) as missing:
        House().call(tool, **arguments)
    assert (missing.value.kind, missing.value.id) == (StateKind.UNKNOWN_CAPSULE, "notes:cap-9")


def test_an_id_that_contradicts_the_destination_is_refused() -> None:
    """D4: which of the two was meant nobody can tell, and a wrong guess forgets another capsule."""
    house = House()
    house.store("a note", destination="notes")
    with pytest.raises(InvalidArgument) as refused:
        house.call("memory_forget", id="notes:cap-1", destination="team")
    assert (refused.value.field, refused.value.got) == ("id", "notes:cap-1")
    assert "notes as the destination" in refused.value.expected


def test_a_prefix_that_is_no_destination_is_refused_with_those_there_are() -> None:
    """D2, D4: a misspelt name is told apart from a capsule that is not there."""
    with pytest.raises(MissingState) as missing:
        House().call("memory_get", id="nots:cap-1")
    assert missing.value.kind is StateKind.UNKNOWN_DESTINATION
    assert missing.value.data["available"] == ["home", "notes", "team"]


def test_nothing_is_related_across_destinations() -> None:
    """D1, D4: a destination is self-contained, and its neighbour may not be there tomorrow."""
    house = House()
    house.store("at home")
    house.store("a note", destination="notes")
    with pytest.raises(InvalidArgument) as refused:
        house.call("memory_relate", kind="supports", **{"from": "notes:cap-1", "to": "cap-1"})
    assert (refused.value.field, refused.value.expected) == ("to", "an id of notes")
    with pytest.raises(InvalidArgument):
        house.call("memory_relate", remove={"kind": "supports", "from": "notes:cap-1", "to": "team:cap-1"})


def test_ids_of_several_destinations_are_read_in_the_order_asked_each_store_once() -> None:
    """D4: whoever got ids from one merged recall sends them back as they came."""
    house = House()
    for place in ("home", "notes"):
        for number in (1, 2):
            house.store(f"{place} {number}", destination=place)
    house.opened.clear()
    answer = house.call("memory_get", ids=["notes:cap-2", "cap-1", "home:cap-1", "notes:cap-1", "team:cap-5", "cap-2"])
    assert [each["id"] for each in answer["capsules"]] == ["notes:cap-2", "cap-1", "notes:cap-1", "cap-2"]
    assert answer["missing"] == ["team:cap-5"]
    assert sorted(house.opened) == ["home", "notes", "team"]


def test_a_destination_that_cannot_be_read_is_named_and_hides_nothing() -> None:
    """D3: the others answer; where none can, that is an error and no empty answer."""
    house = House()
    house.store("at home")
    house.problems["notes"] = StoreUnusable("/secret/path is broken", lesson="its disk is full")
    answer = house.call("memory_get", ids=["cap-1", "notes:cap-1"])
    assert [each["id"] for each in answer["capsules"]] == ["cap-1"]
    assert answer["failed"] == [{"destination": "notes", "ids": ["notes:cap-1"], "why": "its disk is full (fault-1)"}]
    house.problems["team"] = house.problems["notes"]
    with pytest.raises(SearchFailed) as failed:
        house.call("memory_get", ids=["team:cap-1", "notes:cap-1"])
    assert set(failed.value.failures) == {"team", "notes"}


class Hanging(OneByOne):
    """Asks everybody but the notes, which are never heard of again."""

    def gather(self, questions: Sequence[Question[T]]) -> Mapping[str, Answer[T]]:
        heard = super().gather([question for question in questions if question.name != "notes"])
        return {question.name: heard.get(question.name, Unanswered.LATE) for question in questions}


def test_a_destination_that_hangs_costs_a_reader_its_own_capsules_alone() -> None:
    """D3: reading by id waits for a store no longer than a recall does, and a forget that looks for equal content neither."""
    house = House()
    for place in ("home", "notes", "team"):
        house.store("the key hangs behind the door", destination=place)
    house.destinations.gatherer = Hanging()
    answer = house.call("memory_get", ids=["notes:cap-1", "cap-1"])
    assert [each["id"] for each in answer["capsules"]] == ["cap-1"]
    assert [each["why"] for each in answer["failed"]] == ["it did not answer in time"]
    gone = house.call("memory_forget", id="cap-1")
    assert (gone["equal"], gone["unread"]) == (["team:cap-1"], ["notes"])


def test_equal_content_elsewhere_is_named_by_its_destination_when_it_is_forgotten() -> None:
    """W6, D4: what stays must be found again by whoever wants it gone too."""
    house = House()
    for place in ("home", "notes", "team"):
        house.store("the key hangs behind the door", destination=place)
    assert house.call("memory_forget", id="notes:cap-1")["equal"] == ["cap-1", "team:cap-1"]


def test_aliases_and_misses_belong_to_the_destination_named() -> None:
    """D1: what one store was taught, another does not know."""
    house = House()
    house.call("memory_alias", term="gear", alias="equipment", destination="notes")
    assert house.call("memory_alias", list=True, destination="notes")["total"] == 1
    assert house.call("memory_alias", list=True)["total"] == 0
    assert house.call("memory_misses", destination="team") == {"misses": []}


def test_the_status_of_all_names_the_one_that_cannot_be_opened() -> None:
    """D3: whoever looks after a service sees which part of it is down."""
    house = House()
    house.store("a note", destination="notes")
    house.problems["team"] = StoreUnusable("broken", lesson="its disk is full")
    seen = status_of_all(house.destinations, ANN, lambda _name: MemoryHousing(lambda: 0))["destinations"]
    assert [(each["destination"], each.get("capsules"), each.get("default")) for each in seen] == [
        ("home", 0, True),
        ("notes", 1, None),
        ("team", None, None),
    ]
    assert seen[2]["failed"] == "its disk is full (fault-1)"


def test_search_scopes_are_listed_without_opening_a_store() -> None:
    """D1, D2: a model chooses by names, descriptions and rules; a store that is down is no reason to hide its name."""
    house = House()
    house.opened.clear()
    chart = house.call("memory_search_scopes")
    assert house.opened == []
    assert chart["destinations"] == [
        {"name": "home", "description": "whatever has no other place", "default": True},
        {"name": "notes", "description": "what ann jots down", "routed": ["project_prefix notes"]},
        {"name": "team", "routed": ["tag team", "project_prefix acme"]},
    ]
    assert chart["scopes"] == [{"name": "work", "description": "both", "destinations": ["team", "notes"]}]
    assert chart["default_search_scope"] == ["routed"]
    assert set(chart["means"]) == {"routed", "all"}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_get", {"id": "cap-1"}),
        ("memory_forget", {"id": "cap-1"}),
        ("memory_store", {"content": "newer", "supersedes": ["cap-1"]}),
        ("memory_relate", {"kind": "supports", "from": "cap-1", "to": "notes:cap-1"}),
    ],
)
def test_a_bare_id_means_nothing_to_whoever_does_not_see_the_default(tool: str, arguments: dict[str, Any]) -> None:
    """D4, F13: somebody else's cap-1 must not become notes:cap-1, least of all under a forget or a correction."""
    house = House()
    for place in ("home", "notes"):
        house.store("tokio", destination=place)
    notes = Caller(actor="bob", destinations=frozenset({"notes"}))
    with pytest.raises(MissingState) as refused:
        house.call(tool, notes, **arguments)
    assert (refused.value.kind, refused.value.id) == (StateKind.UNKNOWN_CAPSULE, "cap-1")
    assert "notes:cap-12" in refused.value.lesson


def test_among_several_ids_a_bare_one_that_means_nothing_is_missing() -> None:
    """D4: the others are read; and where the destination is named beside it, a bare id means that one."""
    house = House()
    house.store("tokio", destination="notes")
    notes = Caller(actor="bob", destinations=frozenset({"notes"}))
    assert house.call("memory_get", notes, ids=["cap-1", "notes:cap-1"])["missing"] == ["cap-1"]
    assert house.call("memory_get", notes, id="cap-1", destination="notes")["capsules"][0]["id"] == "notes:cap-1"
