"""The rows of tokens: what tool lists and typical answers cost a model, as a client gets them over stdio."""

from __future__ import annotations

from collections.abc import Iterator

from benchmark.dialect_corpus import questions
from benchmark.dialect_requests import Question, counted_requests
from benchmark.dialect_store import fill, nobody
from benchmark.measuring import Row, Times, say
from benchmark.rows import SEED, Bench
from benchmark.tokens import Cost, a_hit, cost_of, list_cost, spread
from recordance_adapters.wire.catalogue import ALL, DEFAULT_SETS, tools_of
from recordance_adapters.wire.tool import ToolSet
from stdio_client import StdioServer

MOST_ROUNDS = 50
"""Lengths differ little from question to question."""
GOAL = "< 4,000"


def token_rows(bench: Bench, _: Times) -> Iterator[Row]:
    """Yield every row; no time is measured."""
    say(f"{bench.shown}, tokens: storing")
    fill(bench, nobody)
    say(f"{bench.shown}, tokens: counting")
    with bench.server() as server:
        yield _listed("the default tool list", server.request("tools/list", {})["tools"], GOAL)
    with bench.server("--tools", ALL) as server:
        tools = server.request("tools/list", {})["tools"]
        yield _listed("all tools", tools)
        for tool_set in ToolSet:
            names = {tool.name for tool in tools_of([tool_set.value])}
            shown = "the default" if tool_set.value in DEFAULT_SETS else "not in the default list"
            yield _listed(f"tool set {tool_set.value} ({shown})", [tool for tool in tools if tool["name"] in names])
        yield from _answers(bench, server)


def _listed(what: str, tools: list[dict[str, object]], goal: str = "") -> Row:
    whole, shown = list_cost(tools)
    beside = f"{len(tools)} {'tool' if len(tools) == 1 else 'tools'}; names, descriptions and input schemas alone {shown:,}"
    return Row(what, "–", f"{whole:,} tokens", goal, beside)


def _answers(bench: Bench, server: StdioServer) -> Iterator[Row]:
    costs: dict[str, list[Cost]] = {}
    for place, question in enumerate(questions(min(bench.recalls, MOST_ROUNDS), bench.size, SEED), start=1):
        for name, cost in _counted(server, question, f"cap-{place}"):
            costs.setdefault(name, []).append(cost)
    for name, each in costs.items():
        text, structured = spread(cost.text for cost in each), spread(cost.structured for cost in each)
        beside = [f"structured content {structured}" if text != structured else "structured content the same", a_hit(each)]
        yield Row(name, bench.shown, f"text {text} tokens", "", ", ".join(filter(None, beside)))


def _counted(server: StdioServer, question: Question, capsule: str) -> Iterator[tuple[str, Cost]]:
    for request in counted_requests(question, capsule):
        result = server.request("tools/call", {"name": request.tool, "arguments": request.arguments})
        yield request.name, cost_of(result, request.shows)
