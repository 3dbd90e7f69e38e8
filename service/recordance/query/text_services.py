"""What a store may opt in to beyond exact words: words by their stem (T9), and what lies inside an unspaced run (T5).

Korean has spaces, but puts particles right behind its words, foreign ones too: what it writes in one is cut like a run.

Both work by marked words. They begin with a control character, which no folded text can contain; they are indexed beside a
content's own words, and count neither in its length nor in what is said of it unless a query asks for them.
"""

import functools
import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from recordance.query.document import TermDocument
from recordance.query.folding import is_unspaced
from recordance.query.terms import MAX_QUESTION_WORDS, Alternative, Term, TermGroup

FRAGMENT, STEM = "\x02", "\x03"
"""What a fragment of an unspaced run and a stem begin with."""
FRAGMENT_VERSION = "2"
"""Names how runs are cut; an index of another version is rebuilt."""

Stem = Callable[[str], str]
"""Returns the stem of one folded word; the same one each time."""
Cut = Callable[[str], tuple[str, ...]]
"""Returns the fragments of one folded word, none of one that spaces keep apart from its neighbours."""


def is_marked(word: str) -> bool:
    """Whether a word was made by a service and stands in no text."""
    return word < " "


_HANGUL = "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"
_KOREAN = re.compile(f"[{_HANGUL}]")
_PARTS = re.compile(f"[{_HANGUL}]+|[^{_HANGUL}]+")


@functools.lru_cache(maxsize=50_000)
def fragments_of(word: str) -> tuple[str, ...]:
    """Return the characters of an unspaced run and its overlapping pairs, in order; nothing of any other word (T5).

    Of a word that Korean is written in: those of each run of Hangul, and what is in another script as a whole.
    """
    if is_unspaced(word):
        return _pieces(word)
    if not is_korean(word):
        return ()
    parts = _PARTS.findall(word)
    return tuple(piece for part in parts for piece in (_pieces(part) if is_korean(part) else (part,)))


def is_korean(word: str) -> bool:
    """Whether Hangul is written in a word."""
    return not word.isascii() and _KOREAN.search(word) is not None


def _pieces(run: str) -> tuple[str, ...]:
    return (*run, *(run[place : place + 2] for place in range(len(run) - 1)))


def telling(pieces: Sequence[str]) -> list[str]:
    """Return those of a word's fragments that tell it: its pairs and whole parts, and characters that stand in none of them."""
    longer = [piece for piece in pieces if len(piece) > 1]
    inside = set("".join(longer))
    return [piece for piece in pieces if len(piece) > 1 or piece not in inside]


@dataclass(frozen=True, slots=True)
class TextServices:
    """Which services a store has; `version` names everything that they depend on, "" for none.

    `language` is the one whose words have a `stem`, "" for none.
    """

    version: str = ""
    stem: Stem | None = None
    cut: Cut | None = None
    language: str = ""

    def extras(self, words: Sequence[str]) -> list[str]:
        """Return the marked words of a content's folded words, with repetitions."""
        made: list[str] = []
        if self.stem is not None:
            made += [STEM + self.stem(word) for word in words]
        if self.cut is not None:
            cut = [self.cut(word) for word in words]
            made += [FRAGMENT + piece for pieces in cut for piece in pieces]
            if any(pieces and is_korean(word) for word, pieces in zip(words, cut, strict=True)):
                made += [FRAGMENT + word for word, pieces in zip(words, cut, strict=True) if not pieces]
        return made

    def enriched(self, document: TermDocument) -> TermDocument:
        """Return a document with its marked words."""
        return replace(document, extras=" ".join(self.extras(document.words))) if self.version else document

    def widened(self, groups: tuple[TermGroup, ...]) -> tuple[TermGroup, ...]:
        """Return each group with what the services add to its own term; its aliases are taken at their word."""
        if not self.version:
            return groups
        return tuple(replace(group, alternatives=(*group.alternatives, *self._ways(group.term))) for group in groups)

    def asked(self, groups: tuple[TermGroup, ...]) -> tuple[TermGroup, ...]:
        """Return the words of a question, each widened; of a long run its fragments, each a term of its own, once (T5).

        A run of a question is a sentence: no content has all of it. One that an alias is taught for stays beside its fragments.
        """
        whole = {group.term.key for group in groups}
        apart: dict[str, TermGroup] = {}
        for group in groups:
            pieces = [piece for piece in self._fragments(group.term) if piece not in whole]
            if not pieces or len(group.alternatives) > 1:
                apart |= {each.term.key: each for each in self.widened((group,))}
            apart |= {piece: _fragment(piece) for piece in pieces if piece not in apart}
        return tuple(itertools.islice(apart.values(), max(MAX_QUESTION_WORDS, len(groups))))

    def cuts(self, words: Sequence[Term]) -> bool:
        """Whether every long run among a question's words is cut."""
        return self.cut is not None or not any(map(_is_long_run, words))

    def _fragments(self, term: Term) -> Sequence[str]:
        """Return what tells a long run, none of any other term."""
        return telling(self.cut(term.key)) if self.cut is not None and _is_long_run(term) else ()

    def _ways(self, term: Term) -> list[Alternative]:
        ways = []
        if self.stem is not None:
            stems = dict.fromkeys(STEM + self.stem(word) for word in term.words)
            ways.append(Alternative(f"stem:{term.text}", tuple(stems)))
        if self.cut is not None:
            cut = {word: [FRAGMENT + piece for piece in telling(self.cut(word))] for word in term.words}
            # Words beside runs stand by themselves, or in a Korean text with a particle behind them.
            beside = [piece for word, pieces in cut.items() for piece in pieces or [word]]
            within = [piece for word, pieces in cut.items() for piece in pieces or [FRAGMENT + word]]
            asked = [within] if beside == list(cut) else [beside, within]
            ways += [Alternative(f"segment:{term.text}", way) for way in dict.fromkeys(map(_distinct, asked))]
        return ways


def _distinct(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def _is_long_run(term: Term) -> bool:
    return len(term.key) > 2 and is_unspaced(term.key)


def _fragment(piece: str) -> TermGroup:
    marked = (FRAGMENT + piece,)
    return TermGroup(Term(piece, piece, marked), (Alternative(f"segment:{piece}", marked),))


PLAIN = TextServices()
"""Exact words alone (T3)."""
