"""The taint scan: text that is shaped like an instruction to its reader (W2). Owned by the writing use cases."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaintPolicy:
    """Which shapes are looked for (by name) and which of them quarantine at once."""

    scanned: frozenset[str]
    quarantining: frozenset[str]
