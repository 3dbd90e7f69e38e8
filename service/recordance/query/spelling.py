"""Near spellings: everything that one slip of the hand makes of a word (L10).

A slip leaves a letter out, puts one in, takes one for another, or swaps two neighbours: Damerau, "A technique for computer
detection and correction of spelling errors", CACM 1964. Letters come from the alphabets of the word's own letters, so that what
is near is told by the word alone, and never by how an index is built.
"""

import functools
import unicodedata
from collections.abc import Iterator

from recordance.query.folding import fold_words

FEWEST_LETTERS, MOST_LETTERS = 4, 32
"""Shorter words are near too many others; longer ones are no words that somebody misspells."""
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
