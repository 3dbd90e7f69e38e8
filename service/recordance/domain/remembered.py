"""How the items of a batch end: captured, deduplicated or rejected (W1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recordance.domain.capsule import Capsule
from recordance.domain.change import ChangeSet
from recordance.domain.similarity import Similar
from recordance.errors import Refusal


@dataclass(frozen=True, slots=True)
class Captured:
    """An item that became a capsule, whom it superseded, and what is like it.

    `beside` are those that go on holding its key, because the capsule does not hold now. `wordless` is content in which no recall
    finds a word.
    """

    capsule: Capsule
    superseded: Sequence[int]
    similar: Sequence[Similar]
    beside: Sequence[int]
    wordless: bool


@dataclass(frozen=True, slots=True)
class Deduplicated:
    """An item whose content the store had: the capsule that has it, and whom that supersedes now.

    `unheld_key` is the item's key when the capsule, which may ground, does not bear it; `beside` and `wordless` are as of what is
    captured. `differs` names the fields whose given values the capsule does not bear. `live` is the living end of a chain of
    several capsules that superseded it.
    """

    capsule: Capsule
    superseded: Sequence[int]
    unheld_key: str | None
    beside: Sequence[int]
    differs: Sequence[str]
    wordless: bool
    live: int | None


@dataclass(frozen=True, slots=True)
class Rejected:
    """An item that was not stored, with its lesson."""

    refusal: Refusal


Result = Captured | Deduplicated | Rejected


@dataclass(frozen=True, slots=True)
class Decision:
    """What a batch changes, how each item ended, and the capsules that the results speak of."""

    changes: ChangeSet
    results: tuple[Result, ...]
    capsules: Mapping[int, Capsule]
