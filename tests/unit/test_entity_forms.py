"""An entity is found in whichever Unicode form it was written and is asked for (F9, case A5)."""

from typing import Any

import pytest

from recordance.query.fence import MarkFence, MarkField, Scope, entity_marks, traits_of
from support.houses import House

COMPOSED, DECOMPOSED = "\u00c4rger", "A\u0308rger"
WAYS = [(COMPOSED, DECOMPOSED), (DECOMPOSED, COMPOSED), (COMPOSED, DECOMPOSED.upper()), (DECOMPOSED, COMPOSED.lower())]


@pytest.mark.parametrize(("written", "asked"), WAYS, ids=ascii)
def test_an_entity_is_found_in_every_form(written: str, asked: str) -> None:
    """F9: as a filter, as a list of them, and by the views of the graph."""
    house = House()
    house.store("alpha", entities=[written])
    house.store("a relation", kind="relation", metadata={"from": written, "type": "uses", "to": "X"}, entities=["X"])
    for filters in ({"entity": asked}, {"entities": ["none", asked]}):
        found: Any = house.call("memory_recall", query="alpha", stages=["term"], **filters)
        assert found["result_count"] == 1
    view: Any = house.call("memory_entity", name=asked)
    assert (view["total"], len(view["relations"])) == (1, 1)
    assert house.call("memory_relations", entity=asked)["relation_count"] == 1


def test_bearers_of_different_forms_stand_beside_each_other() -> None:
    """L15: what shares an entity is one hop away, and an entity in two forms is one entity."""
    house = House()
    house.store("alpha", entities=[COMPOSED, "Hub"])
    house.store("beta", entities=[DECOMPOSED, "Hub"])
    found: Any = house.call("memory_recall", query="alpha", stages=["term"], graph_depth=1)
    assert [row["id"] for row in found["related"]] == ["cap-2"]
    assert house.call("memory_entity", name="hub")["co_occurring"] == [{"entity": COMPOSED, "capsules": 2}]


def test_the_forms_of_one_entity_route_as_one() -> None:
    """D1: a fence that admits one entity says where a recall belongs, however many forms that has."""
    assert traits_of(Scope((MarkFence(MarkField.ENTITIES, entity_marks(COMPOSED)),))).entities == entity_marks(COMPOSED)
    both = MarkFence(MarkField.ENTITIES, entity_marks(COMPOSED) | {"other"})
    assert traits_of(Scope((both,))).entities == frozenset()
