"""Explaining a recall over several destinations: each tells its own stages, and an id lies in one of them (D2 to D5, L10)."""

from dataclasses import replace
from typing import Any

import pytest

from recordance.domain.caller import Caller
from recordance.domain.destination import Catalogue, Profile
from recordance.errors import MissingState, StoreUnusable
from recordance.usecases.explain import Explanation, explain
from recordance.usecases.store import Destinations, Store
from support.pipelines import asked
from support.recalls import ANYBODY, Recalls

HOUSE = Catalogue(profiles=(Profile(name="home"), Profile(name="shop"), Profile(name="lost")), default="home")


class Stores(dict[str, Store]):
    """Stores of which `lost` cannot be opened."""

    def __getitem__(self, name: str) -> Store:
        if name == "lost":
            raise StoreUnusable("the server is away", lesson="it cannot be reached")
        return super().__getitem__(name)


def opened() -> Destinations:
    """Two destinations with one capsule of the question each and one equal one, and a third that cannot answer."""
    told = {
        "home": ("pin tokio", "tokio here", "the same tokio"),
        "shop": ("the same tokio", "tokio there", "nothing"),
    }
    stores = Stores()
    for name, contents in told.items():
        recalls = Recalls()
        recalls.remember(*contents)
        own = recalls.destinations.reading(ANYBODY, None)
        stores[name] = replace(own, name=name, naming=HOUSE.naming(name))
    stores["lost"] = stores["home"]
    recalls = Recalls()
    recalls.remember("far")
    return Destinations(stores, HOUSE)


WORLD = opened()


def told(id: str | None = None, caller: Caller = ANYBODY, scope: tuple[str, ...] = ("all",), **given: Any) -> Any:
    """Return the explanation of a question to these destinations."""
    query = asked("tokio", base={"search_scope": scope}, **given)
    return explain(WORLD, caller, Explanation(query=query, id=id))


def test_each_destination_tells_its_own_stages_and_one_that_fails_is_named() -> None:
    """L10, D3: who answered with what, and who did not with why."""
    home, shop, lost = told()["searched"]
    assert [each["destination"] for each in (home, shop, lost)] == ["home", "shop", "lost"]
    assert [hit["id"] for hit in shop["stages"][0]["hits"]] == ["shop:cap-2", "shop:cap-1"]
    assert home["stages"][1]["state"] == "skipped"
    assert lost["failed"] == "store_unusable"


def test_the_table_is_merged_as_the_hits_are() -> None:
    """L10, D4: by ranks, equal contents once, each line with its destination; the limit cuts what is merged."""
    answer = told()
    assert sorted(hit["id"] for hit in answer["hits"]) == ["cap-1", "cap-2", "shop:cap-1", "shop:cap-2"]
    equal = next(hit for hit in answer["hits"] if hit["id"] == "shop:cap-1")
    assert (equal["destination"], equal["equal"]) == ("shop", ["cap-3"])
    assert [hit["id"] for hit in told(wanted=1)["hits"]] == [answer["hits"][0]["id"]]


def test_an_id_is_explained_where_it_lies() -> None:
    """L10, D4: its rank is that in its own destination, and the id is written as callers write it."""
    assert told("shop:cap-2")["about"]["fate"] == "shown"
    assert told("shop:cap-2")["about"]["id"] == "shop:cap-2"
    assert told("shop:cap-3")["about"]["fate"] == "no_match"
    assert told("cap-2")["about"]["rank"] == 2


def test_an_id_that_lies_elsewhere_says_that_it_was_not_searched() -> None:
    """L10, D2: a capsule is not found where nobody looked."""
    about = told("shop:cap-2", scope=("home",))["about"]
    assert (about["fate"], about["why"]) == ("not_searched", "it lies in shop, which search_scope leaves out")


def test_an_id_in_a_destination_that_failed_says_so() -> None:
    """L10, D3: nothing is known of what a store holds that does not answer."""
    about = told("lost:cap-1")["about"]
    assert about["fate"] == "not_answered"
    assert about["why"].startswith("lost did not answer:")


def test_a_destination_that_the_caller_does_not_see_is_unknown_to_them() -> None:
    """F13: its name is refused with those that they may see, and a bare id means nothing to who does not see the default."""
    shopper = Caller(actor="ann", destinations=frozenset({"shop"}))
    with pytest.raises(MissingState):
        told("home:cap-1", caller=shopper)
    assert told("cap-1", caller=shopper)["about"]["fate"] == "unknown"
