"""The oracle of words: how a text folds, in which ways a term can match, and what text services add (T2 to T5, T7, T9).

Written from the rules alone. A script is told by how Unicode names its characters, and not by where it lies.
"""

import itertools
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from recordance.domain.alias import Alias

STEM, PIECE = "\x03", "\x02"
"""What marks a stem and a piece of a run: no folded word can begin so. The words of an abstention tell services by it."""
_folded: dict[str, list[str]] = {}
_UNSPACED = {"CJK": "han and kana", "HIRAGANA": "han and kana", "KATAKANA": "han and kana", "THAI": "thai"}
"""The scripts that are written without spaces, by how Unicode names their characters; equal ones make one run (T5)."""


def words(text: str) -> list[str]:
    """Return the folded words of a text in Latin, Han, kana or Thai; a text is folded once."""
    if text not in _folded:
        found, last = list[str](), ""
        for letter in unicodedata.normalize("NFKC", text).casefold():
            script = _script(letter)
            for each in _bare(letter):
                if script and script == last:
                    found[-1] += each
                elif script:
                    found.append(each)
                last = script
        _folded[text] = found
    return _folded[text]


def _bare(letter: str) -> str:
    """Return a Latin letter without its marks, and nothing of a mark that stands alone; whatever else is as it is."""
    if unicodedata.combining(letter) and _script(letter) == "other":
        return ""
    if not unicodedata.name(letter, "").startswith("LATIN"):
        return letter
    return "".join(each for each in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(each))


def unspaced(word: str) -> bool:
    """Whether a folded word is a run of a script that is written without spaces."""
    return _script(word[0]) not in ("", "other")


def _script(letter: str) -> str:
    """Return of which script a letter, digit or mark is, as far as it tells runs apart; empty for what separates words."""
    if unicodedata.category(letter)[0] not in "LNM":
        return ""
    named = unicodedata.name(letter, "").split()
    return "other" if "DIGIT" in named else _UNSPACED.get(named[0], "other")


@dataclass(frozen=True)
class Way:
    """One way in which a term can match: what shows it, the words that must all be there, whether those are the term's own."""

    label: str
    words: tuple[str, ...]
    exact: bool = True


@dataclass(frozen=True)
class Services:
    """The text services of a store: a stem for each word, if it has any, and whether runs are cut into pieces."""

    stem: Callable[[str], str] | None = None
    cut: bool = False

    def made_of(self, plain: Sequence[str]) -> Iterator[str]:
        """Yield everything that a query can find in folded words: themselves, their stems, the pieces of runs.

        In a text with Korean a word beside it counts as a piece too: there it may as well have a particle behind it.
        """
        yield from plain
        if self.stem is not None:
            yield from (STEM + self.stem(word) for word in plain)
        if self.cut:
            korean = any(map(_korean, plain))
            for word in plain:
                yield from (PIECE + each for each in _pieces(word) or [word] * korean)

    def ways(self, text: str, aliases: Sequence[Alias]) -> list[Way]:
        """Return every way in which a term can match: itself, an alias of the whole of it (T7), what the services add."""
        own = words(text)
        taught = [each for each in aliases if each.term_key == " ".join(own)]
        found = [Way(text, tuple(own)), *(Way(f"alias:{each.text}", tuple(words(each.text))) for each in taught)]
        if self.stem is not None:
            found.append(Way(f"stem:{text}", tuple(STEM + self.stem(word) for word in own), exact=False))
        if self.cut:
            beside = tuple(each for word in own for each in self.fragments(word) or [word])
            within = tuple(each for word in own for each in self.fragments(word) or [PIECE + word])
            ways = [within] if beside == tuple(own) else dict.fromkeys((beside, within))
            found += [Way(f"segment:{text}", way, exact=False) for way in ways]
        return found

    def parts(self, own: Iterable[str]) -> list[tuple[str, list[Way]]]:
        """Return what a relaxed pass asks for, as it is shown, with its ways: pieces of runs, and words or their stems."""
        found: dict[tuple[str, ...], tuple[str, list[Way]]] = {}
        for word in own:
            for piece in self.fragments(word):
                found.setdefault((piece,), (piece.removeprefix(PIECE), [Way(piece, (piece,), exact=False)]))
            if not self.fragments(word):
                ways = [each for each in self.ways(word, ()) if not each.label.startswith("segment:")]
                found.setdefault(ways[-1].words, (word, ways))
        return list(found.values())

    def fragments(self, word: str) -> list[str]:
        """Return what must be there for a word to lie in a run: its pairs, and characters that none of those has, if any."""
        pieces = _pieces(word) if self.cut else []
        longer = [piece for piece in pieces if len(piece) > 1]
        return [PIECE + each for each in pieces if len(each) > 1 or not any(each in piece for piece in longer)]


def met(found: set[str], ways: Sequence[Way]) -> list[Way]:
    """Return the ways that a content meets; where one is met exactly, the services have no say (T9)."""
    standing = [way for way in ways if found.issuperset(way.words)]
    return [way for way in standing if way.exact] or standing


def _korean(word: str) -> bool:
    return any(map(_hangul, word))


def _hangul(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("HANGUL")


def _pieces(word: str) -> list[str]:
    """Return the characters and pairs of a run; of a Korean word those of its Hangul, and whole what is something else."""
    if unspaced(word):
        return _cut(word)
    if not _korean(word):
        return []
    parts = ["".join(part) for _, part in itertools.groupby(word, key=_hangul)]
    return [piece for part in parts for piece in (_cut(part) if _hangul(part[0]) else [part])]


def _cut(run: str) -> list[str]:
    return [*run, *(run[place : place + 2] for place in range(len(run) - 1))]


PLAIN = Services()
"""Exact words alone (T3)."""
