"""A term index in plain memory, judged by the pure predicates.

It is what the overlay of a follower is made of (decision 1), and what every engine is held to. An index is immutable and cheap
to extend: it is a few segments, of which a newer one hides what it replaces in the older ones; small ones grow together.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from recordance.query.document import TermDocument, TermQuery
from recordance.query.exclusion import ExclusionReason, first_exclusion
from recordance.query.fence import Scope, admits
from recordance.query.terms import TermGroup

_GROWTH = 2
"""A segment joins its older neighbour when that is less than so many times its size: few segments, each capsule moved rarely."""


@dataclass(frozen=True, slots=True)
class _Segment:
    """Documents with the numbers of those that have each word; `hidden` numbers are replaced or dropped by a newer segment."""

    documents: Mapping[int, TermDocument]
    postings: Mapping[str, Sequence[int]]
    hidden: frozenset[int]

    def shown(self) -> Iterator[TermDocument]:
        return (document for number, document in self.documents.items() if number not in self.hidden)

    def seen(self, number: int, scope: Scope) -> tuple[TermDocument, ...]:
        """Return the document of a number, or nothing if it is hidden or lies outside the scope."""
        document = self.documents[number]
        return (document,) if number not in self.hidden and admits(scope, document.capsule, document.marks) else ()

    def frequency(self, word: str, scope: Scope) -> int:
        having = self.postings.get(word, ())
        if not scope.fences and not self.hidden:
            return len(having)
        return sum(len(self.seen(number, scope)) for number in having)

    def without(self, numbers: Collection[int]) -> "_Segment":
        gone = self.documents.keys() & numbers
        return _Segment(self.documents, self.postings, self.hidden | gone) if gone else self

    def matching(self, groups: Iterable[TermGroup], least_coverage: int) -> Iterable[int]:
        """Return the numbers, hidden ones among them, of the documents that at least so many groups match (T2)."""
        coverage = Counter(number for group in groups for number in self._matched_by(group))
        return (number for number, covered in coverage.items() if covered >= least_coverage)

    def _matched_by(self, group: TermGroup) -> Collection[int]:
        having = [self._having_all(way.words) for way in group.alternatives]
        return having[0] if len(having) == 1 else set[int]().union(*having)

    def _having_all(self, words: Sequence[str]) -> Collection[int]:
        if len(words) == 1:
            return self.postings.get(words[0], ())
        having = sorted((self.postings.get(word, ()) for word in words), key=len)
        return set(having[0]).intersection(*having[1:]) if having else ()


def _segment(documents: Iterable[TermDocument]) -> _Segment:
    by_number = {document.number: document for document in documents}
    postings: dict[str, list[int]] = {}
    for number, document in by_number.items():
        for word in {*document.words, *document.extras.split(" ")} if document.extras else set(document.words):
            postings.setdefault(word, []).append(number)
    return _Segment(by_number, postings, frozenset())


@dataclass(frozen=True, slots=True)
class MemoryIndex:
    """Term documents by number. Every method answers for the newest version of each document."""

    _segments: tuple[_Segment, ...] = ()

    def __len__(self) -> int:
        return sum(len(segment.documents) - len(segment.hidden) for segment in self._segments)

    def __contains__(self, number: int) -> bool:
        return any(number in segment.documents and number not in segment.hidden for segment in self._segments)

    def document(self, number: int) -> TermDocument:
        """Return the document of a number that is in the index."""
        return next(held[number] for held in (segment.documents for segment in reversed(self._segments)) if number in held)

    def documents(self) -> Iterator[TermDocument]:
        """Return every document, in no order."""
        return (document for segment in self._segments for document in segment.shown())

    def extended(self, documents: Iterable[TermDocument], dropped: Collection[int]) -> "MemoryIndex":
        """Return the index without the `dropped` numbers, and with these documents in place of their older versions."""
        newest = _segment(documents)
        older = [segment.without(newest.documents.keys() | set(dropped)) for segment in self._segments]
        return MemoryIndex(_grown_together([*older, newest]))

    def judged(self, query: TermQuery) -> dict[int, ExclusionReason | None]:
        """Return every match inside the scope with the first reason that excludes it, None if it may ground (F4, F6)."""
        return {
            number: first_exclusion(document.capsule, query.eligibility)
            for segment in self._segments
            for number in segment.matching(query.groups, query.least_coverage)
            for document in segment.seen(number, query.scope)
        }

    def frequencies(self, words: Collection[str], scope: Scope) -> dict[str, int]:
        """Return for each word how many documents inside `scope` have it, eligible or not (L17)."""
        return {word: sum(segment.frequency(word, scope) for segment in self._segments) for word in words}

    def words_from(self, beginning: str) -> set[str]:
        """Return the words of contents that begin so; some may be of older versions alone."""
        return {word for segment in self._segments for word in segment.postings if word.startswith(beginning)}


def _grown_together(segments: list[_Segment]) -> tuple[_Segment, ...]:
    """Return the segments, empty ones left out, with the newest merged into their older neighbours while those are small."""
    kept = [segment for segment in segments if len(segment.documents) > len(segment.hidden)]
    while len(kept) > 1 and len(kept[-2].documents) < _GROWTH * len(kept[-1].documents):
        newest, older = kept.pop(), kept.pop()
        kept.append(_segment([*older.shown(), *newest.shown()]))
    return tuple(kept)
