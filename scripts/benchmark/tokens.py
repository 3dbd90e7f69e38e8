"""What an answer or a tool list costs a model that reads it. Pure; standard library only.

A token is four characters of compact JSON or of text, which is how memory_retrieve's budget counts: no model's measure, but
the same for all.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

CHARACTERS = 4
"""Characters a token."""
MODEL_SEES = ("name", "description", "inputSchema")
"""What hosts hand on to a model of a listed tool; the rest is for themselves."""


class Cost(NamedTuple):
    """Tokens of one answer: of the text block, of the structured content, and how many hits it shows."""

    text: int
    structured: int
    hits: int


def tokens(text: str) -> int:
    """Return the tokens of a text, a part of one counted whole."""
    return math.ceil(len(text) / CHARACTERS)


def tokens_of(value: Any) -> int:
    """Return the tokens of a value as compact JSON."""
    return tokens(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def cost_of(result: Mapping[str, Any], shows: str) -> Cost:
    """Return what the result of a tool call costs; `shows` is the key of the list of hits in its object."""
    answer = result["structuredContent"]
    text = sum(tokens(block["text"]) for block in result["content"])
    return Cost(text, tokens_of(answer), len(answer.get(shows, ())))


def list_cost(tools: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Return the tokens of a tool list whole, and of what of it a model is shown."""
    shown = [{key: tool[key] for key in MODEL_SEES} for tool in tools]
    return tokens_of(list(tools)), tokens_of(shown)


def spread(values: Iterable[int]) -> str:
    """Return the median and the 95th percentile of some tokens as the table shows them."""
    ordered = sorted(values)
    middle, high = statistics.median_low(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return f"{middle:,} / {high:,}"


def a_hit(costs: Iterable[Cost]) -> str:
    """Return the hits of a typical answer, with the tokens of the text that come to one; empty where none shows any."""
    found = [cost for cost in costs if cost.hits]
    if not found:
        return ""
    hits = statistics.median_low([cost.hits for cost in found])
    return f"{hits} {'row' if hits == 1 else 'rows'}, {statistics.median(cost.text / cost.hits for cost in found):.0f} a row"
