"""What a candidate's text says for it: which terms matched, its exact BM25, how much of what was asked it covers (L17, O12)."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recordance.query.terms import Alternative, TermGroup
from recordance.ranking.bm25 import CorpusStatistics, bm25, idf


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


def score(number: int, words: Sequence[str], groups: Sequence[TermGroup], weights: Weights) -> TermHit | None:
    """Return what the folded `words` of a content say for it, or None if no group matches as a whole.

    Words of an alternative that did not match as a whole add nothing, and each word counts once however many alternatives
    ask for it (L17).
    """
    counts = Counter(words)
    matching = [(group, [way for way in group.alternatives if _all_in(way, counts)]) for group in groups]
    matching = [(group, ways) for group, ways in matching if ways]
    if not matching:
        return None
    counted = {word: counts[word] for _, ways in matching for way in ways for word in way.words}
    return TermHit(
        number=number,
        coverage=len(matching),
        bm25=bm25(counted, len(words), weights.idf, weights.corpus),
        matched=tuple(dict.fromkeys(way.label for _, ways in matching for way in ways)),
        support=_support(groups, [group for group, _ in matching], counts, weights),
    )


def _all_in(way: Alternative, counts: Mapping[str, int]) -> bool:
    return all(word in counts for word in way.words)


def _support(groups: Sequence[TermGroup], matched: Sequence[TermGroup], counts: Mapping[str, int], weights: Weights) -> float:
    """Return Σ idf of the terms' words found ÷ Σ idf of all of them; a term that matched by alias has all its words found."""
    asked = {word for group in groups for word in group.term.words}
    found = {word for word in asked if word in counts} | {word for group in matched for word in group.term.words}
    return math.fsum(weights.idf[word] for word in sorted(found)) / math.fsum(weights.idf[word] for word in sorted(asked))
