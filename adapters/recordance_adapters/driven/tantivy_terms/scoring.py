"""Coverage and BM25 in one score of the engine, and what that score proves of the exact one.

The engine scores in single precision, with document counts that still hold deleted documents, and with lengths cut to one byte.
The first two are mended: each word's score is boosted from the engine's idf to the exact one. The lengths remain, and the mean
that they are divided by: `Scoring.horizon` bounds what they can do.
"""

import json
import math
import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import tantivy

from recordance.errors import ReplicaDamaged
from recordance.ports.terms import Horizon
from recordance.query.document import TermQuery
from recordance.ranking.bm25 import K1
from recordance.ranking.scoring import Weights
from recordance_adapters.driven.tantivy_terms.questions import Query, Questions, all_of, any_of, unscored

_ROUNDING = 2.0**-24
"""The largest relative error of one operation in single precision."""
_LEAST_IDF = 2.0**-16
"""Below this the engine's idf has lost too many digits to be boosted; such a word's whole score becomes part of the bound."""


@dataclass(frozen=True, slots=True)
class EngineStatistics:
    """What the engine divides by: its number of documents, deleted ones included, and its mean length."""

    documents: int
    mean_length: float


def read_statistics(explanation: str) -> EngineStatistics:
    """Return the statistics that the engine's explanation of one word's score names."""
    named = dict(_named_values(json.loads(explanation)))
    try:
        return EngineStatistics(int(named["N"]), named["avgdl"])
    except KeyError as missing:
        raise ReplicaDamaged(f"the engine explains a score without {missing}") from None


def _named_values(node: dict[str, object]) -> Iterator[tuple[str, float]]:
    name, value, details = str(node["description"]).split(",")[0], node["value"], node.get("details") or []
    if isinstance(value, int | float) and isinstance(details, list):
        yield name, value
        for detail in details:
            yield from _named_values(detail)


def engine_idf(document_frequency: int, documents: int) -> float:
    """Return the idf that the engine computes, step by step in single precision as it does."""
    ratio = _single(_single(_single(documents - document_frequency) + 0.5) / _single(_single(document_frequency) + 0.5))
    return _single(math.log(_single(1.0 + ratio)))


def _single(value: float) -> float:
    single: float = struct.unpack("f", struct.pack("f", value))[0]
    return single


class Scoring:
    """The score of one query under exact weights.

    A document that k groups match scores k · `step` + its BM25, and `step` is above any BM25.
    """

    def __init__(self, questions: Questions, query: TermQuery, weights: Weights) -> None:
        self._questions = questions
        self._query = query
        self._weights = weights
        self._ways = frozenset(frozenset(way.words) for group in query.groups for way in group.alternatives)
        self._most = (K1 + 1.0) * math.fsum(weights.idf.get(word, 0.0) for word in sorted(query.words))
        self._step = 2.0 ** math.ceil(math.log2(self._most + 1.0))
        self._lost = 0.0
        self._clauses = 0

    def scored(self, frequencies: Mapping[str, int], statistics: EngineStatistics) -> tantivy.Query:
        """Return the query that scores; `frequencies` are the engine's own document frequencies."""
        boosts = self._boosts(frequencies, statistics)
        clauses = [Query.const_score_query(self._questions.group(group), self._step) for group in self._query.groups]
        clauses += self._bm25(boosts)
        self._clauses = len(clauses) + sum(map(len, self._ways))
        return any_of(clauses)

    def _boosts(self, frequencies: Mapping[str, int], statistics: EngineStatistics) -> dict[str, float]:
        boosts: dict[str, float] = {}
        for word in sorted(self._query.words & self._weights.idf.keys()):
            idf, theirs = self._weights.idf[word], engine_idf(frequencies[word], statistics.documents)
            if theirs < _LEAST_IDF:
                self._lost += (K1 + 1.0) * idf
            elif frequencies[word]:
                boosts[word] = idf / theirs
        return boosts

    def _bm25(self, boosts: Mapping[str, float]) -> list[tantivy.Query]:
        """Return clauses that add each word's score once, however many of the matching ways ask for it (L17)."""
        asking = Counter(word for way in self._ways for word in way)
        alone = {word for way in self._ways if len(way) == 1 for word in way}
        clauses = [self._boosted(word, boosts) for word in sorted(alone & boosts.keys())]
        for way in sorted(self._ways, key=sorted):
            own = [word for word in sorted(way - alone) if asking[word] == 1 and word in boosts]
            if own:
                rest = [unscored(self._questions.word(word)) for word in sorted(way.difference(own))]
                clauses.append(all_of([*(self._boosted(word, boosts) for word in own), *rest]))
        for word in sorted(boosts.keys() - alone):
            if asking[word] > 1:
                ways = [self._questions.words(way) for way in sorted(self._ways, key=sorted) if word in way]
                clauses.append(all_of([self._boosted(word, boosts), unscored(any_of(ways))]))
        return clauses

    def _boosted(self, word: str, boosts: Mapping[str, float]) -> tantivy.Query:
        return Query.boost_query(self._questions.word(word), boosts[word])

    def horizon(self, last_score: float, statistics: EngineStatistics) -> Horizon:
        """Return a bound on every match that scores no more than `last_score`.

        Let S be its score, rounded by at most ε. S + ε = coverage · step + Σ over its words of
        idf · (k1 + 1) · tf / (tf + k1 · (1 − b + b · q / m)), with q its length cut to one byte, never up, and m the engine's
        mean. The exact BM25 has the true length in place of q and the true mean M in place of m. A larger length only lowers
        it; a larger mean raises it by less than M / m. Hence BM25 ≤ (S + ε − coverage · step) · max(1, M / m).
        """
        most = last_score + self._error()
        coverage = min(math.floor(most / self._step), len(self._query.groups))
        stretch = max(1.0, self._weights.corpus.mean_length / statistics.mean_length * (1.0 + 4 * _ROUNDING))
        return Horizon(coverage, min(self._most, (most - coverage * self._step) * stretch + self._lost))

    def _error(self) -> float:
        """Return the most by which all roundings together can have lowered a score."""
        highest = self._step * len(self._query.groups) + self._most
        return _ROUNDING * (2 * self._clauses * highest + 16 * self._most)
