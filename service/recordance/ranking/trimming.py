"""How much of a ranking is shown: few results, guarded by a token budget with a floor of one (O3)."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from recordance.errors import Json

CHARACTERS_PER_TOKEN = 4
SMALLEST_ENVELOPE_TOKENS = 90
"""No evidence envelope is smaller; it bounds how many can fit a budget before any is built."""


@dataclass(frozen=True, slots=True)
class Trimmed:
    """What is shown, and whether the budget (not the end of the list) stopped it."""

    shown: tuple[Mapping[str, Json], ...]
    budget_ended: bool


def compact_json(value: Json) -> str:
    """Return `value` as JSON without white space, characters as themselves; the form whose size is counted and sent."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def token_size(result: Mapping[str, Json]) -> int:
    """Return ceil(characters ÷ 4) of the result's compact JSON (O3)."""
    return -(-len(compact_json(result)) // CHARACTERS_PER_TOKEN)


def trim(results: Iterable[Mapping[str, Json]], token_budget: int) -> Trimmed:
    """Return the longest beginning of `results` within the budget; above zero the first is always shown (O3).

    No more of them is read than that takes.
    """
    spent, shown = 0, list[Mapping[str, Json]]()
    for result in results:
        spent += token_size(result)
        if spent > token_budget and (shown or token_budget == 0):
            return Trimmed(tuple(shown), budget_ended=True)
        shown.append(result)
    return Trimmed(tuple(shown), budget_ended=False)


def most_that_fit(token_budget: int) -> int:
    """Return a count that no list within the budget can pass."""
    return 0 if token_budget == 0 else token_budget // SMALLEST_ENVELOPE_TOKENS + 1
