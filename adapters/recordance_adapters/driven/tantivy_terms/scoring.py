"""Coverage and BM25 in one score of the engine, and what that score proves of the exact one.

The engine scores in single precision, with document counts that still hold deleted documents, and with lengths cut to one byte.
The first two are mended: each word's score is boosted from the engine's idf to the exact one. The lengths remain, and the mean
that they are divided by: `Scoring.horizon` bounds what they can do.
"""

import json
import math
import struct
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import tantivy

from recordance.errors import ReplicaDamaged
from recordance.ports.terms import UNSURE, Floor, Horizon
from recordance.query.document import Order, TermQuery
from recordance.query.terms import TermGroup
from recordance.query.text_services import is_marked
from recordance.ranking.bm25 import K1
from recordance.ranking.scoring import Weights
from recordance_adapters.driven.tantivy_terms.fields import scores
from recordance_adapters.driven.tantivy_terms.questions import Query, Questions, all_of, any_of, unscored

_ROUNDING = 2.0**-24
"""The largest relative error of one operation in single precision."""
_MOST_SHARING = 1_000
"""How many words the clauses may ask for that count words once which several ways share."""
_TELLING = 0.25
"""Up to such an error a score still tells of which steps it is made."""
_KEPT = 9 / 8
"""A length is less than so many times what one byte keeps of it."""
_LEAST_IDF = 2.0**-16
"""Below this the engine's idf has lost too many digits to be boosted; such a word's whole score becomes part of the bound.

So does that of a marked word that is no stem, whose lengths are not the engine's.
"""


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


def _over(score: float) -> float:
    """Return a power of two above a score."""
    return 2.0 ** math.ceil(math.log2(score + 1.0))


class Scoring:
    """The score of one query under exact weights: a document scores k · `step` + e · `grade` + its BM25.

    k is how many groups match, e how many of them not by text services alone. Where those may match, a document that a group
    matches exactly scores the stems of its words too, and thus no less than its BM25. Ordered by weight alone both steps are
    nothing, and coverage adds nothing and is not told; `grade` is nothing as well where it could not be told.

    `frequencies` are the engine's own document frequencies, by which its scores are mended, and by which ways of matching that
    no document can fulfil are left out.
    """

    def __init__(
        self,
        questions: Questions,
        query: TermQuery,
        weights: Weights,
        frequencies: Mapping[str, int],
        statistics: EngineStatistics,
    ) -> None:
        self._questions = questions
        self._corpus = weights.corpus
        self._least, self._by_weight = query.least_coverage, query.order is Order.WEIGHT
        self._statistics = statistics
        self._groups = [ways for group in query.groups if (ways := possible_ways(group, frequencies))]
        self._ways = sorted({way for ways in self._groups for way in ways})
        self._asking = Counter(word for way in self._ways for word in way)
        self._alone = {way[0] for way in self._ways if len(way) == 1}
        self._boosts: dict[str, float] = {}
        self._lost = 0.0
        self._weigh(weights, frequencies)
        self._repeats = self._size_of_sharing() > _MOST_SHARING
        self._most = (K1 + 1.0) * math.fsum(weights.idf[word] * self._times(word) for word in sorted(self._boosts))
        self._served = any(is_marked(word) for word in self._asking)
        self._grade = self._step = self._error = 0.0
        self.scored = any_of(self._scaled(_over(self._most) if self._served and not self._by_weight else 0.0))
        """The query that scores."""
        if self._grade and self._error >= _TELLING:
            self.scored = any_of(self._scaled(0.0))

    def _scaled(self, grade: float) -> list[tantivy.Query]:
        """Set the steps between scores, and return the clauses that score so."""
        self._grade = grade
        self._step = 0.0 if self._by_weight else _over(self._most + grade * len(self._groups))
        clauses = [*(self._unweighed_clauses() if self._by_weight else self._coverage_clauses()), *self._bm25_clauses()]
        self._error = _ROUNDING * (2 * (len(clauses) + self._asking.total()) * self._highest() + 16 * self._most)
        return clauses

    def _weigh(self, weights: Weights, frequencies: Mapping[str, int]) -> None:
        """Find what mends the engine's idf of each word, and what is lost with words that cannot be mended."""
        for word in sorted(self._asking.keys() & weights.idf.keys()):
            idf = weights.idf[word]
            theirs = engine_idf(frequencies[word], self._statistics.documents) if scores(word) else 0.0
            if theirs < _LEAST_IDF:
                self._lost += (K1 + 1.0) * idf
            else:
                self._boosts[word] = idf / theirs

    def _shared(self) -> list[str]:
        """Return the words that several ways ask for, and none by themselves alone."""
        return [word for word in sorted(self._boosts.keys() - self._alone) if self._asking[word] > 1]

    def _size_of_sharing(self) -> int:
        shared = set(self._shared())
        return sum(len(way) * len(shared.intersection(way)) for way in self._ways)

    def _times(self, word: str) -> int:
        """Return how often a document's score can count a word."""
        return self._asking[word] if self._repeats and word not in self._alone else 1

    def _highest(self) -> float:
        return (self._step + self._grade) * len(self._groups) + self._most

    def _coverage_clauses(self) -> list[tantivy.Query]:
        clauses = [self._constant(ways, self._step) for ways in self._groups]
        if self._grade:
            exact = [[way for way in ways if not any(map(is_marked, way))] for ways in self._groups]
            clauses += [self._constant(ways, self._grade) for ways in exact if ways]
        return clauses

    def _constant(self, ways: Sequence[tuple[str, ...]], score: float) -> tantivy.Query:
        return Query.const_score_query(any_of([self._questions.words(way) for way in ways]), score)

    def _unweighed_clauses(self) -> list[tantivy.Query]:
        """Return clauses for the ways that no clause of BM25 finds, since no word of theirs adds to a score."""
        ways = [way for way in self._ways if self._boosts.keys().isdisjoint(way)]
        return [unscored(any_of([self._questions.words(way) for way in ways]))] if ways else []

    def _bm25_clauses(self) -> list[tantivy.Query]:
        """Return clauses that add each word's score once, however many of the matching ways ask for it (L17).

        Where too many ways share too many words that would be too large a query, and they are counted with each way; the
        bound holds all the same, since no word is counted less than once.
        """
        clauses = [self._boosted(word) for word in sorted(self._alone & self._boosts.keys())]
        for way in self._ways:
            own = [word for word in way if word not in self._alone and (self._repeats or self._asking[word] == 1)]
            scored = [word for word in own if word in self._boosts]
            if scored:
                rest = [unscored(self._questions.word(word)) for word in way if word not in scored]
                clauses.append(all_of([*map(self._boosted, scored), *rest]))
        if not self._repeats:
            clauses += [all_of([self._boosted(word), unscored(self._any_way_with(word))]) for word in self._shared()]
        return clauses

    def _any_way_with(self, word: str) -> tantivy.Query:
        return any_of([self._questions.words(way) for way in self._ways if word in way])

    def _boosted(self, word: str) -> tantivy.Query:
        return Query.boost_query(self._questions.word(word), self._boosts[word])

    @property
    def tells_coverage(self) -> bool:
        """Whether a score always tells how many groups match: no BM25 reaches a step, and rounding does not matter."""
        return not self._by_weight and not self._repeats and self._error < _TELLING

    def may_match(self, score: float) -> bool:
        """Whether a document with this score may match as many groups as the query asks for; surely so if `tells_coverage`."""
        return self._by_weight or self._coverage(score) >= self._least

    def _coverage(self, score: float) -> int:
        """Return the most groups that a document with this score can match, exactly how many if `tells_coverage`."""
        return min(math.floor((score + self._error) / self._step), len(self._groups)) if self._step else 0

    def horizon(self, last_score: float) -> Horizon:
        """Return a bound on every match that scores no more than `last_score`.

        Let S be its score, rounded by at most ε. S + ε ≥ coverage · step + Σ over its words of
        idf · (k1 + 1) · tf / (tf + k1 · (1 − b + b · q / m)), with q its length cut to one byte, never up, and m the engine's
        mean. The exact BM25 has the true length in place of q and the true mean M in place of m. A larger length only lowers
        it; a larger mean raises it by less than M / m. Hence BM25 ≤ (S + ε − coverage · step − e · grade) · max(1, M / m).
        """
        coverage = self._coverage(last_score)
        exactly = self._exactly(last_score, coverage)
        stretch = max(1.0, self._corpus.mean_length / self._statistics.mean_length * (1.0 + 4 * _ROUNDING))
        scored = min(last_score + self._error - coverage * self._step - exactly * self._grade, self._most) * stretch
        return Horizon(coverage, scored + self._lost, coverage - exactly if self._grade else 0)

    def _exactly(self, score: float, coverage: int) -> int:
        """Return the most groups that a document with this score and coverage can match exactly; 0 if that is not told."""
        if not self._grade:
            return 0
        return min(max(0, math.floor((score + self._error - coverage * self._step) / self._grade)), coverage)

    def floor(self, last_score: float, count: int) -> Floor:
        """Return what is sure of `count` matches that score no less than `last_score`.

        The other way round, with q > 8/9 of the true length (four significant bits of it are kept): of the fraction's denominator
        only a part grows with the length, so BM25 ≥ (S − ε − coverage · step) ÷ (9/8 · max(1, m / M)). A word whose score is lost
        only adds to it. Where text services may match, it may score words that its BM25 does not count: only the steps are sure.
        """
        if self._repeats or not (self._by_weight or self.tells_coverage):
            return UNSURE
        coverage = self._coverage(last_score)
        shrink = _KEPT * max(1.0, self._statistics.mean_length / self._corpus.mean_length * (1.0 + 4 * _ROUNDING))
        if self._served:
            sure = self._exactly(last_score - 2 * self._error, coverage)
            return Floor(count, coverage, 0.0, coverage - sure)
        return Floor(count, coverage, max(0.0, last_score - self._error - coverage * self._step) / shrink)


def possible_ways(group: TermGroup, frequencies: Mapping[str, int]) -> tuple[tuple[str, ...], ...]:
    """Return the distinct ways in which a term can match, as sorted words; those that no document fulfils left out."""
    ways = dict.fromkeys(tuple(sorted(set(way.words))) for way in group.alternatives)
    return tuple(way for way in ways if way and all(frequencies[word] for word in way))
