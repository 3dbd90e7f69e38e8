"""Punctuation, operators and odd labels through the whole house, on the real engines and in memory: nothing is syntax."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recordance_adapters.bootstrap import open_memory_service, open_service
from support.golden import Calls, calls_of, fixed_settings

SAYINGS = [
    "don't use agents",
    "pre-edit hooks run before multi-agent reviews; ask-codex does not",
    'run it with "--error-on-warnings" always',
    r"the file is C:\repo\src\main.py here",
    "Cruise / En route a|b some/path/file",
    "title:x AND (y OR NOT z)* ~2 ^3 [a TO b] {c}",
    "100% of `users` pay $5 & more; see #12 @me <now>",
]
QUESTIONS = [
    "don't use agents", "pre-edit", "multi-agent", "ask-codex", '"--error-on-warnings"', r"C:\repo\src\main.py", "some/path/file",
    "Cruise / En route", "a|b", "title:x", "(y OR NOT z)*", "[a TO b]", "{c}", "100%", "`users`", "$5 &", "#12", "<now>",
    "users\0pay", "users\x1b\x07pay",
]  # fmt: skip
LABELS = [
    "0f8fad5b-d9cb-469f-a165-70867728950e", "a-b", "main", "AND", "*", "?", '"quoted"', "it's", "a b", " padded ", "x" * 300,
    "a/b", "Ünï", "U\u0308ni\u0308", "设备", "NOT x", "project_id:a-b", "%", "_", "\\", "line\nbreak",
]  # fmt: skip


@pytest.fixture(params=[open_memory_service, open_service], ids=["memory", "folder"])
def call(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Calls]:
    with request.param(fixed_settings(tmp_path / "store")) as service:
        yield calls_of(service)


def answer(outcome: dict[str, Any]) -> dict[str, Any]:
    assert "answer" in outcome, outcome
    found: dict[str, Any] = outcome["answer"]
    return found


def test_every_question_is_answered_by_what_holds_its_words(call: Calls) -> None:
    """T6, case B1, case B2, case B4, case B6: quotes, hyphens, operators, columns, wildcards and controls find their words."""
    answer(call("memory_store", {"items": [{"content": saying} for saying in SAYINGS]}))
    for question in QUESTIONS:
        found = answer(call("memory_retrieve", {"terms": [question]}))
        assert found["outcome"] == "grounded", question
        assert found["results"][0]["matched_terms"] == [question]
        recalled = answer(call("recall", {"query": question}))["result"]
        assert found["results"][0]["id"] in [row["id"] for row in recalled], question


@pytest.mark.parametrize("field", ["project_id", "session_id"])
def test_a_label_fences_exactly_the_capsules_that_bear_it(call: Calls, field: str) -> None:
    """F1, F2, case B7: a scope value is compared character by character; none is parsed, dropped or taken for another."""
    answer(
        call("memory_store", {"items": [{"content": f"statement {place}", field: label} for place, label in enumerate(LABELS)]})
    )
    for place, label in enumerate(LABELS):
        found = answer(call("memory_retrieve", {"terms": ["statement"], field: label, "token_budget": 100_000}))
        assert [result["headline"] for result in found["results"]] == [f"statement {place}"]
        assert found["scope"] == {field: label}


@pytest.mark.parametrize("term", ["", " ", "...", "''", "\0", "—", "(*)"])
def test_a_question_of_punctuation_alone_is_refused(call: Calls, term: str) -> None:
    """T1, case B9: an empty list would look like an answer."""
    error = call("memory_retrieve", {"terms": [term]})["error"]
    assert (error["code"], error["data"]["field"]) == (-32602, "terms[0]")


def test_options_at_rest_leave_no_trace(call: Calls) -> None:
    """F7, L7, O11: left out, null, false or zero, an option that changes nothing changes no byte."""
    answer(call("memory_store", {"items": [{"content": f"{saying} everywhere"} for saying in SAYINGS]}))
    plain = call("memory_retrieve", {"terms": ["everywhere"]})
    for option in (
        {"include_staged": False}, {"include_staged": True}, {"include_staged": None}, {"weight_blend": 0}, {"weight_blend": 0.0},
        {"corroboration_blend": 0}, {"lane": "auto"}, {"lane": "term"}, {"token_budget": 1_500}, {"limit": None},
    ):  # fmt: skip
        assert call("memory_retrieve", {"terms": ["everywhere"], **option}) == plain, option
