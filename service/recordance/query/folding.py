"""Folding and word splitting: one function for what is stored and for what is asked (T3 to T6).

Latin diacritics, case, full-width forms and ligatures fold away; marks that are part of a letter in their script stay. Nothing
in a text is syntax: whatever is not a letter, a digit or a mark separates words.
"""

import re
import unicodedata

FOLD_VERSION = f"1-{unicodedata.unidata_version}"
"""Names this function together with the Unicode tables it reads; an index built under another name is rebuilt."""

_STAND_FOR = {"ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ŋ": "ng", "ĸ": "k", "ǝ": "e", "ɔ": "o", "ȷ": "j"}
"""Latin letters that are no letter with a mark, and that readers still take for these."""
_LETTER_WITH = re.compile("LATIN SMALL LETTER ([A-Z]|AE|OE) WITH ")
"""How Unicode names a letter that it does not decompose although it has a mark: ø ł đ ħ ƙ."""

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
"""Soft hyphens, joiners, direction marks, fillers, variation selectors: they neither separate words nor tell them apart."""


class _Folding(dict[int, str]):
    """Code point → what it folds to; `str.translate` fills it with each new character it meets."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold_character(chr(code))
        return folded


def _fold_character(character: str) -> str:
    if character.isalnum():
        return _fold_letter(character)
    # A mark outside Latin (vowel sign, tone mark, point) is part of its word; everything else separates.
    return character if unicodedata.category(character)[0] == "M" else " "


def _fold_letter(character: str) -> str:
    parts = unicodedata.normalize("NFKD", character)
    plain = _plain_latin(parts[0])
    if plain is None:
        return character
    return plain + "".join(_plain_latin(part) or part for part in parts[1:] if not unicodedata.combining(part))


def _plain_latin(letter: str) -> str | None:
    """Return what a Latin letter is without its marks, None if it is not Latin or stands for itself alone."""
    if letter.isascii() and letter.isalpha():
        return letter.lower()
    named = _LETTER_WITH.match(unicodedata.name(letter, ""))
    return named[1].lower() if named else _STAND_FOR.get(letter)


_FOLDING = _Folding()
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_LOOSE_MARKS = re.compile(rf"(?<=[a-z0-9])[^\w ]+|(?:(?<= )|^)[{_MARKS}]+")
"""Marks that stayed beside a plain letter or digit (no composed form, a keycap), and marks on nothing (the accent in l´été).

Once folded, a text holds letters, digits, marks and spaces alone: what is no word character and no space is a mark.
"""
_IDEOGRAPHIC = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u3035\u3038-\u303c\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001aff0-\U0001afff\U0001b000-\U0001b16f"
    "\U00020000-\U0003ffff"
)
# Each without its digits: a run ends where a digit begins, in whatever script the digit is written.
_THAI, _LAO, _KHMER = "\u0e00-\u0e4f\u0e5a-\u0e7f", "\u0e80-\u0ecf\u0eda-\u0eff", "\u1780-\u17df\u17ea-\u17ff\u19e0-\u19ff"
_RUN = re.compile(
    f"[{_IDEOGRAPHIC}][{_IDEOGRAPHIC}{_MARKS}]*"
    f"|[{_THAI}][{_THAI}{_MARKS}]*|[{_LAO}][{_LAO}{_MARKS}]*|[{_KHMER}][{_KHMER}{_MARKS}]*"
    f"|[^ {_IDEOGRAPHIC}{_THAI}{_LAO}{_KHMER}]+"
)
"""A word: a run of Han, kana and Bopomofo (one class), a run of Thai, Lao or Khmer, or a run of anything else (T5)."""


def fold_words(text: str) -> list[str]:
    """Return the folded words of `text`, in order and with repetitions.

    Idempotent on its own output; equal for composed and decomposed forms of a text (T4); unspaced scripts come as whole
    runs that end where another script or a digit begins (T5).
    """
    if text.isascii():
        return text.translate(_ASCII).split()
    # Invisible characters go first: one between a letter and its mark would keep the two from composing.
    composed = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).casefold())
    letters = composed.translate(_FOLDING)
    if letters.isascii():
        return letters.split()
    letters = _LOOSE_MARKS.sub("", letters)
    return [word for word in _RUN.findall(letters) if any(map(str.isalnum, word))]


_UNSPACED = re.compile(f"[{_IDEOGRAPHIC}{_THAI}{_LAO}{_KHMER}]")


def is_unspaced(word: str) -> bool:
    """Whether a folded word is a run of a script that writes no spaces between words (T5)."""
    return _UNSPACED.match(word) is not None


def fold_key(text: str) -> str:
    """Return the folded words of `text` joined by one space: the key of a term in aliases and the miss ledger (T7, T8)."""
    return " ".join(fold_words(text))
