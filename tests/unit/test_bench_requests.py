"""What `scripts/bench` asks of the dialects and how it counts tokens: a table of calls that are refused would say nothing."""

from collections.abc import Iterator
from typing import Any

import pytest

from recordance_adapters.bootstrap import Service
from recordance_adapters.bootstrap.memory import open_memory_service
from recordance_adapters.reliance_sections import TrustSettings
from recordance_adapters.settings import Settings
from recordance_adapters.wire.catalogue import TOOLS
from recordance_adapters.wire.tool import Call, Effect
from recordance_adapters.wire.tools.store import STORE
from support.script_modules import script_module

requests = script_module("benchmark/dialect_requests.py")
tokens = script_module("benchmark/tokens.py")

QUESTION = requests.Question(["pin", "tokio", "wheel"], ["release train", "timer wheel"], [1.0, 0.0], "service 7")
CONTENT = "we pin tokio because of the timer wheel"
READING = {tool.name: tool for tool in TOOLS if tool.effect is Effect.READS}
ASKED = [*requests.timed_requests(QUESTION), *requests.counted_requests(QUESTION, "cap-1")]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A store with one capsule, of a source that the service trusts."""
    with open_memory_service(Settings(trust=TrustSettings(sources=("wiki",)))) as opened:
        item = {"content": CONTENT, "source": "wiki", "entities": ["service 7"], "embedding": [1.0, 0.5]}
        STORE.handle(Call(destinations=opened.destinations, caller=opened.caller("bench")), item)
        yield opened


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.name)
def test_every_request_of_the_bench_is_served_and_shows_what_it_counts(service: Service, asked: Any) -> None:
    """A parameter that is renamed, or a list that is, must not leave the bench behind."""
    call = Call(destinations=service.destinations, caller=service.caller("bench"))
    answer = READING[asked.tool].handle(call, asked.arguments)
    if asked.shows:
        assert isinstance(answer[asked.shows], list)
    if asked.shows in ("result", "memories", "hits", "capsules") or (asked.shows == "results" and "budget 0" not in asked.name):
        assert len(answer[asked.shows]) == (0 if "token_budget 0" in asked.name else 1)


def test_the_bench_asks_every_tool_that_recalls() -> None:
    """A dialect without a row would be one whose cost nobody knows."""
    assert {each.tool for each in requests.timed_requests(QUESTION)} >= {
        *(tool.name for tool in TOOLS if tool.tool_set in ("search", "recall", "pipeline")),
        "memory_retrieve",
    }
    assert {each.tool for each in requests.counted_requests(QUESTION, "cap-1")} == READING.keys()


def test_the_names_of_rows_differ_and_each_is_compared_with_one_that_is_there() -> None:
    """Times are gathered by name: two rows of one name would be one."""
    timed, counted = list(requests.timed_requests(QUESTION)), list(requests.counted_requests(QUESTION, "cap-1"))
    for asked in (timed, counted):
        assert len({each.name for each in asked}) == len(asked)
    assert {each.beside for each in timed} <= {each.name for each in timed}


def test_a_part_of_a_token_counts_whole() -> None:
    """O3: ceil of characters by four, of compact JSON with its text unescaped."""
    assert [tokens.tokens(text) for text in ("", "abcd", "abcde", "★★★★")] == [0, 1, 2, 1]
    assert tokens.tokens_of({"a": ["★"]}) == tokens.tokens('{"a":["★"]}') == 3


def test_an_answer_costs_its_text_and_its_object_apart() -> None:
    """O10: a host hands on one of the two, and text for people is shorter than the object."""
    result = {"content": [{"type": "text", "text": "12345678"}], "structuredContent": {"results": [{"id": "cap-1"}, {}]}}
    assert tokens.cost_of(result, "results") == (2, tokens.tokens_of(result["structuredContent"]), 2)
    assert tokens.cost_of(result, "").hits == 0


def test_a_list_is_counted_whole_and_as_models_see_it() -> None:
    """Titles, hints and output schemas are for hosts."""
    tool = {"name": "a", "title": "A", "description": "d", "inputSchema": {}, "outputSchema": {}, "annotations": {}}
    shown = {"name": "a", "description": "d", "inputSchema": {}}
    assert tokens.list_cost([tool, tool]) == (tokens.tokens_of([tool, tool]), tokens.tokens_of([shown, shown]))


def test_tokens_are_shown_by_median_and_95th_percentile() -> None:
    """The same columns as times have."""
    assert tokens.spread(range(1, 101)) == "50 / 96"
    assert tokens.spread([1_234]) == "1,234 / 1,234"
    assert (
        tokens.a_hit([tokens.Cost(100, 1, 4), tokens.Cost(30, 1, 1), tokens.Cost(9, 1, 0), tokens.Cost(50, 1, 5)])
        == "4 rows, 25 a row"
    )
    assert tokens.a_hit([tokens.Cost(10, 10, 1)]) == "1 row, 10 a row"
    assert tokens.a_hit([tokens.Cost(10, 10, 0)]) == ""
