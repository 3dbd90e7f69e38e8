"""What `memory_search` must answer: the page, every count, and the account of the relaxed pass (L8, L9, O7)."""

from collections.abc import Iterator, Mapping
from typing import Any

from support.dialect_oracle import Arguments, Reading
from support.search_oracle import Found, SearchOracle

Answer = Mapping[str, Any]


def searched(reading: Reading, arguments: Arguments, answer: Answer) -> Iterator[str]:
    """Judge `memory_search`."""
    found = SearchOracle(reading).found(arguments["selection"], arguments.get("query_embedding"))
    rows, told = answer["memories"], answer["retrieval"]
    numbers = [int(row["id"].removeprefix("cap-")) for row in rows]
    if numbers != found.numbers:
        yield f"expected {found.numbers}"
    yield from _differing(told, found.retrieval)
    yield from _fallback(told, found)
    for number, row in zip(numbers, rows, strict=True):
        capsule, text = reading.of(number)
        if (row["content"], row["confidence"]) != (text.content, capsule.confidence):
            yield f"{row['id']} is shown as something else"
        if row.get("match_quality") != (found.quality if found.numbers else None):
            yield f"{row['id']} does not say how it matched"


def _differing(told: Answer, expected: Answer) -> Iterator[str]:
    for name, value in expected.items():
        if told.get(name) != value:
            yield f"{name} is {told.get(name)}, not {value}"


def _fallback(told: Answer, found: Found) -> Iterator[str]:
    if told["search_mode"] == "strict":
        if "fallback" in told:
            yield "a strict search tells of a fallback"
        return
    tried = found.quality == "relaxed"
    if told["fallback"]["attempted"] is not tried:
        yield f"the relaxed pass was {'not ' if tried else ''}tried"
        return
    yield from _differing(told["fallback"], found.fallback)
