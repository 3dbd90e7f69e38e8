"""Disguises of words: look-alike letters, digits in place of letters, letters set apart, characters that nobody sees (W2)."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

_LOOKS = "авгеёзийіїјкмнопрсѕтуѵхһԁԍԛԝӏғӓӧαβγεζηικμνορστυχωϲϳօսոհցզյɑɩⲁⲉⲓⲟⲣⲥⲧⲩⲭᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᏀᏃᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᎩᏴꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ"
_READS = "abreeeuuiijkmhonpcstyvxhdgqwlfaoabyeznikmvopotuxwcjounhgqjaiaeiopctyxdrtiajewmhgzbrwsvslcpkybbpdtgkjczfmnlsrvhwxyaeiou"
_LATIN = re.compile(
    "LATIN (?:SMALL LETTER|LETTER SMALL CAPITAL) "
    "(?:(?:DOTLESS|SCRIPT|OPEN|CLOSED|TURNED|REVERSED|SIDEWAYS|INSULAR|BARRED|LONG|BLACKLETTER) )*([A-Z]|AE|OE)(?: WITH|$)"
)
"""How Unicode names what is a Latin letter with a mark or in another shape: ı ø ł ɡ ɪ."""


class _Reading(dict[int, str | None]):
    """Code point → what a reader takes it for, None if nobody sees it; `str.translate` fills it with what it meets."""

    def __missing__(self, code: int) -> str | None:
        self[code] = read = _read_character(chr(code))
        return read


def _read_character(character: str) -> str | None:
    if unicodedata.category(character) in ("Mn", "Cf"):
        return None
    named = _LATIN.match(unicodedata.name(character, ""))
    return named[1].lower() if named else character


_READING = _Reading(zip(map(ord, _LOOKS), _READS, strict=True))
"""Cyrillic, Greek, Armenian, Coptic, Cherokee and Lisu letters that are taken for Latin ones, as case folding leaves them."""


class _ReadingApart(_Reading):
    """The same, with a space around each Han character: the script has none, and each of them is a word."""

    def __missing__(self, code: int) -> str | None:
        read = self[code] = f" {chr(code)} " if 0x3400 <= code <= 0x9FFF else _READING[code]
        return read


_READING_APART = _ReadingApart(_READING)
_DIGITS = str.maketrans("013457", "oieast")
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f")
"""A flag of a country's part, the one honest use of tag characters."""
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
_PIECE = re.compile(r"[^\W_]+|[.!?;:]+(?=\s|$)|\n+|。|＠")
_ADDRESS = re.compile(
    r"(?<=\w)(?:@(?=[\w-]+\.\w)|\.(?=(?:com|net|org|io|ru|cn|xyz|top|info|onion)\b)"
    r"|(?<!\b127)(?<!\b10)(?<!\b192)(?<=\d)\.(?=(?:\d{1,3}\.){2}\d{1,3}\b))"
)
_SET_APART = 6
"""So many single letters in a row are one text with its letters set apart."""
_APART = re.compile(f"(?: [a-z0-9](?= )){{{_SET_APART}}}")
_MOST_WANTED = re.compile(
    "instructions?|disregard|guidelines|passwords?|previous|override|developer|secrets?|prompts?|earlier|forget|ignore|reveal|"
    "system|rules|above|prior|every|send|tell|user|your|all|any|the|not|do|to|me"
)
"""What is read out of letters set apart: whatever else they spell stays unread."""
STOP = "."
"""The word that stands in `spoken` for the end of a sentence."""
ADDRESS = "@"
"""The word that stands in `spoken` inside the address of a mailbox or of a host in public."""
_SIGNS = {"＠": ADDRESS}


def read_alike(text: str) -> str:
    """Return the case-folded text with the letters that a reader takes for others as those others; marks are dropped."""
    return text.translate(_READING)


def undisguised(words: Sequence[str]) -> Sequence[str]:
    """Return the words as a reader takes them; the very same where nothing is disguised."""
    return _read(words if all(map(str.isascii, words)) else " ".join(words).translate(_READING_APART).split())


def spoken(text: str) -> str:
    """Return the undisguised words of `text`, without case and accents, one space between, and STOP between sentences.

    ADDRESS stands before the host in the address of a mailbox, and before the last part of a public host's name or number.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold()).translate(_READING_APART)
    # A full-width sign cannot be in the text any more, so that it tells an address from all else.
    pieces = _PIECE.findall(_ADDRESS.sub("＠", text.lower()))
    return " ".join(_read([piece if piece[0].isalnum() else _SIGNS.get(piece, STOP) for piece in pieces]))


def _read(words: Sequence[str]) -> Sequence[str]:
    """Read digits in words as letters, and letters set apart as words."""
    if not all(map(str.isalpha, words)):
        words = [word if word.isalpha() or word.isdigit() else word.translate(_DIGITS) for word in words]
    if list(map(len, words)).count(1) < _SET_APART or not _APART.search(f" {' '.join(words)} "):
        return words
    return list(_joined(words))


def hidden_text(text: str) -> str:
    """Return what tag characters spell, which no reader sees and a model may read; flags are left out."""
    spelt = "".join(_TAGS.findall(_FLAG.sub("", text)))
    return "".join(chr(ord(tag) - 0xE0000) for tag in spelt)


def _joined(words: Sequence[str]) -> Iterator[str]:
    """Read words out of letters set apart; all else stays as it is."""
    run: list[str] = []
    for word in (*words, ""):
        if len(word) == 1 and word.isalnum() and word.isascii():
            run.append(word)
            continue
        yield from _MOST_WANTED.findall("".join(run)) if len(run) >= _SET_APART else run
        run = []
        if word:
            yield word
