"""Near-duplicates: contents that share at least half of all their distinct words (W1).

Of n words, a near-duplicate shares at least ⌈n/2⌉, since the union has n at least. That bounds what an index must look for,
whatever words are looked for: `probes` leaves out the commonest, which would visit every capsule, and asks for as many of the
others as must still be shared.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

MOST_SIMILAR = 3
"""How many near-duplicates an answer lists."""
MAX_PROBES = 8
"""How many queries one content is worth. A content with more words than they hold is compared by its rarest words alone."""
_KEPT_SHARE = 4
"""A query asks for a quarter of what a near-duplicate shares: enough that few capsules have so much by chance."""
_LEAST_KEPT = 3
"""But for no fewer words than these, if it shares so many."""


@dataclass(frozen=True, slots=True)
class Similar:
    """A near-duplicate: its number, and the share 0.5 to 1 of common words."""

    number: int
    score: float


@dataclass(frozen=True, slots=True)
class Probe:
    """A query for capsules that have at least `least` of `words`."""

    words: tuple[str, ...]
    least: int


@dataclass(frozen=True, slots=True)
class Probes:
    """Queries of which at least one finds any near-duplicate; it can have `unasked` words that none of them asks for."""

    probes: tuple[Probe, ...]
    unasked: int


def likeness(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """Return the share of common words in all distinct words of both, 0 to 1 (Jaccard); 0 when neither has any."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def alike(score: float) -> bool:
    """Whether a share of common words makes two contents near-duplicates; a half does."""
    return score >= 0.5  # exact: a half is a binary fraction, and shared/union is rounded correctly


def probes(words: Sequence[str], distinct: int, width: int) -> Probes:
    """Return what to look for, in queries of at most `width` words.

    `words` are those of the content's `distinct` words that some capsule has, the rarest first: the others are shared with none.
    Where the words fill several queries, a near-duplicate has its proportional share of them in one query at least.
    """
    least = (distinct + 1) // 2
    if len(words) < max(1, least):
        return Probes((), 0)
    spared = least - max(-(-least // _KEPT_SHARE), min(least, _LEAST_KEPT))
    asked = words[: min(len(words) - spared, MAX_PROBES * width)]
    shared, parts = max(1, least - (len(words) - len(asked))), -(-len(asked) // width)
    chunks = [tuple(asked[part::parts]) for part in range(parts)]
    return Probes(tuple(Probe(chunk, -(-shared * len(chunk) // len(asked))) for chunk in chunks), len(words) - len(asked))


def best(found: list[Similar]) -> tuple[Similar, ...]:
    """Return the most alike, the earlier capsule first among equals."""
    return tuple(sorted(found, key=lambda similar: (-similar.score, similar.number))[:MOST_SIMILAR])
