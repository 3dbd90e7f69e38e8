"""Aliases: taught, listed and taken back."""

import pytest

from recordance.domain.caller import Caller
from recordance.errors import InvalidArgument, MissingState, StateKind
from recordance.query.request import RecallRequest
from recordance.query.terms import read_terms
from recordance.usecases.recall import recall
from recordance.usecases.teach import MAX_ALIASES, forget_alias, list_aliases, teach_alias, teach_aliases
from support.stores import ANN, bench

FENCED = Caller(actor="fay", projects=frozenset({"nott"}))


def test_an_alias_is_taught_once_and_grounds_the_next_recall() -> None:
    """T7: a hit by alias grounds and is shown as such."""
    store = bench()
    store.learn("設備清單 in the cellar")
    answer = teach_aliases(store.destinations, ANN, None, [("設備", "設備清單")])
    assert answer == {
        "results": [{"status": "taught", "term": "設備", "alias": "設備清單"}],
        "taught": 1,
        "already": 0,
        "rejected": 0,
    }
    found = recall(store.destinations, ANN, None, RecallRequest(terms=read_terms(["設備"])))
    assert found["results"][0]["matched_terms"] == ["alias:設備清單"]


def test_the_same_pair_in_any_spelling_is_known_already() -> None:
    """T7: keyed by the folded term; idempotent, also within one batch."""
    store = bench()
    teach_aliases(store.destinations, ANN, None, [("K8s", "Kubernetes cluster")])
    rows = len(store.journal())
    answer = teach_aliases(
        store.destinations, ANN, None, [("k8S", "kubernetes  CLUSTER"), ("db", "Database"), ("DB", "database")]
    )
    assert [result["status"] for result in answer["results"]] == ["already", "taught", "already"]
    assert (answer["taught"], answer["already"]) == (1, 2)
    assert len(store.journal()) == rows + 1


def test_an_alias_goes_one_way() -> None:
    """T7: directed; the other way round is another lesson."""
    store = bench()
    teach_aliases(store.destinations, ANN, None, [("db", "database")])
    assert teach_aliases(store.destinations, ANN, None, [("database", "db")])["taught"] == 1


@pytest.mark.parametrize(
    ("pair", "field"),
    [
        (("", "a"), "term"),
        (("a", "!?"), "alias"),
        (("Café", "cafe"), "alias"),
        (("a\0", "b"), "term"),
        (("a", "\ud800"), "alias"),
    ],
)
def test_a_single_pair_that_teaches_nothing_is_refused(pair: tuple[str, str], field: str) -> None:
    """T7, W14: both sides must fold to words, and to different ones."""
    with pytest.raises(InvalidArgument) as refused:
        teach_alias(bench().destinations, ANN, None, *pair)
    assert refused.value.field == field


def test_a_single_pair_is_answered_as_a_batch_of_one() -> None:
    """T7: one shape for whoever reads the answer."""
    one, batch = bench(), bench()
    expected = teach_aliases(batch.destinations, ANN, None, [("db", "database")])
    assert teach_alias(one.destinations, ANN, None, "db", "database") == expected
    assert one.journal() == batch.journal()


def test_a_batch_of_one_bad_pair_is_an_answer_with_one_rejection() -> None:
    """T7: a batch never raises for an item, and names it by its place even if it is alone."""
    answer = teach_aliases(bench().destinations, ANN, None, [("!", "x")])
    assert (answer["rejected"], answer["taught"]) == (1, 0)
    assert answer["results"][0]["error"].startswith("items[0].term: ")


def test_among_several_a_bad_pair_is_rejected_alone() -> None:
    """T7: as with capsules, one bad item never blocks its siblings."""
    answer = teach_aliases(bench().destinations, ANN, None, [("db", "database"), ("!", "x"), ("ci", "pipeline")])
    assert [result["status"] for result in answer["results"]] == ["taught", "rejected", "taught"]
    assert answer["results"][1]["error"].startswith("items[1].term: ")


def test_aliases_are_listed_as_they_were_taught_and_taken_back_in_any_spelling() -> None:
    """T7: aliases are listed and removed too."""
    store = bench()
    teach_aliases(store.destinations, ANN, None, [("DB", "Database"), ("ci", "pipeline"), ("db", "Postgres")])
    listed = list_aliases(store.destinations, ANN, None)
    assert [(each["term"], each["alias"]) for each in listed["aliases"]] == [
        ("ci", "pipeline"),
        ("DB", "Database"),
        ("db", "Postgres"),
    ]
    assert listed["total"] == 3
    assert listed["aliases"][0]["at"] == "2026-03-01T12:00:00Z"
    gone = forget_alias(store.destinations, ANN, None, "dB", "DATABASE")
    assert gone == {"status": "removed", "term": "DB", "alias": "Database"}
    assert list_aliases(store.destinations, ANN, None)["total"] == 2


def test_an_alias_that_was_taken_back_can_be_taught_again() -> None:
    """T7, W12: everything but forget can be undone."""
    store = bench()
    teach_aliases(store.destinations, ANN, None, [("db", "database")])
    forget_alias(store.destinations, ANN, None, "db", "database")
    assert teach_aliases(store.destinations, ANN, None, [("db", "database")])["taught"] == 1


def test_taking_back_what_is_not_taught_is_refused_with_what_is() -> None:
    """T7: a mistyped alias must not look like a success."""
    store = bench()
    teach_aliases(store.destinations, ANN, None, [("db", "database")])
    with pytest.raises(MissingState, match="'database'") as refused:
        forget_alias(store.destinations, ANN, None, "db", "datbase")
    assert refused.value.kind is StateKind.UNKNOWN_ALIAS
    with pytest.raises(MissingState, match="nothing is taught"):
        forget_alias(store.destinations, ANN, None, "ci", "pipeline")


def test_a_fenced_caller_may_teach_but_neither_lists_nor_takes_back_what_others_taught() -> None:
    """F13: aliases belong to the whole destination, and their words may come from anywhere in it."""
    store = bench()
    teach_aliases(store.destinations, ANN, None, [("falcon", "project redwood")])
    assert teach_aliases(store.destinations, FENCED, None, [("db", "database")])["taught"] == 1
    with pytest.raises(MissingState) as refused:
        list_aliases(store.destinations, FENCED, None)
    assert refused.value.kind is StateKind.NOT_PERMITTED
    with pytest.raises(MissingState) as refused:
        forget_alias(store.destinations, FENCED, None, "falcon", "x")
    assert "redwood" not in str(refused.value)


def test_a_term_has_room_for_so_many_aliases_and_teaches_what_to_do_beyond() -> None:
    """T7: every alias is looked for at every recall of its term, so thousands of them would make it slow for everybody."""
    store = bench()
    pairs = [("db", f"database {number}") for number in range(MAX_ALIASES + 1)]
    answer = teach_aliases(store.destinations, ANN, None, [("ci", "pipeline"), *pairs, pairs[0], ("ci", "build")])
    assert (answer["taught"], answer["already"], answer["rejected"]) == (MAX_ALIASES + 2, 1, 1)
    error = answer["results"][MAX_ALIASES + 1]["error"]
    assert error.startswith(f"items[{MAX_ALIASES + 1}].alias: got 'database {MAX_ALIASES}'")
    assert f"{MAX_ALIASES} aliases" in error
    assert list_aliases(store.destinations, ANN, None)["total"] == MAX_ALIASES + 2


def test_a_full_term_refuses_a_single_pair_until_another_is_taken_back() -> None:
    """T7: nothing is written by a refusal, what is known stays known, and the step that it names leads on."""
    store = bench()
    teach_aliases(store.destinations, ANN, None, [("db", f"database {number}") for number in range(MAX_ALIASES)])
    rows = len(store.journal())
    with pytest.raises(InvalidArgument) as refused:
        teach_alias(store.destinations, ANN, None, "DB", "postgres")
    assert refused.value.field == "alias"
    assert teach_alias(store.destinations, ANN, None, "db", "database 3")["already"] == 1
    assert len(store.journal()) == rows
    forget_alias(store.destinations, ANN, None, "db", "database 0")
    assert teach_alias(store.destinations, ANN, None, "db", "postgres")["taught"] == 1
