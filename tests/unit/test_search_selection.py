"""`memory_search`: what a page holds, how it can be read, and what the relaxed pass does, one sentence a test."""

from typing import Any

import pytest

from recordance.domain.caller import Caller
from recordance.domain.destination import Catalogue, Profile, Rule
from recordance.errors import InvalidArgument
from recordance.ranking.relaxation import Fragment, screen
from support.houses import HOUSE, House

SOLE = Catalogue(profiles=(Profile(name="home"),), default="home")


class Searches(House):
    """A house that is searched in one line."""

    def search(self, caller: Caller | None = None, **selection: Any) -> dict[str, Any]:
        beside = {name: selection.pop(name) for name in ("query_embedding", "search_scope") if name in selection}
        as_whom = {} if caller is None else {"caller": caller}
        return self.call("memory_search", selection=selection, **beside, **as_whom)

    def found(self, **selection: Any) -> list[str]:
        return [row["id"] for row in self.search(**selection)["memories"]]

    def told(self, **selection: Any) -> dict[str, Any]:
        retrieval: dict[str, Any] = self.search(**selection)["retrieval"]
        return retrieval


@pytest.fixture
def home() -> Searches:
    return Searches(SOLE)


def test_all_words_of_a_query_must_stand_in_a_capsule(home: Searches) -> None:
    """L8, T6: plain text; operators and quotes in it are text like any other."""
    both = home.store("tokio is pinned for the timer wheel")
    home.store("the timer rings")
    assert home.found(query="timer TOKIO") == [both]
    assert home.found(query='"timer" AND* tokio:') == []
    assert home.found(query="(timer) -tokio*") == [both]


def test_equal_scores_stand_by_importance_confidence_and_last_update(home: Searches) -> None:
    """L8: the tail of the order; the id is the last of it, and a browse has nothing before it."""
    plain, sure, important = (
        home.store("tea is green", project_id="a"),
        home.store("tea is green", project_id="b", confidence=0.9, domain="research"),
        home.store("tea is green", domain="research", importance=0.9),
    )
    wide: dict[str, Any] = {"scope": "domain", "scope_id": "research", "include_global": False}
    assert home.found(query="tea", **wide) == home.found(**wide) == [important, sure]
    assert home.found(query="tea", scope="project", scope_id="a") == [plain]


def test_without_a_scope_only_what_is_global_is_searched_and_the_answer_says_so(home: Searches) -> None:
    """F10, O7, case F8, case F9: what lies in a project or a domain is named as another scope, not passed over in silence."""
    home.store("postgres listens on 5432", project_id="nott")
    home.store("tea is green")
    told = home.told(query="postgres")
    assert (told["reason"], told["scope"], told["scoped_active"]) == ("no_lexical_match", {"scope": "global"}, 1)
    assert "1 capsule lies outside" in told["note"]
    assert "nott" in told["note"]
    assert "recorded" not in told["note"]


def test_no_project_is_named_as_another_scope_that_has_nothing_to_show(home: Searches) -> None:
    """O7, case F8: whoever follows the hint finds something; what is archived or superseded there is nothing to be found."""
    for place in range(3):
        home.call("memory_archive", id=home.store(f"tokio {place}", project_id="put-away"), action="archive")
    home.store("tokio", project_id="alive")
    note = home.told(query="tokio")["note"]
    assert "1 capsule lies outside it" in note
    assert "alive" in note
    assert "put-away" not in note


def test_a_project_or_domain_may_have_the_global_beside_it(home: Searches) -> None:
    """F10: `include_global` is the default, and can be left out."""
    everywhere, own, other = home.store("tea one"), home.store("tea two", project_id="nott"), home.store("tea", project_id="x")
    assert set(home.found(query="tea", scope="project", scope_id="nott")) == {everywhere, own}
    assert home.found(query="tea", scope="project", scope_id="nott", include_global=False) == [own]
    assert other not in home.found(query="tea")


def test_a_token_is_told_nothing_beyond_its_fence(home: Searches) -> None:
    """F10, F13: neither counts nor names of other projects."""
    home.store("tea one", project_id="secret")
    home.store("tea two", project_id="mine")
    home.store("tea three")
    told = home.search(Caller(actor="eve", projects=frozenset({"mine"})), query="tea")["retrieval"]
    assert (told["reason"], told["scoped_active"]) == ("empty_scope", 0)
    assert "1 capsule lies outside it" in told["note"]
    assert "secret" not in str(told)


@pytest.mark.parametrize(
    ("selection", "field", "says"),
    [
        ({"scope": "project"}, "selection.scope_id", "project"),
        ({"scope_id": "nott"}, "selection.scope_id", "no scope_id"),
        ({"scope": "domain", "scope_id": "cooking"}, "selection.scope_id", "research"),
        ({"type": "rumour"}, "selection.type", "preference"),
        ({"query": "..."}, "selection.query", "letter"),
        ({"query_variants": [" "]}, "selection.query_variants[0]", "letter"),
        ({"query_variants": ["x" * 101]}, "selection.query_variants[0]", "100"),
        ({"query_variants": list("abcdef")}, "selection.query_variants", "5"),
        ({"query": "x" * 2_001}, "selection.query", "2000"),
        ({"limit": 101}, "selection.limit", "100"),
        ({"as_of": "yesterday"}, "selection.as_of", "2026-03-01"),
    ],
)
def test_what_cannot_be_served_is_refused_with_what_to_send(
    home: Searches, selection: dict[str, Any], field: str, says: str
) -> None:
    """F9, F10, L8, case B9: an unknown word comes with the list, a wording that could never match with a lesson."""
    with pytest.raises(InvalidArgument) as refused:
        home.search(**selection)
    assert refused.value.field == field
    assert says in refused.value.expected


def test_nulls_of_clients_that_send_every_field_are_fields_left_out(home: Searches) -> None:
    """F10: without a scope_id, a type and a date nothing is narrowed, and the answer repeats what was understood."""
    tea = home.store("tea")
    assert home.found(query="tea", scope="global", scope_id=None, type=None, as_of=None) == [tea]


def test_a_date_asks_what_held_then(home: Searches) -> None:
    """F9, case D11: validity at the time asked about; a bare date is the end of its UTC day."""
    old = home.store("port is 80", valid_from="2026-01-01T00:00:00Z", valid_to="2026-02-01T00:00:00Z")
    new = home.store("port is 81", valid_from="2026-02-01T00:00:00Z", supersedes=[old])
    assert home.found(query="port") == [new]
    assert home.found(query="port", as_of="2026-01-31") == [old]
    assert home.found(query="port", as_of="2026-02-01") == [new]
    assert home.search(query="port")["memories"][0]["supersedes"] == [old]


def test_only_what_may_ground_is_found_and_the_rest_is_counted(home: Searches) -> None:
    """L8, F6, O2: proposals, archives, telemetry and the forgotten never come; what matched and was excluded is counted."""
    kept, staged, gone = home.store("tea one"), home.store("tea two", staged=True), home.store("tea three")
    home.store("tea four", kind="telemetry")
    home.call("memory_forget", id=gone, reason="asked for")
    assert home.found(query="tea") == home.found() == [kept]
    told = home.told(query="tea", query_variants=["two"])
    assert (told["excluded"], told["scoped_active"]) == ({"proposed": 1}, 1)
    assert staged not in home.found(query="two", search_mode="auto")


def test_wordings_are_fused_by_reciprocal_ranks(home: Searches) -> None:
    """L8, O7: each is strict; rows say which wordings found them, and each wording has its exact count."""
    first, second = home.store("alpha beta"), home.store("alpha gamma and more")
    answer = home.search(query="alpha", query_variants=["gamma", "Alpha", "beta delta"])
    assert [(row["id"], row["fusion_score"], row["matched_queries"]) for row in answer["memories"]] == [
        (second, round(1 / 62 + 1 / 61, 6), ["alpha", "gamma"]),
        (first, round(1 / 61, 6), ["alpha"]),
    ]
    told = answer["retrieval"]
    assert told["strategy"] == "rrf_variants"
    assert told["per_query_matches"] == {"alpha": 2, "gamma": 1, "beta delta": 0}
    assert told["variants_used"] == ["gamma", "beta delta"]
    assert "total_matches" not in told


def test_an_empty_query_beside_variants_is_passed_over(home: Searches) -> None:
    """L8: it browses only where nothing else is asked."""
    tea, coffee = home.store("green tea"), home.store("black coffee", importance=0.9)
    assert home.found(query=" ", query_variants=["tea"]) == [tea]
    assert home.found(query="") == [coffee, tea]
    assert home.told()["strategy"] == "browse"


def test_each_wording_brings_a_hundred_candidates_and_the_pool_is_then_a_floor(home: Searches) -> None:
    """L8, O7: pages behind the pool are empty, and the exact count stays exact."""
    home.call("memory_store", items=[{"content": f"tea number {number}"} for number in range(105)])
    told = home.told(query="tea", query_variants=["coffee"], limit=100)
    assert (told["candidate_pool"], told["candidate_limit_reached"], told["has_more_in_pool"]) == (100, True, False)
    assert told["per_query_matches"] == {"tea": 105, "coffee": 0}
    behind = home.told(query="tea", query_variants=["coffee"], offset=100)
    assert (behind["reason"], behind["returned"]) == ("offset_beyond_pool", 0)
    alone = home.told(query="tea", offset=100)
    assert (alone["total_matches"], alone["candidate_pool"], alone["returned"], alone["has_more_in_pool"]) == (105, 105, 5, False)


def test_pages_follow_each_other_without_gap_or_repetition(home: Searches) -> None:
    """O7, L8: in a strict search, a fusion and a browse alike."""
    home.call("memory_store", items=[{"content": f"tea {'and ' * (number % 5)}{number}"} for number in range(23)])
    searches: list[dict[str, Any]] = [{"query": "tea"}, {"query": "tea", "query_variants": ["and"]}, {}]
    for asked in searches:
        whole = home.found(**asked, limit=100)
        assert [id for start in range(0, 24, 5) for id in home.found(**asked, limit=5, offset=start)] == whole
        assert len(set(whole)) == 23


def test_reasons_are_told_in_their_order(home: Searches) -> None:
    """O7: an empty scope before missing words, those before a page past the end."""
    assert home.told(query="tea", offset=9)["reason"] == "empty_scope"
    home.store("coffee")
    assert home.told(query="tea", offset=9)["reason"] == "no_lexical_match"
    assert home.told(query="coffee", offset=9)["reason"] == "offset_beyond_pool"
    assert home.told(query="coffee")["reason"] == "matched"


def test_an_embedding_is_one_more_ranking(home: Searches) -> None:
    """L2, L5, L8: the nearest join the wordings, and a row says how near it is; without words they stand alone."""
    near, worded = home.store("rust", embedding=[1, 0]), home.store("tea", embedding=[-1, 0])
    answer = home.search(query="tea", query_embedding=[2, 0])
    assert {row["id"] for row in answer["memories"]} == {near, worded}
    assert answer["retrieval"]["vector_candidates"] == 1
    assert [row["vector_similarity"] for row in answer["memories"] if row["id"] == near] == [1.0]
    assert home.found(query_embedding=[2, 0]) == [near]


# ── the relaxed pass ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_fragments_are_dropped_as_absent_as_too_common_or_by_the_cap() -> None:
    """L9: three and half of the scope is too common; of equal frequencies the caller's order decides."""
    fragments = [Fragment(f"f{number}", f"f{number}") for number in range(16)]
    frequencies = {each.word: 2 for each in fragments} | {"f0": 0, "f1": 3, "f2": 2, "f15": 1}
    screened = screen(fragments, frequencies, active=6)
    assert [each.text for each in screened.unmatched] == ["f0"]
    assert [each.text for each in screened.generic] == ["f1"]
    assert [each.text for each in screened.kept] == ["f15", *(f"f{number}" for number in range(2, 13))]
    assert [each.text for each in screened.beyond_cap] == ["f13", "f14"]
    assert (screened.required, screened.generated) == (2, 16)
    assert [each.text for each in screen(fragments[1:2], {"f1": 3}, active=7).kept] == ["f1"]


def test_a_search_that_finds_nothing_is_widened_only_where_that_is_asked_for(home: Searches) -> None:
    """L9, O7: strict stays strict; auto widens once, on the first page, marks its hits and tells everything."""
    best = home.store("alpha beta gamma")
    home.store("alpha alone")
    home.store("something else")
    asked: dict[str, Any] = {"query": "alpha beta nowhere", "query_variants": ["gamma never"]}
    strict = home.search(**asked)
    assert (strict["memories"], "fallback" in strict["retrieval"]) == ([], False)
    answer = home.search(**asked, search_mode="auto")
    (row,) = answer["memories"]
    assert (row["id"], row["match_quality"], row["confidence"]) == (best, "relaxed", 0.6)
    assert row["matched_fragments"] == ["beta", "gamma", "alpha"]
    told = answer["retrieval"]
    assert (told["strategy"], told["reason"], told["candidate_pool"]) == ("relaxed", "relaxed_match", 1)
    assert {name: value for name, value in told["fallback"].items() if name not in ("method", "notice")} == {
        "attempted": True,
        "applied": True,
        "trigger_reason": "no_lexical_match",
        "fragments_generated": 5,
        "fragments": ["beta", "gamma", "alpha"],
        "dropped_generic_fragments": [],
        "dropped_unmatched_fragments": ["nowhere", "never"],
        "dropped_by_cap_fragments": [],
        "coverage_required": 2,
        "recalled_candidates": 2,
        "surviving_pool": 1,
        "candidates_rejected": 1,
        "candidate_limit_reached": False,
        "uninspected_candidates_possible": False,
    }


def test_a_page_past_the_end_never_widens(home: Searches) -> None:
    """L9: nor does a search that has matches, an empty scope, or a browse."""
    home.store("alpha beta")
    untried = {"attempted": False, "applied": False}
    assert home.told(query="alpha nowhere", offset=1, search_mode="auto")["fallback"] == untried
    assert home.told(query="alpha", search_mode="auto")["fallback"] == untried
    assert home.told(search_mode="auto")["fallback"] == untried
    assert home.told(query="alpha nowhere", search_mode="auto", type="decision")["fallback"] == untried


def test_what_a_relaxed_pass_has_behind_its_page_is_reached_by_a_limit_and_the_answer_says_so(home: Searches) -> None:
    """L9, O7: no relaxed pass is made once a page was passed over, so whoever is told of more must not turn to an offset."""
    for place in range(9):
        home.store(f"tokio timer {place}" if place < 3 else f"port {place}")
    asked: dict[str, Any] = {"query": "tokio timer absent", "search_mode": "auto"}
    told = home.told(**asked, limit=2)
    assert (told["candidate_pool"], told["returned"], told["has_more_in_pool"]) == (3, 2, True)
    assert "higher limit" in told["note"]
    whole, behind = home.told(**asked, limit=3), home.told(**asked, limit=2, offset=2)
    assert (whole["returned"], whole["has_more_in_pool"], "note" in whole) == (3, False, False)
    assert (behind["reason"], behind["fallback"]["attempted"]) == ("no_lexical_match", False)
    assert "offset 0 alone" in behind["note"]
    assert "offset 0" not in home.told(query="tokio timer absent", offset=2)["note"], "strict makes none anyway"


def test_a_relaxed_pass_may_find_nothing_too(home: Searches) -> None:
    """L9, O7: then it stays what the strict search made of it; one fragment alone is the weakest tier."""
    for number in range(3):
        home.store(f"alpha {number}")
    none = home.search(query="alpha nowhere", search_mode="auto")
    assert (none["memories"], none["retrieval"]["reason"], none["retrieval"]["strategy"]) == ([], "no_lexical_match", "strict")
    assert none["retrieval"]["fallback"]["dropped_generic_fragments"] == ["alpha"]
    weakest = home.told(query="2 nowhere", search_mode="auto")["fallback"]
    assert (weakest["applied"], weakest["coverage_required"]) == (True, 1)


def test_the_relaxed_pass_looks_at_fifty_candidates_the_best_covered_first(home: Searches) -> None:
    """L9: past the cap the pool is a floor, unless one of those looked at covered too little already."""
    home.call("memory_store", items=[{"content": f"alpha n{number}"} for number in range(60)])
    home.call("memory_store", items=[{"content": f"other n{number}"} for number in range(100, 170)])
    told = home.told(query="alpha nowhere", search_mode="auto")
    assert (told["candidate_pool"], told["candidate_limit_reached"]) == (50, True)
    assert told["fallback"]["uninspected_candidates_possible"]
    mixed = home.told(query="alpha n7 nowhere", search_mode="auto")
    assert (mixed["candidate_pool"], mixed["fallback"]["candidates_rejected"]) == (1, 49)
    assert not mixed["fallback"]["uninspected_candidates_possible"]


# ── rows and destinations ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_row_is_data_and_bears_what_is_known_of_it(home: Searches) -> None:
    """O7, case K1: label and framing on every row; what does not apply is absent."""
    home.store(
        "tea is green", headline="Tea", tags=["drink"], type="preference", project_id="nott", valid_to="2027-01-01T00:00:00Z"
    )
    (row,) = home.search(scope="project", scope_id="nott")["memories"]
    assert (row["label"], row["framing"], row["title"]) == ("ADVISORY_NOT_AUTHORITY", "DATA", "Tea")
    assert (row["scope"], row["scope_id"], row["type"], row["tags"]) == ("project", "nott", "preference", ["drink"])
    assert (row["valid_to"], row["revision"], row["source"], row["instruction_taint"]) == (
        "2027-01-01T00:00:00Z",
        1,
        "unstated",
        False,
    )
    assert "supersedes" not in row


def test_wordings_that_found_nothing_teach_vocabulary(home: Searches) -> None:
    """T8: each is a term that was looked for; one hit of any, and none is noted."""
    home.store("green tea")
    home.search(query="black coffee", query_variants=["espresso"])
    home.search(query="tea", query_variants=["lemonade"])
    assert {each["term"] for each in home.call("memory_misses")["misses"]} == {"black coffee", "espresso"}


def test_several_destinations_answer_as_one() -> None:
    """D2, D4, O7: counts are summed, pages follow each other, equal contents are one, and who was searched is named."""
    house = Searches(HOUSE)
    for name in ("home", "notes"):
        house.call("memory_store", items=[{"content": f"tea {name} {number}"} for number in range(15)], destination=name)
        house.call("memory_store", content="tea everywhere", destination=name)
    whole = house.search(query="tea", search_scope="home,notes", limit=100)
    told = whole["retrieval"]
    assert (told["scoped_active"], told["total_matches"], told["candidate_pool"]) == (32, 32, 31)
    assert [each["destination"] for each in whole["searched"]] == ["home", "notes"]
    ids = [row["id"] for row in whole["memories"]]
    pages = [house.search(query="tea", search_scope="home,notes", limit=7, offset=start) for start in range(0, 35, 7)]
    assert [row["id"] for page in pages for row in page["memories"]] == ids
    assert [page["retrieval"]["has_more_in_pool"] for page in pages] == [True, True, True, True, False]
    assert len(ids) == 31


def test_a_pool_that_is_relaxed_in_one_destination_alone_has_no_total_of_matches() -> None:
    """O7, L9: no wording matched anywhere; a total of 0 beside a candidate would say that the pool is wrong."""
    house = Searches(Catalogue(profiles=(Profile(name="here"), Profile(name="there")), default="here"))
    house.store("tokio timer wheel", destination="there")
    house.store("nothing of it", destination="here")
    told = house.told(query="tokio timer absent", search_mode="auto", search_scope="all")
    assert (told["reason"], told["candidate_pool"]) == ("relaxed_match", 1)
    assert "total_matches" not in told


def test_one_destination_with_matches_keeps_the_others_strict() -> None:
    """L9, D2: the pool is that of all destinations, and it is not empty."""
    house = Searches(HOUSE)
    house.store("alpha beta", destination="home")
    house.store("alpha gamma", destination="notes")
    answer = house.search(query="alpha beta", search_mode="auto", search_scope="all")
    assert [row["destination"] for row in answer["memories"]] == ["home"]
    assert (answer["retrieval"]["strategy"], answer["retrieval"]["fallback"]["attempted"]) == ("strict", False)


def test_a_relaxed_pass_that_another_destination_makes_needless_hides_no_total() -> None:
    """O7, L9, D2: the answer is strict, and its total is known: where a pass was made, no wording matched."""
    for beside in ("nothing of it", "alpha gamma"):
        house = Searches(HOUSE)
        house.store("alpha beta", destination="home")
        house.store(beside, destination="notes")
        told = house.told(query="alpha beta", search_mode="auto", search_scope="home,notes")
        assert (told["strategy"], told.get("total_matches"), told["candidate_pool"]) == ("strict", 1, 1), beside


def test_a_destination_of_another_dimension_is_searched_by_words_and_named() -> None:
    """D5: its vector lane is left out, and said so."""
    house = Searches(HOUSE)
    house.store("tea one", destination="home", embedding=[1, 0])
    house.store("tea two", destination="notes", embedding=[1, 0, 0])
    answer = house.search(query="tea", query_embedding=[1, 0], search_scope="home,notes")
    assert {row["destination"] for row in answer["memories"]} == {"home", "notes"}
    assert [each.get("skipped") for each in answer["searched"]] == [None, "vector"]


def test_a_project_beside_the_global_is_searched_where_the_project_belongs() -> None:
    """D1, F10: the scope that names a project routes, whatever may come with it."""
    catalogue = Catalogue(
        profiles=(Profile(name="home"), Profile(name="notes", rules=(Rule(subtrees=frozenset({"notes"})),))), default="home"
    )
    house = Searches(catalogue)
    own = house.store("tea", project_id="notes/x")
    answer = house.search(query="tea", scope="project", scope_id="notes/x")
    assert [row["id"] for row in answer["memories"]] == [own]
    assert [each["destination"] for each in answer["searched"]] == ["notes"]
