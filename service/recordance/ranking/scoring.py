"""What a candidate's text says for it: which terms matched, its exact BM25, how much of what was asked it covers (L17, O12)."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recordance.query.terms import TermGroup
from recordance.query.text_services import PLAIN, TextServices, is_marked
from recordance.ranking.bm25 import MILD_B, Bm25, CorpusStatistics, idf

FEW_WORDS = 12
"""Up to so many words, looking for each in a content is cheaper than counting all of the content's words."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each asked word weighs in this corpus (idf), and the corpus. A word that is not named weighs nothing."""

    idf: Mapping[str, float]
    corpus: CorpusStatistics


@dataclass(frozen=True, slots=True)
class TermHit:
    """The term lane's claim for one capsule.

    `coverage` counts the caller's terms that matched (L6); `bm25` is 0 or above, more being better (the wire shows it negative);
    `matched` are the terms and aliases that matched, in the caller's order; `support` lies in 0..1 (O12); `inexact`
    counts those of the covered terms that matched by a text service alone (T5, T9).
    """

    number: int
    coverage: int
    bm25: float
    matched: tuple[str, ...]
    support: float
    inexact: int = 0


@dataclass(frozen=True, slots=True)
class Strength:
    """What a hit is ranked by: how many of the caller's terms matched, and the BM25 of their words (L6)."""

    number: int
    coverage: int
    bm25: float
    inexact: int = 0


def weigh(frequencies: Mapping[str, int], corpus: CorpusStatistics) -> Weights:
    """Return the weight of each word, from how many contents of the corpus have it."""
    return Weights({word: idf(count, corpus.capsules) for word, count in frequencies.items()}, corpus)


@dataclass(frozen=True, slots=True)
class _Way:
    """One alternative of one group: the group's place, what `matched_terms` shows, and the words that must all be there."""

    group: int
    label: str
    needed: frozenset[str]
    exact: bool


class Scorer:
    """Scores contents for one query. Made once per recall, asked once per candidate.

    A candidate costs what it has of the query, not what the query has: a term may have many aliases.
    """

    def __init__(self, groups: Sequence[TermGroup], weights: Weights, services: TextServices = PLAIN) -> None:
        self._services = services
        self._terms = tuple(group.term.words for group in groups)
        self._ways = tuple(
            _Way(place, way.label, frozenset(way.words), not any(map(is_marked, way.words)))
            for place, group in enumerate(groups)
            for way in group.alternatives
        )
        self._words = frozenset(word for way in self._ways for word in way.needed)
        self._exact = all(way.exact for way in self._ways)
        self._asked = frozenset(word for words in self._terms for word in words)
        self._idf = {word: weights.idf.get(word, 0.0) for word in self._words | self._asked}
        self._asked_weight = math.fsum(self._idf[word] for word in self._asked)
        # Each way stands under one of its words: it is looked at only where that word is.
        self._under: dict[str, list[int]] = {}
        for place, way in enumerate(self._ways):
            self._under.setdefault(min(way.needed), []).append(place)
        # Most queries ask for each word alone and once; then whatever is found counts.
        alone = all(len(way.needed) == 1 for way in self._ways)
        self._bare = self._exact and alone and len(self._words) == len(self._ways) == len(groups)
        self._bm25 = Bm25(self._idf, weights.corpus)
        self._mild = Bm25(self._idf, weights.corpus, MILD_B)

    def score(self, number: int, words: Sequence[str]) -> TermHit | None:
        """Return what the folded `words` of a content say for it, or None if no group matches as a whole.

        Words of an alternative that did not match as a whole add nothing, and each word counts once however many alternatives
        ask for it (L17).
        """
        counts = self._counts(words)
        matching = self._counted([self._ways[place] for place in sorted(self._standing(counts))])
        if not matching:
            return None
        matched = {way.group for way in matching}
        counted = frozenset[str]().union(*(way.needed for way in matching))
        return TermHit(
            number=number,
            coverage=len(matched),
            bm25=self._bm25.score({word: counts[word] for word in counted}, len(words)),
            matched=tuple(dict.fromkeys(way.label for way in matching)),
            support=self._support(self._asked.intersection(counts).union(*(self._terms[place] for place in matched))),
            inexact=self._inexact(matching),
        )

    def strength(self, number: int, words: Sequence[str]) -> Strength | None:
        """Return what ranks the content alone; the same numbers as `score` in half of its time."""
        counts = self._counts(words)
        if not counts:
            return None
        inexact = 0
        if not self._bare:
            matching = self._counted([self._ways[place] for place in self._standing(counts)])
            inexact = self._inexact(matching)
            coverage = len({way.group for way in matching})
            counts = {word: counts[word] for way in matching for word in way.needed}
        else:
            coverage = len(counts)
        if not coverage:
            return None
        return Strength(number, coverage, self._bm25.score(counts, len(words)), inexact)

    def mild(self, words: Sequence[str]) -> float:
        """Return the BM25 of what matches in a content as its length weighs less: what words add to a cosine (L16)."""
        counts = self._counts(words)
        if not self._bare:
            matching = self._counted([self._ways[place] for place in self._standing(counts)])
            counts = {word: counts[word] for way in matching for word in way.needed}
        return self._mild.score(counts, len(words))

    def share(self, words: Sequence[str]) -> float:
        """Return how much of the terms' words stands in a content that no term matches as a whole, by idf, in 0..1 (O12)."""
        return self._support(self._asked.intersection(words))

    def _standing(self, counts: Mapping[str, int]) -> Iterator[int]:
        """Return the places of the ways whose words are all there."""
        for word in counts:
            for place in self._under.get(word, ()):
                if self._ways[place].needed <= counts.keys():
                    yield place

    def _counted(self, matching: list[_Way]) -> list[_Way]:
        """Return the ways that count: a term that its words match counts as if there were no services (T9)."""
        if self._exact:
            return matching
        exactly = {way.group for way in matching if way.exact}
        return [way for way in matching if way.exact or way.group not in exactly]

    def _inexact(self, matching: list[_Way]) -> int:
        return 0 if self._exact else len({way.group for way in matching if not way.exact})

    def _counts(self, words: Sequence[str]) -> Mapping[str, int]:
        """Return how often each word that the query asks for stands in the content, those that do not left out."""
        if not self._exact:
            words = [*words, *self._services.extras(words)]
        if len(self._words) > FEW_WORDS:
            return Counter(word for word in words if word in self._words)
        return {word: count for word in self._words if (count := words.count(word))}

    def _support(self, found: frozenset[str]) -> float:
        """Return Σ idf of the terms' words found ÷ Σ idf of all; a term that matched by alias has all its words found (O12)."""
        if len(found) == len(self._asked):
            return 1.0
        return math.fsum(self._idf[word] for word in found) / self._asked_weight
