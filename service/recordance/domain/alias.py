"""Aliases and the miss ledger: how a store learns the words of those who ask it."""

from dataclasses import dataclass
from enum import StrEnum

from recordance.domain.instant import Instant


@dataclass(frozen=True, slots=True)
class Alias:
    """`term` also means `text` (T7): directed, one step, keyed by the whole folded term.

    `term_key` and `alias_key` are the folded words joined by one space; `term` and `text` are as they were taught.
    """

    term_key: str
    alias_key: str
    term: str
    text: str
    at: Instant


class MissOutcome(StrEnum):
    """How the term lane ended for a term in the miss ledger (T8)."""

    MISSING_EVIDENCE = "missing_evidence"
    ABSTAIN = "abstain"


@dataclass(frozen=True, slots=True)
class Miss:
    """What was asked for and not found: a folded term, how it ended, how often, last when (T8).

    `fence` is the caller's own project fence ("" without one): a fenced caller reads only what was missed under it (F13).
    """

    term_key: str
    outcome: MissOutcome
    fence: str
    count: int
    last_at: Instant
