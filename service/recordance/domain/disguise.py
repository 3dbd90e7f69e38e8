"""Disguises of words: look-alike letters, digits in place of letters, letters set apart, characters that nobody sees (W2)."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

_LOOKS = "авгеёзиіїјкмнопрсѕтуѵхһԁԍԛԝӏӓӧαβγεζηικμνορτυχωϲϳօսոհցզյɑɡɩᴀʙᴄᴅᴇғɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ"
_READS = "abreeeuiijkmhonpcstyvxhdgqwlaoabyeznikmvoptuxwcjounhgqjagiabcdefghijklmnoprstuvwyz"
_LOOK_ALIKES = str.maketrans(dict(zip(_LOOKS, _READS, strict=True)))
"""Cyrillic, Greek, Armenian and small-capital letters that a reader takes for Latin ones, as case folding leaves them."""
_DIGITS = str.maketrans("013457", "oieast")
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f")
"""A flag of a country's part, the one honest use of tag characters."""
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
_PIECE = re.compile(r"[^\W_]+|[.!?;:]+(?=\s|$)|\n+")
_SET_APART = 6
"""So many single letters in a row are one text with its letters set apart."""
_MOST_WANTED = re.compile(
    "instructions?|disregard|guidelines|passwords?|previous|override|developer|secrets?|prompts?|earlier|forget|ignore|reveal|"
    "system|rules|above|prior|every|send|tell|user|your|all|any|the|not|do|to|me"
)
"""What is read out of letters set apart: whatever else they spell stays unread."""
STOP = "."
"""The word that stands in `spoken` for the end of a sentence."""


def undisguised(words: Sequence[str]) -> Sequence[str]:
    """Return the words as a reader takes them; the very same where nothing is disguised."""
    plain = words if all(map(str.isascii, words)) else [word.translate(_LOOK_ALIKES) for word in words]
    if not all(map(str.isalpha, plain)):
        plain = [word if word.isalpha() or word.isdigit() else word.translate(_DIGITS) for word in plain]
    return list(_joined(plain)) if list(map(len, plain)).count(1) >= _SET_APART else plain


def spoken(text: str) -> str:
    """Return the undisguised words of `text`, without case and accents, one space between, and STOP between sentences."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
        text = "".join(character for character in text if unicodedata.category(character) not in ("Mn", "Cf"))
    pieces = [piece if piece[0].isalnum() else STOP for piece in _PIECE.findall(text.lower())]
    return " ".join(undisguised(pieces))


def hidden_text(text: str) -> str:
    """Return what tag characters spell, which no reader sees and a model may read; flags are left out."""
    spelt = "".join(_TAGS.findall(_FLAG.sub("", text)))
    return "".join(chr(ord(tag) - 0xE0000) for tag in spelt)


def _joined(words: Sequence[str]) -> Iterator[str]:
    """Read words out of letters set apart; all else stays as it is."""
    run: list[str] = []
    for word in (*words, ""):
        if len(word) == 1 and word.isalnum():
            run.append(word)
            continue
        yield from _MOST_WANTED.findall("".join(run)) if len(run) >= _SET_APART else run
        run = []
        if word:
            yield word
