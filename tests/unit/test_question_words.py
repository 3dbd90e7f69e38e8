"""A question of more words than are asked is answered by its first ones, and the answer says so (O10, L10)."""

from typing import Any

import pytest

from recordance.query.terms import MAX_QUESTION_WORDS, read_question, words_left_out
from support.houses import House

LONG = " ".join(["tokio", *(f"w{place}" for place in range(299))])
WHY = "in part: of 300 different words the first 256 were asked"


def test_the_first_distinct_words_are_asked() -> None:
    """T1: each once, in order; a question that is short enough loses none."""
    assert [term.key for term in read_question(f"tokio {LONG}")] == LONG.split()[:MAX_QUESTION_WORDS]
    assert words_left_out(LONG) == WHY
    assert words_left_out(" ".join(LONG.split()[:MAX_QUESTION_WORDS])) == ""


@pytest.fixture(scope="module")
def house() -> House:
    """One capsule, which the first word finds."""
    house = House()
    house.store("tokio runtime")
    return house


@pytest.mark.parametrize("tool", ["memory_recall", "memory_search_fast"])
def test_a_long_prompt_is_recalled_with_a_note(house: House, tool: str) -> None:
    """O10: a client sends a whole prompt at each turn and must get capsules, never an error."""
    answer: Any = house.call(tool, query=LONG)
    assert [row["id"] for row in answer["results"]] == ["cap-1"]
    assert answer["skipped"][0] == {"stage": "term", "why": WHY}
    assert all(each["stage"] != "term" for each in house.call(tool, query="tokio")["skipped"])


def test_an_explanation_says_which_words_were_asked(house: House) -> None:
    """L10: beside the stage that they are asked of."""
    answer: Any = house.call("memory_explain_search", query=LONG)
    stages = answer["stages"] if "stages" in answer else answer["searched"][0]["stages"]
    assert WHY in next(each["why"] for each in stages if each["stage"] == "term")


def test_an_accrued_recall_says_which_words_were_asked(house: House) -> None:
    """O10: among what its store skipped."""
    answer: Any = house.call("recall", query=LONG)
    assert answer["store"]["skipped"]["term"] == WHY
