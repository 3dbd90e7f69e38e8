"""Conflicts: what restates a value that was corrected falls below the correction, by when the values were born (O9).

A restatement that nobody related to anything repeats the words of what another hit has retired, and is nearer to them than to the
correction's. Its value is as old as that retired capsule, however lately it was written down again.

A correction that is stuffed with keywords stands above it all the same, though no stuffed text ever stands above a clean one else
(L13): that a text is stuffed tells against its claim to a rank, and not against its truth, while what it corrects is no longer
true. It rises above nothing for it: its restatements fall to where it stands, and it is marked as stuffed.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeVar

from recordance.domain.similarity import likeness

LEAST_LIKENESS = 0.6
"""Which share of all their words two texts have in common that say the same of the same subject."""

Words = AbstractSet[str]
H = TypeVar("H", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Correction:
    """A hit whose capsule has retired others, in any number of steps: their numbers with their distinct folded words."""

    number: int
    words: Words
    retired: Mapping[int, Words]


def resolved(hits: Mapping[int, Words], corrections: Sequence[Correction]) -> dict[int, tuple[int, ...]]:
    """Return, for each correction that has any, the hits that restate what it retired, ascending.

    What a hit has itself retired is no correction of it, and a later correction stands above an earlier one that it repeats.
    """
    behind = {each.number: each.retired for each in corrections}
    found: dict[int, tuple[int, ...]] = {}
    for each in corrections:
        own = {each.number, *each.retired}
        over = tuple(
            number
            for number, words in sorted(hits.items())
            if number not in own and each.number not in behind.get(number, {}) and _restates(number, words, each, behind)
        )
        if over:
            found[each.number] = over
    return found


def _restates(number: int, words: Words, correction: Correction, behind: Mapping[int, Mapping[int, Words]]) -> bool:
    own = likeness(words, correction.words)
    for retired, old in correction.retired.items():
        alike = likeness(words, old)
        # A hit that corrects something itself was born with its own capsule; a bare restatement with what it repeats.
        born = number if number in behind else retired
        if alike >= LEAST_LIKENESS and alike > own and born < correction.number:
            return True
    return False


def demoted(ranked: Sequence[H], over: Mapping[H, Sequence[H]]) -> list[H]:
    """Return the hits, each that was resolved no higher than directly below all those that it was resolved under.

    Where such demands go in a circle, whoever stands first in it stays first.
    """
    present = set(ranked)
    above: dict[H, set[H]] = {}
    for correction, restatements in over.items():
        for number in restatements:
            if correction in present:
                above.setdefault(number, set()).add(correction)
    return list(_in_turn(list(ranked), above))


def _in_turn(waiting: list[H], above: Mapping[H, AbstractSet[H]]) -> Iterator[H]:
    gone: set[H] = set()
    while waiting:
        free = next((each for each in waiting if above.get(each, gone) <= gone), waiting[0])
        waiting.remove(free)
        gone.add(free)
        yield free
