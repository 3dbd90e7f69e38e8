"""`memory_entity` and `memory_relations`: everything about one name, and what it is related to (W11, F13)."""

from collections.abc import Mapping
from typing import Any

import pytest

from recordance.domain.relation import RelationKind
from recordance.errors import InvalidArgument, MissingState, SearchFailed
from recordance.usecases.graph_views import MOST_STATEMENTS
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.graph import ENTITY, RELATIONS
from support.houses import House
from support.recalls import ANYBODY, Recalls, fenced
from support.truths import NOON, labels, stands


def stating(source: str, relation: str, target: str) -> dict[str, Any]:
    """The fields of a capsule that states a relation."""
    said = (("from", f'"{source}"'), ("type", f'"{relation}"'), ("to", f'"{target}"'))
    return {"labels": labels(kind="relation"), "metadata": said}


def store() -> Recalls:
    recalls = Recalls()
    recalls.remember("tokio runs", entities=("Tokio", "Rust"), importance=0.2)
    recalls.remember("tokio is pinned", entities=("TOKIO", "rust", "Ada"), importance=0.9)
    recalls.remember("tokio is gone", entities=("tokio",))
    recalls.write(stands(3, archived_at=NOON))
    recalls.remember("recalled once", entities=("tokio",), labels=labels(kind="telemetry"))
    recalls.remember("the api uses tokio", **stating("API", "Uses", "tokio"))
    recalls.remember("tokio needs mio", **stating("Tokio", "needs", "mio"))
    recalls.remember("the api uses serde", **stating("api", "uses", "serde"))
    recalls.remember("half a statement", labels=labels(kind="relation"), metadata=(("from", '"tokio"'), ("to", "1")))
    recalls.remember("a crab")
    recalls.relate(2, RelationKind.SUPPORTS, 1)
    recalls.relate(9, RelationKind.ABOUT, 1)
    recalls.relate(2, RelationKind.ABOUT, 3)
    return recalls


CALL = Call(destinations=store().destinations, caller=ANYBODY)


def entity(name: str = "tokio", call: Call = CALL, **raw: Any) -> dict[str, Any]:
    return ENTITY.handle(call, {"name": name, **raw})


def relations(name: str = "tokio", call: Call = CALL, **raw: Any) -> dict[str, Any]:
    return RELATIONS.handle(call, {"entity": name, **raw})


def said(answer: Mapping[str, Any], name: str = "relations") -> list[tuple[str, str, str]]:
    return [(row["from"], row["relation"], row["to"]) for row in answer[name]]


@pytest.mark.parametrize("name", ["tokio", "TOKIO", "Tokio"])
def test_everything_live_about_an_entity_whatever_its_case(name: str) -> None:
    """W11: its capsules, the most important first; what may not answer and what the service notes are none of it."""
    answer = entity(name)
    assert ([row["id"] for row in answer["capsules"]], answer["total"]) == (["cap-2", "cap-1"], 2)
    assert (answer["capsules"][0]["content"], answer["framing"]) == ("tokio is pinned", "DATA")
    assert answer["co_occurring"] == [{"entity": "Rust", "capsules": 2}, {"entity": "Ada", "capsules": 1}] or answer[
        "co_occurring"
    ] == [{"entity": "rust", "capsules": 2}, {"entity": "Ada", "capsules": 1}]
    assert said(answer) == [("Tokio", "needs", "mio"), ("API", "Uses", "tokio")]


def test_a_limit_cuts_every_list_and_the_counts_stay() -> None:
    """W11: twenty by default, and how many there are is said."""
    answer = entity(limit=1)
    assert [len(answer[name]) for name in ("capsules", "relations", "capsule_relations")] == [1, 1, 1]
    assert (answer["total"], answer["relation_count"], answer["capsule_relation_count"]) == (2, 2, 2)
    assert ENTITY.arguments.schema["properties"]["limit"]["default"] == 20


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({}, [("Tokio", "needs", "mio"), ("API", "Uses", "tokio")]),
        ({"direction": "both"}, [("Tokio", "needs", "mio"), ("API", "Uses", "tokio")]),
        ({"direction": "from"}, [("Tokio", "needs", "mio")]),
        ({"direction": "to"}, [("API", "Uses", "tokio")]),
        ({"relation_type": "uses"}, [("API", "Uses", "tokio")]),
        ({"relation_type": "USES", "direction": "from"}, []),
        ({"relation_type": "owns"}, []),
    ],
    ids=repr,
)
def test_statements_name_an_entity_on_the_side_and_by_the_type_asked_for(
    raw: dict[str, Any], expected: list[tuple[str, str, str]]
) -> None:
    """W11: the newest first, in any case, shown as they were written; what states nothing whole is no statement."""
    assert said(relations(**raw)) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({}, [("cap-9", "about", "cap-1"), ("cap-2", "supports", "cap-1")]),
        ({"direction": "from"}, [("cap-2", "supports", "cap-1")]),
        ({"direction": "to", "relation_type": "About"}, [("cap-9", "about", "cap-1")]),
    ],
    ids=repr,
)
def test_relations_between_capsules_are_those_of_which_an_end_bears_the_entity(
    raw: dict[str, Any], expected: list[tuple[str, str, str]]
) -> None:
    """W11, F6: by id and title; a relation with an end that may not answer is not shown."""
    answer = relations(**raw)
    assert said(answer, "capsule_relations") == expected
    assert answer["capsule_relations"][0]["to_title"] == "tokio runs"


def test_an_unknown_entity_is_no_error_and_says_where_words_are_found() -> None:
    """W11, O1, O6: an entity is compared whole; the answer never claims that nothing was recorded."""
    for answer in (entity("toki"), relations("toki")):
        assert answer["reason"].startswith("No")
        assert '"toki"' in answer["reason"]
        assert "memory_recall" in answer["reason"]
    assert "reason" not in entity()
    assert "reason" in relations(relation_type="owns")


@pytest.mark.parametrize(
    ("tool", "raw", "field"),
    [
        (ENTITY, {}, "name"), (ENTITY, {"name": " "}, "name"), (ENTITY, {"name": "a", "limit": 0}, "limit"),
        (ENTITY, {"name": "a", "direction": "to"}, "direction"), (RELATIONS, {"entity": "a", "direction": "up"}, "direction"),
        (RELATIONS, {"entity": "a", "direction": None}, "direction"),
        (RELATIONS, {"entity": "a", "relation_type": None}, "relation_type"),
        (RELATIONS, {}, "entity"), (RELATIONS, {"name": "a"}, "name"),
    ],
)  # fmt: skip
def test_what_cannot_be_served_is_refused(tool: Any, raw: dict[str, Any], field: str) -> None:
    """W11: a null would drop what narrows, and a name from elsewhere leads to ours."""
    with pytest.raises(InvalidArgument) as refused:
        tool.handle(CALL, raw)
    assert refused.value.field == field


def test_a_token_s_fence_holds_on_both_ends_and_in_every_count() -> None:
    """F13: capsules, companions, statements and relations of other projects are unseen and uncounted."""

    def filled(*, hidden: bool) -> Call:
        recalls = Recalls()
        recalls.remember("mine", "mine too", entities=("tokio", "a"), labels=labels(project_id="acme"))
        recalls.relate(1, RelationKind.SUPPORTS, 2)
        if hidden:
            recalls.remember("theirs", entities=("tokio", "secret"), labels=labels(project_id="other"))
            recalls.remember("they use it", **{**stating("secret", "uses", "tokio"), "labels": labels(kind="relation")})
            recalls.relate(1, RelationKind.ABOUT, 3)
            recalls.relate(3, RelationKind.ABOUT, 2)
        return Call(destinations=recalls.destinations, caller=fenced("acme"))

    for tool, raw in ((ENTITY, {"name": "tokio"}), (RELATIONS, {"entity": "tokio"}), (ENTITY, {"name": "secret"})):
        assert tool.handle(filled(hidden=True), raw) == tool.handle(filled(hidden=False), raw)


def test_more_statements_than_are_read_are_found_by_their_entities_and_said() -> None:
    """W11: those that bear the name as an entity are never too old to be read."""
    recalls = Recalls()
    recalls.remember("old", **stating("tokio", "needs", "mio"), entities=("Tokio", "mio"))
    recalls.remember("old and bare", **stating("tokio", "needs", "rust"))
    recalls.remember(*(f"new {number}" for number in range(MOST_STATEMENTS)), **stating("x", "y", "z"))
    answer = relations(call=Call(destinations=recalls.destinations, caller=ANYBODY))
    assert (said(answer), answer["unread"]) == ([("tokio", "needs", "mio")], 1)


def test_an_entity_of_several_destinations_is_shown_whole() -> None:
    """W11, D2, D3, D4: merged as hits are, each row with its destination, one that fails named, all failing an error."""
    house = House()
    for name in ("home", "notes"):
        house.store("tokio everywhere", destination=name, entities=["Tokio", "Rust"])
        house.store(f"{name} uses it", destination=name, kind="relation", metadata={"from": name, "type": "uses", "to": "tokio"})
    house.problems = {"team": RuntimeError("gone")}
    answer = house.call("memory_entity", name="tokio", search_scope="all")
    assert [(row["id"], row["equal"]) for row in answer["capsules"]] == [("cap-1", ["notes:cap-1"])]
    assert (answer["total"], answer["co_occurring"]) == (1, [{"entity": "Rust", "capsules": 2}])
    assert [(row["from"], row["destination"]) for row in answer["relations"]] == [("home", "home"), ("notes", "notes")]
    assert answer["searched"][2]["failed"] == "fault"
    assert [row["id"] for row in house.call("memory_relations", entity="tokio", destination="notes")["relations"]] == [
        "notes:cap-2"
    ]
    assert "Not asked: notes, team" in house.call("memory_relations", entity="zzyzx")["reason"]
    with pytest.raises(MissingState):
        house.call("memory_entity", name="tokio", search_scope="attic")
    house.problems = {name: RuntimeError("gone") for name in house.benches}
    with pytest.raises(SearchFailed):
        house.call("memory_entity", name="tokio", search_scope="all")


def test_what_several_destinations_state_alike_is_one_relation() -> None:
    """D4: equal contents are one row with the other ids, here as among the capsules; other words are a relation of their own."""
    house = House()
    stated = {"kind": "relation", "metadata": {"from": "tokio", "type": "uses", "to": "mio"}}
    for name in ("home", "notes"):
        house.store("tokio uses mio", destination=name, **stated)
    house.store("mio is what tokio uses", destination="notes", **stated)
    answer = house.call("memory_relations", entity="tokio", search_scope="all")
    told = {row["id"]: row.get("equal") for row in answer["relations"]}
    assert told == {"cap-1": ["notes:cap-1"], "notes:cap-2": None}
    assert answer["relation_count"] == 2
