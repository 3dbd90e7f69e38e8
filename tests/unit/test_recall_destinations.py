"""Recall over several destinations: which are asked, what becomes of their answers, and what is said of those that fail."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from recordance.answer.receipt import split_receipts
from recordance.domain.caller import Caller
from recordance.domain.destination import Catalogue, Group, Naming, Profile, Rule
from recordance.domain.embedding import vector_of
from recordance.domain.relation import RelationKind
from recordance.domain.vocabulary import Kind
from recordance.errors import Fault, InvalidArgument, MissingState, SearchFailed, StateKind, StoreUnusable
from recordance.query.lane import LaneChoice
from recordance.query.request import RecallRequest
from recordance.query.terms import read_terms
from recordance.usecases.recall import recall
from recordance.usecases.side_by_side import AT_ONCE, Question, SideBySide, Unanswered
from recordance.usecases.store import Destinations, Store
from support.recalls import ANYBODY, NotedMisses, Recalls, below, fenced
from support.truths import labels

HOUSE = Catalogue(
    profiles=(
        Profile(name="shop", rules=(Rule(subtrees=frozenset({"acme/shop"})),)),
        Profile(name="stock", rules=(Rule(subtrees=frozenset({"acme/stock"})),)),
        Profile(name="house", deadline=0.05),
    ),
    default="house",
    groups=(Group(name="teams", members=("shop", "stock")),),
)


class Broken(Mapping[str, Store]):
    """Stores of which some cannot be opened."""

    def __init__(self, stores: dict[str, Store], problems: dict[str, Exception]) -> None:
        self._stores = stores
        self._problems = problems

    def __getitem__(self, name: str) -> Store:
        if name in self._problems:
            raise self._problems[name]
        return self._stores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._stores)

    def __len__(self) -> int:
        return len(self._stores)


class World:
    """Three destinations in memory, each with its own recalls, asked together."""

    def __init__(self, catalogue: Catalogue = HOUSE) -> None:
        self.catalogue = catalogue
        self.of = {name: Recalls() for name in catalogue.names()}
        self.problems: dict[str, Exception] = {}

    def store(self, name: str) -> Store:
        own = self.of[name].destinations.reading(ANYBODY, None)
        return replace(own, name=name, naming=self.catalogue.naming(name))

    @property
    def destinations(self) -> Destinations:
        stores = {name: self.store(name) for name in self.of}
        return Destinations(Broken(stores, self.problems), self.catalogue, note_fault=lambda _name, _problem: "fault-1")

    def ask(self, *terms: str, caller: Caller = ANYBODY, destination: str | None = None, **given: Any) -> dict[str, Any]:
        given.setdefault("token_budget", 10**6)
        return recall(self.destinations, caller, destination, RecallRequest(terms=read_terms(terms), **given))

    def missed(self, name: str) -> list[str]:
        misses = self.of[name].misses
        assert isinstance(misses, NotedMisses)
        return [key for note in misses.notes for key in note.term_keys]


def searched(answer: dict[str, Any]) -> list[str]:
    return [each["destination"] for each in answer["searched"]]


def ids(answer: dict[str, Any]) -> list[str]:
    return [each["id"] for each in answer["results"]]


@pytest.fixture
def world() -> World:
    made = World()
    for name in made.of:
        made.of[name].remember(f"tokio is pinned by the {name}")
    return made


def test_what_is_searched_is_what_the_scope_means(world: World) -> None:
    """D2: routed, all, a destination, a scope, several of them; each once, in the order named, and the answer says so."""
    assert searched(world.ask("tokio")) == ["house"]
    assert searched(world.ask("tokio", search_scope=("all",))) == ["shop", "stock", "house"]
    assert searched(world.ask("tokio", search_scope=("stock",))) == ["stock"]
    assert searched(world.ask("tokio", search_scope=("teams",))) == ["shop", "stock"]
    assert searched(world.ask("tokio", search_scope=("house", "teams", "stock"))) == ["house", "shop", "stock"]
    assert searched(world.ask("tokio", destination="shop")) == ["shop"]


def test_a_recall_is_routed_by_its_fences(world: World) -> None:
    """D1: the first rule in order; a subtree only where all of it belongs there, else the default."""
    for prefix, name in (("acme/shop", "shop"), ("acme/stock/x", "stock"), ("acme", "house"), ("acme/shopping", "house")):
        answer = world.ask("tokio", scope=replace(RecallRequest(terms=()).scope, fences=(below(prefix),)))
        assert searched(answer) == [name], prefix


def test_a_configured_default_scope_holds_where_nothing_is_named() -> None:
    """D2: left out, the configured default; a name that is given stands alone."""
    world = World(replace(HOUSE, default_scope=("teams",)))
    assert searched(world.ask("tokio")) == ["shop", "stock"]
    assert searched(world.ask("tokio", search_scope=("routed",))) == ["house"]


def test_an_unknown_name_is_refused_with_those_that_exist(world: World) -> None:
    """D2: no search of something else in its place."""
    with pytest.raises(MissingState) as refused:
        world.ask("tokio", search_scope=("shop", "shp"))
    assert (refused.value.kind, refused.value.id) == (StateKind.UNKNOWN_DESTINATION, "shp")
    assert refused.value.extra == {"available": ["shop", "stock", "house"], "scopes": ["routed", "all", "teams"]}


def test_results_are_merged_by_their_ranks_and_name_their_destination(world: World) -> None:
    """D4: each enters by its own ranking, equal ranks in the order asked; ids are bare in the default destination alone."""
    world.of["stock"].remember("tokio again")
    answer = world.ask("tokio", search_scope=("stock", "house", "shop"))
    assert [(each["id"], each["destination"]) for each in answer["results"]] == [
        ("stock:cap-2", "stock"),
        ("cap-1", "house"),
        ("shop:cap-1", "shop"),
        ("stock:cap-1", "stock"),
    ]
    assert (answer["matched"], answer["returned"]) == (4, 4)
    assert list(answer)[-1] == "searched"


def test_the_same_content_is_one_result_that_says_where_else_it_is(world: World) -> None:
    """D4: what two destinations have comes before what one has at the same ranks, and counts once."""
    for name in ("shop", "stock"):
        world.of[name].remember("tokio tokio")
    answer = world.ask("tokio", search_scope=("teams",))
    assert [(each["id"], each.get("equal")) for each in answer["results"]] == [
        ("shop:cap-2", ["stock:cap-2"]),
        ("shop:cap-1", None),
        ("stock:cap-1", None),
    ]
    assert (answer["matched"], answer["returned"]) == (3, 3)
    assert [answer["trimmed_by_limit"], answer["trimmed_by_budget"]] == [0, 0]


def test_equal_content_of_two_projects_in_one_destination_stays_two_results() -> None:
    """D4: what one store keeps apart is not merged behind its back."""
    world = World()
    for project in ("a", "b"):
        world.of["shop"].remember("tokio", labels=labels(project_id=project))
    world.of["stock"].remember("tokio")
    answer = world.ask("tokio", search_scope=("teams",))
    assert sorted(len(each.get("equal", ())) for each in answer["results"]) == [0, 1]
    assert answer["matched"] == 2


def test_a_limit_and_a_budget_cut_the_merged_ranking(world: World) -> None:
    """O3: few results in all, not few of each; the cuts say how many."""
    answer = world.ask("tokio", search_scope=("all",), limit=2)
    assert ids(answer) == ["shop:cap-1", "stock:cap-1"]
    assert (answer["matched"], answer["trimmed_by_limit"], answer["trimmed_by_budget"]) == (3, 1, 0)
    budgeted = world.ask("tokio", search_scope=("all",), token_budget=1)
    assert (budgeted["returned"], budgeted["trimmed_by_budget"]) == (1, 2)
    assert world.ask("tokio", search_scope=("all",), limit=0)["results"] == []


@pytest.mark.parametrize("cut", [{"limit": 1}, {"limit": 0}, {"token_budget": 1}, {"token_budget": 0}, {"limit": 2}], ids=repr)
def test_neither_limit_nor_budget_changes_an_order_or_a_count(cut: dict[str, int]) -> None:
    """O3, D4: what two destinations have at their second ranks comes first, however little of it is asked for."""
    world = World()
    world.of["shop"].remember("alpha beta one", "alpha two")
    world.of["stock"].remember("alpha beta three", "alpha two")
    whole = world.ask("alpha", "beta", search_scope=("teams",))
    assert [each.get("equal") for each in whole["results"]] == [["stock:cap-2"], None, None]
    answer = world.ask("alpha", "beta", search_scope=("teams",), **cut)
    assert answer["matched"] == whole["matched"] == 3
    assert answer["results"] == whole["results"][: answer["returned"]]
    assert answer["returned"] + answer["trimmed_by_limit"] + answer["trimmed_by_budget"] == 3


def test_what_lies_behind_the_first_ranks_follows_and_is_merged_too() -> None:
    """D4: more results than enter the merge can be had, each content once, in an order that no limit changes."""
    world = World()
    contents = [f"alpha {word}" for word in "abcdefghijklmnopqrstu"]
    world.of["shop"].remember(*contents)
    world.of["stock"].remember(*reversed(contents))
    answer = world.ask("alpha", search_scope=("teams",))
    assert sorted(each["headline"] for each in answer["results"]) == sorted(contents)
    assert sorted(len(each.get("equal", ())) for each in answer["results"]) == [1] * len(contents)
    assert answer["returned"] + answer["trimmed_by_limit"] + answer["trimmed_by_budget"] == answer["matched"]
    for limit in (5, 13, 20):
        assert ids(world.ask("alpha", search_scope=("teams",), limit=limit)) == ids(answer)[:limit]


def test_the_receipt_has_the_part_of_each_destination_that_shows_something(world: World) -> None:
    """O13: each part is signed by its own store, under the name of its destination."""
    answer = world.ask("tokio", search_scope=("house", "shop"), limit=1)
    assert [name for name, _ in split_receipts(answer["receipt"])] == [None]
    both = world.ask("tokio", search_scope=("house", "shop"))
    assert [name for name, _ in split_receipts(both["receipt"])] == [None, "shop"]


def test_one_that_fails_is_named_and_the_others_answer(world: World) -> None:
    """D3: never silently missing; a fault tells its id and nothing else, an unusable store what to do."""
    world.problems = {"stock": Fault("secret path"), "house": StoreUnusable("secret host", lesson="the disk is full")}
    answer = world.ask("tokio", search_scope=("all",))
    assert ids(answer) == ["shop:cap-1"]
    assert answer["searched"][1:] == [
        {"destination": "stock", "failed": "fault", "why": "internal fault fault-1"},
        {"destination": "house", "failed": "store_unusable", "why": "the disk is full (fault-1)"},
    ]
    assert "secret" not in str(answer)


def test_an_empty_answer_says_who_did_not_answer_and_who_was_not_asked(world: World) -> None:
    """D3, case F8: a true miss and one of a destination that is away, or was never asked, are told apart."""
    world.problems = {"stock": Fault("gone")}
    answer = world.ask("absent", search_scope=("teams",))
    assert answer["outcome"] == "abstain"
    assert "In shop: Nothing matched" in answer["reason"]
    assert "Not answered: stock (internal fault fault-1)." in answer["reason"]
    assert "Not asked: house; search_scope all asks every destination." in answer["reason"]


def test_all_failing_is_an_error_that_names_each(world: World) -> None:
    """D3: never an abstention."""
    world.problems = {name: Fault("gone") for name in world.of}
    with pytest.raises(SearchFailed) as failed:
        world.ask("tokio", search_scope=("all",))
    assert failed.value.data["failures"].keys() == {"shop", "stock", "house"}
    with pytest.raises(SearchFailed):
        world.ask("tokio", search_scope=("shop",))


def test_one_destination_alone_answers_as_if_there_were_no_others(world: World) -> None:
    """F13, O11: whoever reaches one is told of no other, in no field."""
    alone = Caller(actor="ann", destinations=frozenset({"house"}))
    answer = world.ask("tokio", caller=alone)
    assert answer == world.of["house"].ask("tokio", token_budget=10**6)
    assert "shop" not in str(world.ask("absent", caller=alone))
    for scope in ("shop", "teams"):
        with pytest.raises(MissingState) as refused:
            world.ask("tokio", caller=alone, search_scope=(scope,))
        assert refused.value.extra == {"available": ["house"]}


def test_a_caller_of_some_destinations_searches_all_of_those(world: World) -> None:
    """F13: all, scopes, routes and defaults end at the caller's fence."""
    some = Caller(actor="ann", destinations=frozenset({"shop", "stock"}))
    assert searched(world.ask("tokio", caller=some, search_scope=("all",))) == ["shop", "stock"]
    assert searched(world.ask("tokio", caller=some)) == ["shop"]
    assert "house" not in str(world.ask("absent", caller=some))


def test_a_project_fence_holds_in_every_destination(world: World) -> None:
    """F13: of a token's two fences neither opens the other."""
    world.of["shop"].remember("tokio inside", labels=labels(project_id="acme"))
    answer = world.ask("tokio", caller=fenced("acme"), search_scope=("all",))
    assert ids(answer) == ["shop:cap-2"]


def test_a_destination_of_another_dimension_answers_by_its_words(world: World) -> None:
    """D5: its vector lane is skipped and that is said; the others fuse."""
    world.of["shop"].embed(1, 1.0, 0.0)
    world.of["stock"].embed(1, 1.0, 0.0, 0.0)
    answer = world.ask("tokio", search_scope=("teams",), embedding=vector_of([1.0, 0.0]))
    assert [each.get("vector_similarity") for each in answer["results"]] == [1.0, None]
    shop, stock = answer["searched"]
    assert "skipped" not in shop
    assert (stock["skipped"], stock["outcome"]) == ("vector", "grounded")
    assert "dimension 3" in stock["why"]
    assert "dimension 2" in stock["why"]


def test_a_forced_vector_lane_names_whom_it_does_not_fit(world: World) -> None:
    """D5: there is nothing else to answer with."""
    world.of["shop"].embed(1, 1.0, 0.0)
    world.of["stock"].embed(1, 1.0, 0.0, 0.0)
    answer = world.ask("tokio", search_scope=("teams",), embedding=vector_of([1.0, 0.0]), lane=LaneChoice.VECTOR)
    assert answer["searched"][1]["failed"] == "other_dimension"


@pytest.mark.parametrize("lane", [LaneChoice.AUTO, LaneChoice.VECTOR])
def test_an_embedding_that_fits_nowhere_is_refused(world: World, lane: LaneChoice) -> None:
    """D5: -32602, as with one destination; not a search by words that nobody asked for."""
    for name in ("shop", "stock"):
        world.of[name].embed(1, 1.0, 0.0)
    with pytest.raises(InvalidArgument) as refused:
        world.ask("tokio", search_scope=("teams",), embedding=vector_of([1.0, 0.0, 0.0]), lane=lane)
    assert refused.value.field == "query_embedding"


def test_terms_are_missed_only_where_no_destination_has_them(world: World) -> None:
    """T8: a term lane that found something anywhere teaches nothing; else every ledger that was asked hears of it."""
    world.of["shop"].remember("unique")
    world.ask("unique", search_scope=("all",))
    assert [world.missed(name) for name in world.of] == [[], [], []]
    world.ask("absent", search_scope=("teams",))
    assert [world.missed(name) for name in world.of] == [["absent"], ["absent"], []]


def test_an_effort_is_searched_where_it_lies(world: World) -> None:
    """F5, D4: its id names the destination; a scope that leaves that out, or several of which none is named, is refused."""
    shop = world.of["shop"]
    (epic,) = shop.remember("the epic", labels=labels(kind=Kind.EPIC.value))
    shop.relate(1, RelationKind.PART_OF, epic)
    answer = world.ask("tokio", effort_id=f"shop:cap-{epic}")
    assert (searched(answer), ids(answer)) == (["shop"], ["shop:cap-1"])
    assert answer["effort"]["epic_id"] == f"shop:cap-{epic}"
    assert ids(world.ask("tokio", effort_id=f"cap-{epic}", search_scope=("shop",))) == ["shop:cap-1"]
    with pytest.raises(MissingState) as unknown:
        world.ask("tokio", effort_id=f"cap-{epic}")
    assert unknown.value.kind is StateKind.UNKNOWN_CAPSULE
    for scope in (("stock",), ("teams",)):
        with pytest.raises(InvalidArgument):
            world.ask("tokio", effort_id=f"cap-{epic}" if scope == ("teams",) else f"shop:cap-{epic}", search_scope=scope)


def test_the_merged_answer_is_made_of_what_each_answers_alone(world: World) -> None:
    """O11, D4: nobody's own ranking, counts or evidence changes by the company it is in."""
    for name in world.of:
        world.of[name].remember("tokio tokio runs", "runs", f"tokio of {name} runs")
    together = world.ask("tokio", "runs", search_scope=("all",))
    for name in world.of:
        alone = world.ask("tokio", "runs", search_scope=(name,))
        by_id = {each["id"]: each for each in alone["results"]}
        for each in together["results"]:
            if each["destination"] == name:
                assert {field: value for field, value in each.items() if field != "equal"} == by_id[each["id"]]
        assert next(each for each in together["searched"] if each["destination"] == name) == alone["searched"][0]


def test_side_by_side_one_that_hangs_holds_nobody_up() -> None:
    """D3: the late one is named, and asked no more once as many of its questions hang as are asked at once."""
    now, hanging = [0.0], threading.Event()
    gatherer = SideBySide(lambda: now[0])
    questions = [Question("fine", lambda: "here", 20.0), Question("hung", lambda: str(hanging.wait(60)), 0.0)]
    try:
        for _ in range(AT_ONCE):
            assert gatherer.gather(questions) == {"fine": "here", "hung": Unanswered.LATE}
        assert gatherer.gather(questions) == {"fine": "here", "hung": Unanswered.BUSY}
    finally:
        hanging.set()


def test_side_by_side_all_are_asked_at_the_same_time() -> None:
    """D3: eight that wait for one another would never answer one by one."""
    together = threading.Barrier(8)
    questions = [Question(f"d{place}", lambda: together.wait(20) >= 0, 20.0) for place in range(8)]
    assert set(SideBySide(lambda: 0.0).gather(questions).values()) == {True}


def test_side_by_side_what_is_raised_is_given_back() -> None:
    """D3: for whoever knows what it means."""
    problem = Fault("gone")

    def failing() -> str:
        raise problem

    assert SideBySide(lambda: 0.0).gather([Question("a", failing, 20.0)]) == {"a": problem}


def test_a_name_of_a_destination_is_no_part_of_an_id_elsewhere() -> None:
    """D4: ids are exact."""
    notes = Naming("notes:")
    assert [notes.number(text) for text in ("notes:cap-3", "cap-3", "other:cap-3", "notes:cap-03")] == [3, None, None, None]
