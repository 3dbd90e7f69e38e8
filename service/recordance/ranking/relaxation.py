"""Relaxation: which fragments of a search that found nothing are asked for once more, and how many of them suffice (L9)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recordance.query.terms import Alternative, Term, TermGroup
from recordance.query.text_services import FRAGMENT, STEM, TextServices, telling
from recordance.ranking.scoring import Strength

MOST_FRAGMENTS = 12
"""How many fragments are asked for, the rarest of all."""
MOST_RECALLED = 50
"""How many candidates the pass looks at."""
MOST_REQUIRED = 2
"""How many fragments a candidate must cover, where so many are asked for."""
COMMON_COUNT = 3
"""From how many capsules on a fragment can be too common."""
COMMON_SHARE = 0.5
"""From which share of the scope on it is."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """A word, or a pair of characters of an unspaced run: `text` as it is shown, `word` as the term index knows it.

    Where a store opted in to inflection, `word` is a word's stem, which all that have the word itself have too (T9).
    """

    text: str
    word: str


def fragments_of(terms: Sequence[Term], services: TextServices) -> tuple[Fragment, ...]:
    """Return the fragments of all wordings, each once, in the caller's order.

    Where the store looks inside unspaced runs, each of their pairs is a fragment (T5); else a run is one, as any word is. Forms
    of one word are one fragment where the store takes them to their stem (T9).
    """
    found: dict[str, Fragment] = {}
    for term in terms:
        for each in (part for word in term.words for part in _parts(word, services)):
            found.setdefault(each.word, each)
    return tuple(found.values())


def _parts(word: str, services: TextServices) -> Iterator[Fragment]:
    pieces = () if services.cut is None else services.cut(word)
    if not pieces:
        yield Fragment(word, word if services.stem is None else STEM + services.stem(word))
    yield from (Fragment(piece, FRAGMENT + piece) for piece in telling(pieces))


def group_of(fragment: Fragment) -> TermGroup:
    """Return a fragment as what the term lane asks for."""
    term = Term(fragment.text, fragment.word, (fragment.word,))
    if not fragment.word.startswith(STEM):
        return TermGroup(term, (Alternative(fragment.text, term.words),))
    ways = Alternative(fragment.text, (fragment.text,)), Alternative(f"stem:{fragment.text}", term.words)
    return TermGroup(term, ways)


@dataclass(frozen=True, slots=True)
class Screened:
    """The fragments by what becomes of them; those `kept` and those beyond the cap stand with the rarest first."""

    kept: tuple[Fragment, ...]
    unmatched: tuple[Fragment, ...]
    generic: tuple[Fragment, ...]
    beyond_cap: tuple[Fragment, ...]

    @property
    def required(self) -> int:
        """How many of the kept ones a candidate must cover; 1 marks the weakest tier, 0 that there is nothing to ask for."""
        return min(MOST_REQUIRED, len(self.kept))

    @property
    def generated(self) -> int:
        """How many fragments there were."""
        return len(self.kept) + len(self.unmatched) + len(self.generic) + len(self.beyond_cap)


def screen(fragments: Sequence[Fragment], frequencies: Mapping[str, int], active: int) -> Screened:
    """Return what becomes of each fragment.

    `frequencies` maps each `word` to how many of the `active` capsules that the search is about have it. What none has is
    unmatched, what too many have tells nothing apart; of the rest the rarest stay, ties in the caller's order.
    """
    counted = [(frequencies[fragment.word], fragment) for fragment in fragments]
    telling = sorted(((count, each) for count, each in counted if count and not _common(count, active)), key=_rarity)
    ranked = tuple(each for _, each in telling)
    return Screened(
        kept=ranked[:MOST_FRAGMENTS],
        unmatched=tuple(each for count, each in counted if not count),
        generic=tuple(each for count, each in counted if _common(count, active)),
        beyond_cap=ranked[MOST_FRAGMENTS:],
    )


def surviving(recalled: Sequence[Strength], required: int) -> tuple[Strength, ...]:
    """Return those that cover enough fragments, in their order."""
    return tuple(each for each in recalled if each.coverage >= required)


def _common(count: int, active: int) -> bool:
    return count >= COMMON_COUNT and count >= COMMON_SHARE * active


def _rarity(counted: tuple[int, Fragment]) -> int:
    return counted[0]
