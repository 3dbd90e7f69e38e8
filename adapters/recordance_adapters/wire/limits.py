"""Every limit of what a caller may send, in one place (W14). Each is refused with a lesson; the large ones are published.

Some live in the core, where every caller needs them: `MAX_TERMS` and `MAX_TERM_CHARACTERS` in `recordance.query.terms`,
`MAX_LIST_LIMIT` in `recordance.usecases.read`, `MAX_ALIASES` of a term in `recordance.usecases.teach`, and in
`recordance.domain.limits` what an import is held to as well: those are given on from here. A session label has no limit (F2).
"""

from recordance.domain.limits import (
    ANCHOR,
    ANCHORS,
    CONTENT,
    HEADLINE,
    LABEL,
    MARK,
    MARKS,
    MODEL,
    NOTE,
    PAIR_DEPTH,
    PAIR_NAME,
    PAIR_VALUE,
    PAIRS,
    SIGNATURE,
    VALUE,
)

__all__ = [
    "ALIASES",
    "ANCHOR",
    "ANCHORS",
    "CONTENT",
    "COUNT",
    "DEFAULT_MISSES",
    "HEADLINE",
    "IDEMPOTENCY_KEY",
    "IDS",
    "ITEMS",
    "LABEL",
    "MARK",
    "MARKS",
    "MISSES",
    "MODEL",
    "NOTE",
    "PAIRS",
    "PAIR_DEPTH",
    "PAIR_NAME",
    "PAIR_VALUE",
    "RECEIPT",
    "SIGNATURE",
    "SUPERSEDED",
    "VALUE",
    "VECTORS",
    "VECTOR_K",
]

SUPERSEDED = 50
"""Capsules that one capsule may supersede by id."""
ITEMS = 1_000
"""Capsules in one batch."""
ALIASES = 1_000
"""Aliases in one batch."""
VECTORS = 1_000
"""Embeddings in one batch."""
VECTOR_K = 1_000
"""How many of the nearest a recall may consider."""
IDEMPOTENCY_KEY = 200
"""Characters of an idempotency key."""
IDS = 100
"""Capsules read by one `memory_get`."""
RECEIPT = 100_000
"""Characters of a recall receipt; it grows with what was shown."""
MISSES = 500
"""Rows of the miss ledger read at once."""
DEFAULT_MISSES = 50
"""Rows of the miss ledger when the caller names no limit."""
COUNT = 1_000_000_000
"""The largest whole number that a limit, an offset or a token budget takes."""
