"""The miss ledger as its readers see it."""

from dataclasses import replace

from recordance.domain.caller import Caller
from recordance.query.request import RecallRequest
from recordance.query.terms import read_terms
from recordance.usecases.misses import clear_misses, list_misses
from recordance.usecases.recall import recall
from support.stores import ANN, Bench, bench

FENCED = Caller(actor="fay", projects=frozenset({"nott"}))
ELSEWHERE = replace(FENCED, projects=frozenset({"b", "a"}))


def ask(store: Bench, caller: Caller, *terms: str) -> None:
    recall(store.destinations, caller, None, RecallRequest(terms=read_terms(terms)))


def test_the_most_asked_comes_first_with_how_it_ended_and_when() -> None:
    """T8: what is asked for and never found, how often, last when."""
    store = bench()
    store.learn("tokio")
    ask(store, ANN, "Serde")
    store.clock.advance(1_000_000)
    ask(store, ANN, "serde", "Café")
    ask(store, ANN, "tokio")
    assert list_misses(store.destinations, ANN, None, 10) == {
        "misses": [
            {"term": "serde", "outcome": "abstain", "count": 2, "last_at": "2026-03-01T12:00:01Z"},
            {"term": "cafe", "outcome": "abstain", "count": 1, "last_at": "2026-03-01T12:00:01Z"},
        ]
    }
    assert len(list_misses(store.destinations, ANN, None, 1)["misses"]) == 1


def test_a_fenced_caller_reads_only_what_was_missed_under_the_same_fence() -> None:
    """T8, F13: what others look for tells what they work on."""
    store = bench()
    ask(store, ANN, "merger")
    ask(store, ELSEWHERE, "falcon")
    ask(store, FENCED, "serde")
    assert [row["term"] for row in list_misses(store.destinations, FENCED, None, 10)["misses"]] == ["serde"]
    rows = {row["term"]: row.get("projects") for row in list_misses(store.destinations, ANN, None, 10)["misses"]}
    assert rows == {"merger": None, "falcon": ["a", "b"], "serde": ["nott"]}


def test_a_fenced_caller_clears_only_what_was_missed_under_the_same_fence() -> None:
    """T8, F13: cleared, and no more than one may see."""
    store = bench()
    ask(store, ANN, "merger")
    ask(store, FENCED, "serde", "tokio")
    assert clear_misses(store.destinations, FENCED, None) == {"cleared": 2}
    assert [row["term"] for row in list_misses(store.destinations, ANN, None, 10)["misses"]] == ["merger"]
    assert clear_misses(store.destinations, ANN, None) == {"cleared": 1}
    assert list_misses(store.destinations, ANN, None, 10) == {"misses": []}


def test_clearing_the_ledger_leaves_no_journal_row() -> None:
    """W12: every write but the miss ledger's is journalled."""
    store = bench()
    ask(store, ANN, "serde")
    clear_misses(store.destinations, ANN, None)
    assert store.journal() == []
