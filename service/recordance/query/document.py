"""What the term lane knows of a capsule, and what it is asked."""

from dataclasses import dataclass
from enum import StrEnum

from recordance.domain.capsule import Capsule, CapsuleText
from recordance.query.exclusion import Eligibility
from recordance.query.fence import Marks, Scope, marks_of
from recordance.query.folding import fold_key
from recordance.query.terms import TermGroup


@dataclass(frozen=True, slots=True)
class TermDocument:
    """One unforgotten capsule as a term index holds it: its standing, its marks, its content's folded words, and marked ones.

    `folded` are the words joined by one space: as text they take a tenth of the memory, and many may wait for the index at once.
    `extras`, joined alike, are what text services found beside them; they do not count in a length (T5, T9).
    """

    capsule: Capsule
    marks: Marks
    folded: str
    extras: str = ""

    @property
    def number(self) -> int:
        """The capsule's number, which is the document's identity."""
        return self.capsule.number

    @property
    def words(self) -> list[str]:
        """The folded words, in order and with repetitions."""
        return self.folded.split()


def term_document(capsule: Capsule, text: CapsuleText) -> TermDocument:
    """Return the document of a capsule with its current text."""
    return TermDocument(capsule, marks_of(text), fold_key(text.content))


class Order(StrEnum):
    """What ranks the matches of a term query."""

    COVERAGE = "coverage"
    """How many groups match, then the BM25 of their words (L6): for terms, each of which somebody chose."""
    WEIGHT = "weight"
    """The BM25 of the words that match alone: for the words of a question, of which many say little (L10)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermQuery:
    """What the term lane is asked: any of `groups`, inside `scope`, judged by `eligibility`.

    A group matches when all words of one of its alternatives stand in the content (T2). `least_coverage` is how many groups must
    match for a capsule to count as a match at all; 1 unless somebody looks for near-duplicates (W1). `order` ranks the matches.
    """

    groups: tuple[TermGroup, ...]
    scope: Scope
    eligibility: Eligibility
    least_coverage: int = 1
    order: Order = Order.COVERAGE

    @property
    def words(self) -> frozenset[str]:
        """Every word that any alternative asks for."""
        return frozenset(word for group in self.groups for way in group.alternatives for word in way.words)
