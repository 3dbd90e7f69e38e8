"""Near spellings: everything that one slip of the hand makes of a word, and of long words what two make (L10).

A slip leaves a letter out, puts one in, takes one for another, or swaps two neighbours: Damerau, "A technique for computer
detection and correction of spelling errors", CACM 1964. Letters come from the alphabets of the word's own letters, so that what
is near is told by the word alone, and never by how an index is built. What two slips make is too much to be listed, and is
looked for among the words that stand somewhere, as far as they begin alike: hardly anybody gets the first letter wrong.
"""

import functools
import unicodedata
from collections.abc import Iterable, Iterator

from recordance.query.folding import fold_words

FEWEST_LETTERS, MOST_LETTERS = 4, 32
"""Shorter words are near too many others; longer ones are no words that somebody misspells."""
LONG_LETTERS = 8
"""From so many letters on a word may have two slips in it and still be told from others."""
_LATIN = "abcdefghijklmnopqrstuvwxyz0123456789"
_BLOCK = 128
"""How many neighbouring code points an alphabet takes, where the letter is none of the plain Latin ones."""


def near_spellings(word: str) -> frozenset[str]:
    """Return every text that one slip makes of a folded word; empty for short and long ones, and for unspaced scripts.

    A run of an unspaced script is many words: what is one letter away from all of them says nothing of any.
    """
    if not FEWEST_LETTERS <= len(word) <= MOST_LETTERS or len(fold_words(word + "x")) > 1:
        return frozenset()
    return frozenset(_slips(word, sorted({letter for own in word for letter in _alphabet(own)}))) - {word}


def _slips(word: str, letters: list[str]) -> Iterator[str]:
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        yield from (before + letter + after for letter in letters)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in letters)
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]


def _alphabet(letter: str) -> str:
    return _LATIN if letter in _LATIN else _block(ord(letter) // _BLOCK)


@functools.lru_cache(maxsize=64)
def _block(number: int) -> str:
    """Return the small letters and the marks of one block of code points."""
    points = map(chr, range(number * _BLOCK, (number + 1) * _BLOCK))
    return "".join(each for each in points if unicodedata.category(each)[0] in "LM" and each == each.casefold())


def may_slip_twice(word: str) -> bool:
    """Whether two slips may be looked for in a folded word: it is long, and no run of an unspaced script."""
    return LONG_LETTERS <= len(word) <= MOST_LETTERS and len(fold_words(word + "x")) == 1


def twice_slipped(word: str, words: Iterable[str]) -> list[str]:
    """Return those of `words`, sorted, that exactly two slips make of a word, no letter being slipped on twice.

    They begin with its first letter and have its digits: two figures are two facts, however alike.
    """
    bag, figures = _bag(word), _figures(word)
    alike = [
        each
        for each in words
        if abs(len(each) - len(word)) <= _TWO and (_bag(each) ^ bag).bit_count() <= 2 * _TWO and each[0] == word[0]
    ]
    return sorted(each for each in alike if _figures(each) == figures and _slips_between(word, each) == _TWO)


_TWO = 2


def _bag(word: str) -> int:
    """Return which letters stand in a word, as bits that letters may share: a slip changes two of them at most."""
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) & 63)
    return bits


def _figures(word: str) -> str:
    return "".join(letter for letter in word if letter.isdigit())


def _slips_between(one: str, other: str) -> int:
    """Return how many slips make one word of the other, by the table of their beginnings; more than two are not counted on."""
    before, last = list[int](), list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        row = [i]
        for j, right in enumerate(other, start=1):
            least = min(last[j] + 1, row[-1] + 1, last[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                least = min(least, before[j - 2] + 1)
            row.append(least)
        before, last = last, row
        if min(before) > _TWO and min(last) > _TWO:
            break
    return last[-1]
