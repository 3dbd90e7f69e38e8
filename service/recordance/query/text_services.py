"""What a store may opt in to beyond exact words: words by their stem (T9), and what lies inside an unspaced run (T5).

Both work by marked words. They begin with a control character, which no folded text can contain; they are indexed beside a
content's own words, and count neither in its length nor in what is said of it unless a query asks for them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from recordance.query.document import TermDocument
from recordance.query.folding import is_unspaced
from recordance.query.terms import Alternative, Term, TermGroup

FRAGMENT, STEM = "\x02", "\x03"
"""What a fragment of an unspaced run and a stem begin with."""
FRAGMENT_VERSION = "1"
"""Names how runs are cut; an index of another version is rebuilt."""

Stem = Callable[[str], str]
"""Returns the stem of one folded word; the same one each time."""
Cut = Callable[[str], tuple[str, ...]]
"""Returns the fragments of one folded word, none of one that spaces keep apart from its neighbours."""


def is_marked(word: str) -> bool:
    """Whether a word was made by a service and stands in no text."""
    return word < " "


def fragments_of(word: str) -> tuple[str, ...]:
    """Return the characters of an unspaced run and its overlapping pairs, in order; nothing of any other word (T5)."""
    if not is_unspaced(word):
        return ()
    return (*word, *(word[place : place + 2] for place in range(len(word) - 1)))


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
            made += [FRAGMENT + piece for word in words for piece in self.cut(word)]
        return made

    def enriched(self, document: TermDocument) -> TermDocument:
        """Return a document with its marked words."""
        return replace(document, extras=" ".join(self.extras(document.words))) if self.version else document

    def widened(self, groups: tuple[TermGroup, ...]) -> tuple[TermGroup, ...]:
        """Return each group with what the services add to its own term; its aliases are taken at their word."""
        if not self.version:
            return groups
        return tuple(replace(group, alternatives=(*group.alternatives, *self._ways(group.term))) for group in groups)

    def _ways(self, term: Term) -> list[Alternative]:
        ways = []
        if self.stem is not None:
            stems = dict.fromkeys(STEM + self.stem(word) for word in term.words)
            ways.append(Alternative(f"stem:{term.text}", tuple(stems)))
        if self.cut is not None and any(map(self.cut, term.words)):
            pieces = [piece for word in term.words for piece in _asked(word, self.cut(word))]
            ways.append(Alternative(f"segment:{term.text}", tuple(dict.fromkeys(pieces))))
        return ways


def _asked(word: str, pieces: tuple[str, ...]) -> list[str]:
    """Return what a content must have for a word to lie in one of its runs: the word's pairs, or its one character."""
    if not pieces:
        return [word]
    return [FRAGMENT + piece for piece in pieces if len(piece) > 1 or len(word) == 1]


PLAIN = TextServices()
"""Exact words alone (T3)."""
