"""Marks that folding took from a word and its stem depends on, put back as well as the rest of the word tells (T4, T9).

The stemmers know written words. What is given here are folded ones, so that a question without marks finds what has them; in
two languages no ending would be recognised without: Portuguese -ção and -ções, and the vowels of Turkish, which agree with
each other. What is put back need not be the true spelling, if only all forms of a word come to one stem.
"""

from collections.abc import Callable

Respell = Callable[[str], str]
"""Returns a folded word as its stemmer knows it."""

RESPELLING_VERSION = "1"
"""Names how words are respelt; an index with stems of other spellings is built anew."""

_NASAL = {"coes": "ção", "cao": "ção", "oes": "ão", "aes": "ão", "aos": "ão", "ao": "ão"}
"""Endings of Portuguese, the longer before the shorter where both fit; plurals come to the singular, which the stemmer leaves."""


def portuguese(word: str) -> str:
    """Return a word with the tilde and the cedilla of its ending, in the singular, if it has one that bears them."""
    for bare, marked in _NASAL.items():
        if word.endswith(bare) and len(word) > len(bare):
            return word.removesuffix(bare) + marked
    return word


_BACK, _FRONT = str.maketrans("i", "ı"), str.maketrans("ou", "öü")
_OPEN = "ae"
"""The vowels that folding leaves alone: one of the back of the mouth, one of the front."""


def turkish(word: str) -> str:
    """Return a word whose vowels agree, each with the next a or e, else with the last one; with neither it stays as it is."""
    spelt, tail, last = "", "", ""
    for letter in word:
        tail += letter
        if letter in _OPEN:
            spelt += _agreeing(tail, letter)
            last, tail = letter, ""
    return spelt + (_agreeing(tail, last) if last else tail)


def _agreeing(letters: str, vowel: str) -> str:
    return letters.translate(_BACK if vowel == "a" else _FRONT)


RESPELLINGS: dict[str, Respell] = {"portuguese": portuguese, "turkish": turkish}
"""By language; the others' stemmers recognise their endings in folded words."""
