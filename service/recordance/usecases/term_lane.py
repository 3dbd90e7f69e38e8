"""The term lane: the index proposes, the text decides (decision 6, L6, L17).

Candidates are read in growing batches until nothing that was not read can come among the ranks that are wanted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recordance.domain.capsule import Capsule
from recordance.domain.instant import Instant
from recordance.ports.terms import Horizon
from recordance.ports.truth import TruthReader
from recordance.query.document import TermQuery
from recordance.query.fence import Scope
from recordance.query.folding import fold_words
from recordance.ranking.bm25 import CorpusStatistics
from recordance.ranking.keys import Ranked, decayed_weight, rank_key, text_key
from recordance.ranking.scoring import Scorer, TermHit, Weights, weigh
from recordance.usecases.follow import RecallView

SPARE_CANDIDATES = 12
"""How many candidates are read beyond what is wanted: one reading settles the order of 99 in 100 recalls of common words."""
WIDENING = 4
"""By what the number of candidates grows when it does not."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What BM25 is measured against: its statistics, and the scope inside which it counts (a token's fence, L17)."""

    statistics: CorpusStatistics
    scope: Scope


@dataclass(frozen=True, slots=True)
class TermLane:
    """One term query on one view of a store, with the weights of its words."""

    view: RecallView
    query: TermQuery
    weights: Weights
    scorer: Scorer
    at: Instant

    def best(self, wanted: int) -> tuple[Ranked, ...]:
        """Return the best `wanted` (≥ 1) eligible matches in the lane's order, or all if there are fewer."""
        hits = self._proven_hits(wanted)
        hits.sort(key=text_key)
        contenders = [hit for hit in hits if text_key(hit) <= text_key(hits[min(wanted, len(hits)) - 1])] if hits else []
        capsules = self.view.reader.capsules([hit.number for hit in contenders])
        return tuple(sorted(self._ranked(contenders, capsules), key=rank_key)[:wanted])

    def _ranked(self, hits: Sequence[TermHit], capsules: Mapping[int, Capsule]) -> list[Ranked]:
        known = [(hit, capsules[hit.number]) for hit in hits if hit.number in capsules]
        return [Ranked(hit, capsule, decayed_weight(capsule, self.at)) for hit, capsule in known]

    def _proven_hits(self, wanted: int) -> list[TermHit]:
        """Return hits among which the best `wanted` surely are, ties at the cut included."""
        scored: dict[int, TermHit | None] = {}
        count = wanted + SPARE_CANDIDATES
        while True:
            proposals = self.view.terms.proposals(self.query, count, self.weights)
            self._score_new(proposals.numbers, scored)
            hits = [hit for hit in scored.values() if hit is not None]
            if proposals.horizon is None or _settled(hits, wanted, proposals.horizon):
                return hits
            count *= WIDENING

    def _score_new(self, numbers: Sequence[int], scored: dict[int, TermHit | None]) -> None:
        new = [number for number in numbers if number not in scored]
        contents = self.view.reader.contents(new)
        for number in new:
            # A number without content was forgotten since it was indexed: an index can lag, it can never invent.
            content = contents.get(number)
            scored[number] = None if content is None else self.scorer.score(number, fold_words(content))


def term_lane(view: RecallView, query: TermQuery, corpus: Corpus, at: Instant) -> TermLane:
    """Return the lane for one query; reads the document frequency of every word that it asks for."""
    frequencies = view.terms.frequencies(query.words, corpus.scope)
    weights = weigh(frequencies, corpus.statistics)
    return TermLane(view, query, weights, Scorer(query.groups, weights), at)


def corpus_of(reader: TruthReader, subtrees: frozenset[str] | None, scope: Scope) -> Corpus:
    """Return the corpus of a caller: the whole store, or what lies inside the fence of their token (L17, F13)."""
    if subtrees is None:
        return Corpus(reader.corpus(), Scope())
    return Corpus(reader.corpus_within(subtrees), scope)


def _settled(hits: Sequence[TermHit], wanted: int, horizon: Horizon) -> bool:
    """Whether the last wanted hit stands strictly above everything that was not proposed."""
    if len(hits) < wanted:
        return False
    last = sorted(hits, key=text_key)[wanted - 1]
    return text_key(last) < (-horizon.coverage, -horizon.bm25)
