"""How much a store takes of each thing, whichever way it comes: from a caller, or from a file that is imported (W14).

A session label has no limit at all (F2).
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
DIMENSION = 4_096
"""Components of an embedding."""
MODEL = 200
"""Characters of the name of an embedding's model."""
VALUE = 1_000.0
"""The largest accrued value."""
