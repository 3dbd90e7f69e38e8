"""Which words of a corpus are spelt nearly like one that it does not have (L10)."""

from collections.abc import Collection, Mapping, Sequence

from recordance.query.request import EVERYWHERE
from recordance.query.spelling import may_slip_twice, near_spellings, twice_slipped
from recordance.usecases.looking import Look

MOST_SPELLINGS = 32
"""How many near spellings of one word are tried: the first in their order."""


MOST_TWICE_SLIPPED = 4
"""For how many words of a question two slips are looked for: the first that one slip leads nowhere from."""


def near_words(look: Look, words: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return for each folded word those of the corpus that one slip makes of it, else, of a long one, those that two make.

    Exact, whatever the index looks like: what it names is counted in the corpus. Looking for two slips goes through all of its
    words with the same first letter: up to some 15,000 in 100,000 capsules, 30 ms.
    """
    near = {word: _standing(look, near_spellings(word)) for word in words}
    long = [word for word in words if not near[word] and may_slip_twice(word)][:MOST_TWICE_SLIPPED]
    return near | {word: _standing(look, twice_slipped(word, look.view.terms.words_from(word[0]))) for word in long}


def _standing(look: Look, words: Collection[str]) -> Sequence[str]:
    """Return the first of these words, in their order, that some capsule of the corpus has.

    A whole store counts its words faster than a part of it, and few of the spellings are words at all.
    """
    terms = look.view.terms
    counts = terms.frequencies(words, EVERYWHERE)
    if look.corpus.scope != EVERYWHERE:
        counts = terms.frequencies([word for word in words if counts[word]], look.corpus.scope)
    return sorted(word for word, count in counts.items() if count)[:MOST_SPELLINGS]
