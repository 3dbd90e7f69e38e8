"""What a candidate's text says for it: which terms matched, its exact BM25, how much of what was asked it covers (L17, O12)."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recordance.query.terms import TermGroup
from recordance.ranking.bm25 import CorpusStatistics, bm25, idf

FEW_WORDS = 12
"""Up to so many words, looking for each in a content is cheaper than counting all of the content's words."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each asked word weighs in this corpus (idf), and the corpus."""

    idf: Mapping[str, float]
    corpus: CorpusStatistics


@dataclass(frozen=True, slots=True)
class TermHit:
    """The term lane's claim for one capsule.

    `coverage` counts the caller's terms that matched (L6); `bm25` is 0 or above, more being better (the wire shows it negative);
    `matched` are the terms and aliases that matched, in the caller's order; `support` lies in 0..1 (O12).
    """

    number: int
    coverage: int
    bm25: float
    matched: tuple[str, ...]
    support: float


def weigh(frequencies: Mapping[str, int], corpus: CorpusStatistics) -> Weights:
    """Return the weight of each word, from how many contents of the corpus have it."""
    return Weights({word: idf(count, corpus.capsules) for word, count in frequencies.items()}, corpus)


class Scorer:
    """Scores contents for one query. Made once per recall, asked once per candidate."""

    def __init__(self, groups: Sequence[TermGroup], weights: Weights) -> None:
        self._groups = tuple(
            (group.term.words, tuple((way.label, frozenset(way.words)) for way in group.alternatives)) for group in groups
        )
        self._weights = weights
        self._words = tuple({word for group in groups for way in group.alternatives for word in way.words})
        self._asked = frozenset(word for group in groups for word in group.term.words)
        self._asked_weight = math.fsum(weights.idf[word] for word in self._asked)

    def score(self, number: int, words: Sequence[str]) -> TermHit | None:
        """Return what the folded `words` of a content say for it, or None if no group matches as a whole.

        Words of an alternative that did not match as a whole add nothing, and each word counts once however many alternatives
        ask for it (L17).
        """
        counts = self._counts(words)
        coverage, labels, counted, found = 0, [], set[str](), self._asked.intersection(counts)
        for asked, alternatives in self._groups:
            matching = [(label, needed) for label, needed in alternatives if needed <= counts.keys()]
            if matching:
                coverage += 1
                found = found.union(asked)
                for label, needed in matching:
                    labels.append(label)
                    counted |= needed
        if not coverage:
            return None
        return TermHit(
            number=number,
            coverage=coverage,
            bm25=bm25({word: counts[word] for word in counted}, len(words), self._weights.idf, self._weights.corpus),
            matched=tuple(dict.fromkeys(labels)),
            support=self._support(found),
        )

    def _counts(self, words: Sequence[str]) -> Mapping[str, int]:
        """Return how often each word that the query asks for stands in the content, those that do not left out."""
        if len(self._words) > FEW_WORDS:
            counts = Counter(words)
            return {word: counts[word] for word in self._words if word in counts}
        return {word: count for word in self._words if (count := words.count(word))}

    def _support(self, found: frozenset[str]) -> float:
        """Return Σ idf of the terms' words found ÷ Σ idf of all; a term that matched by alias has all its words found (O12)."""
        if len(found) == len(self._asked):
            return 1.0
        return math.fsum(self._weights.idf[word] for word in found) / self._asked_weight
