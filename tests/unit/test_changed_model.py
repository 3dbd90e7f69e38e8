"""A model that changed under its name: its vectors fit its space no more, which costs its stage alone (decision 10)."""

from typing import Any

import pytest

from recordance.domain.caller import Caller
from recordance.domain.destination import Catalogue, Profile
from recordance.domain.embedding import Space, vector_of
from recordance.ports.models import Models
from support.houses import House
from support.truths import embedded, placed, write
from support.word_hashing import DIMENSION, WordHashing, hashed

MODEL = "word-hashing"
CHANGED = f"the embedder gives vectors of {DIMENSION} components where those of its space have 2"
ALONE = Caller(actor="ann", destinations=frozenset({"home"}))
"""Sees one destination, so that its answers show no trace of several."""
TOLD_IN_STAGES = ["memory_recall", "memory_search_fast"]


def changed_at_home() -> House:
    """Vectors of the model as it was before in one destination, and as it is now in another."""
    house = House(Catalogue(profiles=(Profile(name="home"), Profile(name="team")), default="home"))
    house.store("tokio at home")
    house.store("tokio of the team", destination="team")
    before, now = vector_of([1.0, 0.0]), hashed("tokio of the team")
    write(house.benches["home"].truth, placed(Space(MODEL, 2, MODEL)), embedded(1, "tokio at home", before, MODEL))
    write(house.benches["team"].truth, placed(Space(MODEL, DIMENSION, MODEL)), embedded(1, "tokio of the team", now, MODEL))
    house.destinations.models = Models(embedder=WordHashing(MODEL))
    return house


def ids(answer: dict[str, Any]) -> list[str]:
    return [row["id"] for row in answer.get("results", answer.get("result", []))]


@pytest.mark.parametrize("tool", TOLD_IN_STAGES)
def test_an_only_destination_answers_by_words_and_says_why(tool: str) -> None:
    """L10, W4: whoever asked sent no vector, and is not told that one is wrong."""
    answer = changed_at_home().call(tool, caller=ALONE, query="tokio")
    assert ids(answer) == ["cap-1"]
    assert answer["skipped"] == [{"stage": "semantic", "why": CHANGED}]


def test_recall_says_it_of_the_answer() -> None:
    """L10, O10: in `store`, beside the rows, as a model that fails is told."""
    answer = changed_at_home().call("recall", caller=ALONE, query="tokio")
    assert ids(answer) == ["cap-1"]
    assert answer["store"]["skipped"] == {"semantic": CHANGED}
    assert answer["store"]["destination"] == "home"


def test_an_explanation_has_the_stage_with_its_reason() -> None:
    """L10: skipped, and not run without a hit."""
    stages = changed_at_home().call("memory_explain_search", caller=ALONE, query="tokio")["stages"]
    (semantic,) = (each for each in stages if each["stage"] == "semantic")
    assert (semantic["state"], semantic["why"]) == ("skipped", CHANGED)


@pytest.mark.parametrize("tool", [*TOLD_IN_STAGES, "recall"])
def test_of_several_the_one_that_it_fits_is_compared_by_meaning(tool: str) -> None:
    """D5: the other one is named with the reason, whether or not any fits."""
    answer = changed_at_home().call(tool, query="tokio", search_scope="all")
    searched = answer["store"]["searched"] if tool == "recall" else answer["searched"]
    assert sorted(ids(answer)) == ["cap-1", "team:cap-1"]
    assert (searched[0]["skipped"], searched[0]["why"]) == ("vector", CHANGED)
    assert "skipped" not in searched[1]
    home = changed_at_home().call(tool, query="tokio", search_scope="home")
    assert ids(home) == ["cap-1"]
