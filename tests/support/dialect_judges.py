"""What each dialect must answer, by its oracle: says what is wrong with an answer, or nothing."""

from collections.abc import Mapping
from typing import Any

from recordance.ranking.trimming import compact_json
from recordance_adapters.driven.in_memory.anchors import MemoryAnchors
from recordance_adapters.wire.tools.retrieve import recall_request
from support.dialect_oracle import Arguments, Reading
from support.dialect_trials import Judge
from support.oracle import Oracle, Refused

INVALID, MISSING = -32602, -32002
Answer = Mapping[str, Any]


def retrieved(reading: Reading, arguments: Arguments, answer: Answer) -> str:
    """Judge `memory_retrieve`, whole."""
    oracle = Oracle(world=reading.world, now=reading.now, probe=MemoryAnchors({}).read)
    try:
        expected = compact_json(dict(oracle.expected(reading.caller, recall_request(arguments)).answer))
    except Refused as refused:
        code = INVALID if refused.kind is None else MISSING
        return "" if answer.get("error", [None])[0] == code else f"expected the refusal {code}"
    return "" if compact_json(dict(answer)) == expected else f"expected {expected}"


JUDGES: Mapping[str, Judge] = {"memory_retrieve": retrieved}
