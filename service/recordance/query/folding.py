"""Folding and word splitting: one function for what is stored and for what is asked (T3 to T6).

Latin diacritics, case, full-width forms and ligatures fold away; marks that are part of a letter in their script stay. Nothing
in a text is syntax: whatever is not a letter, a digit or a mark separates words.
"""

import re
import unicodedata

FOLD_VERSION = f"1-{unicodedata.unidata_version}"
"""Names this function together with the Unicode tables it reads; an index built under another name is rebuilt."""

_UNDECOMPOSED = {
    "ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ŋ": "ng",
    "ĸ": "k", "ƒ": "f", "ɨ": "i", "ɫ": "l", "ŀ": "l", "ǝ": "e", "ɔ": "o", "ɓ": "b", "ɗ": "d", "ƀ": "b", "ǥ": "g",
}  # fmt: skip
"""Latin letters that Unicode does not decompose and readers still take for their plain form."""

_INVISIBLE = frozenset({0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)})
"""Soft hyphen, zero-width joiners and variation selectors: they neither separate words nor tell them apart."""


class _Folding(dict[int, str | None]):
    """Code point → what it folds to; `str.translate` fills it with each new character it meets."""

    def __missing__(self, code: int) -> str | None:
        self[code] = folded = _fold_character(chr(code))
        return folded


def _fold_character(character: str) -> str | None:
    if ord(character) in _INVISIBLE:
        return None
    if character in _UNDECOMPOSED:
        return _UNDECOMPOSED[character]
    if character.isalnum():
        return _fold_letter(character)
    # A mark outside Latin (vowel sign, tone mark, point) is part of its word; everything else separates.
    return character if unicodedata.category(character)[0] == "M" else " "


def _fold_letter(character: str) -> str:
    parts = unicodedata.normalize("NFKD", character)
    if len(parts) == 1 or not "a" <= parts[0].lower() <= "z":
        return character
    return "".join(_UNDECOMPOSED.get(part, part) for part in parts if not unicodedata.combining(part)).lower()


_FOLDING = _Folding()
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_LATIN_MARKS = re.compile("(?<=[a-z])[\u0300-\u036f]+")
_IDEOGRAPHIC = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001aff0-\U0001afff\U0001b000-\U0001b16f"
    "\U00020000-\U0003ffff"
)
_THAI, _LAO, _KHMER = "\u0e00-\u0e7f", "\u0e80-\u0eff", "\u1780-\u17ff\u19e0-\u19ff"
_RUN = re.compile(
    f"[{_IDEOGRAPHIC}][{_IDEOGRAPHIC}\u0300-\u036f\u20d0-\u20f0]*"
    f"|[{_THAI}]+|[{_LAO}]+|[{_KHMER}]+"
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
    composed = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    letters = _LATIN_MARKS.sub("", composed.translate(_FOLDING))
    return [word for word in _RUN.findall(letters) if any(map(str.isalnum, word))]


def fold_key(text: str) -> str:
    """Return the folded words of `text` joined by one space: the key of a term in aliases and the miss ledger (T7, T8)."""
    return " ".join(fold_words(text))
