"""Every limit of what a caller may send, in one place (W14). Each is published in the schema and refused with a lesson.

Some live in the core, where every caller needs them: `MAX_TERMS` and `MAX_TERM_CHARACTERS` in `recordance.query.terms`,
`MAX_LIST_LIMIT` in `recordance.usecases.read`. A session label has no limit at all (F2).
"""

CONTENT = 100_000
"""Characters of a capsule's content."""
HEADLINE = 500
"""Characters of a headline that the caller gives."""
NOTE = 2_000
"""Characters of `source`, `proof_hint`, `stale_if`, of a reason and of a note."""
SIGNATURE = 4_000
"""Characters of a signature."""
LABEL = 1_000
"""Characters of a label: project, kind, task key and every other field that is compared character by character."""
ANCHOR = 2_000
"""Characters of an anchor; a quote of twenty lines fits."""
ANCHORS = 20
"""Anchors of one capsule."""
MARK = 100
"""Characters of one tag, topic or entity."""
MARKS = 50
"""Tags, topics or entities of one capsule, each."""
PAIRS = 64
"""Pairs in a capsule's metadata."""
PAIR_NAME = 100
"""Characters of a metadata name."""
PAIR_VALUE = 4_000
"""Characters of one metadata value as canonical JSON text."""
PAIR_DEPTH = 32
"""How deep a metadata value may be nested."""
SUPERSEDED = 50
"""Capsules that one capsule may supersede by id."""
VALUE = 1_000.0
"""The largest accrued value."""
ITEMS = 1_000
"""Capsules in one batch."""
ALIASES = 1_000
"""Aliases in one batch."""
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
