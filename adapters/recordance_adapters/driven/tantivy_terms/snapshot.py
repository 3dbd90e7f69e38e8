"""One frozen state of the index, and the answers to what is asked of it."""

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import tantivy

from recordance.ports.terms import UNSURE, Proposals, Tally
from recordance.query.document import TermQuery
from recordance.query.exclusion import ExclusionReason
from recordance.query.fence import Scope
from recordance.ranking.scoring import Weights
from recordance_adapters.driven.tantivy_terms.counting import EXACT_BOUND, aggregation, counted, levels_of
from recordance_adapters.driven.tantivy_terms.engine import reading
from recordance_adapters.driven.tantivy_terms.fields import Spans, field_of, scores
from recordance_adapters.driven.tantivy_terms.questions import Occur, Query, Questions, unscored, without
from recordance_adapters.driven.tantivy_terms.scoring import EngineStatistics, Scoring, read_statistics


class TantivySnapshot:
    """The index as of one commit (see TermSnapshot). Safe for threads; outlives the files that it reads.

    `verify` raises ReplicaDamaged if the files of the index are not as they were written.
    """

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema, spans: Spans, verify: Callable[[], None]) -> None:
        self._searcher = searcher
        self._questions = Questions(schema)
        self._spans = spans
        self._verify = verify
        self._statistics: EngineStatistics | None = None
        self._mask: tuple[Collection[int], tuple[tantivy.Query, ...]] = ((), ())

    @property
    def document_count(self) -> int:
        """See TermSnapshot."""
        return int(self._searcher.num_docs)

    def highest_number(self) -> int:
        """Return the largest capsule number in the index, 0 if it is empty."""
        with reading(self._verify):
            found = self._searcher.search(Query.all_query(), limit=1, count=False, order_by_field="docid")
            return int(found.hits[0][0]) if found.hits else 0

    def numbers_present(self, numbers: Collection[int]) -> frozenset[int]:
        """See TermSnapshot."""
        if not numbers:
            return frozenset()
        with reading(self._verify):
            found = self._searcher.search(self._questions.numbers(numbers), limit=len(numbers), count=False)
            return frozenset(self._numbers(found.hits))

    def frequencies(self, words: Collection[str], masked: Collection[int], scope: Scope) -> Mapping[str, int]:
        """See TermSnapshot."""
        with reading(self._verify):
            statistics = self._read_statistics(words)
            if statistics is None:
                return dict.fromkeys(words, 0)
            if not masked and not scope.fences and statistics.documents == self._searcher.num_docs:
                return self._held(words)
            clauses = [*self._questions.scope(scope), *self._unmasked(masked)]
            return {word: self._count(self._questions.word(word), clauses) for word in words}

    def words_from(self, beginning: str) -> Collection[str]:
        """See TermSnapshot."""
        with reading(self._verify):
            return [word for word, _ in self._searcher.terms_with_prefix("body", beginning)]

    def tally(self, query: TermQuery, masked: Collection[int]) -> Tally:
        """See TermSnapshot."""
        levels = levels_of(query.eligibility, self._spans)
        matching = without(self._questions.matching(query), *self._masked(masked))
        with reading(self._verify):
            if all(abs(level.bound) < EXACT_BOUND for level in levels):
                answer = self._searcher.aggregate(matching, aggregation(levels))
                counts = counted(answer, levels, query.eligibility)
            else:
                counts = self._counted_one_by_one(matching, query)
        return Tally(counts[None], {reason: counts[reason] for reason in ExclusionReason if counts[reason]})

    def _counted_one_by_one(self, matching: tantivy.Query, query: TermQuery) -> Counter[ExclusionReason | None]:
        """Count each reason with a search of its own: bounds are whole numbers there, however far away."""
        counts: Counter[ExclusionReason | None] = Counter()
        earlier: list[tuple[tantivy.Occur, tantivy.Query]] = []
        for reason, claimed in self._questions.exclusions(query.eligibility, self._spans).items():
            counts[reason] = self._count(matching, [(Occur.Must, claimed), *earlier])
            earlier.append((Occur.MustNot, claimed))
        counts[None] = self._count(matching, earlier)
        return counts

    def proposals(self, query: TermQuery, masked: Collection[int], count: int, weights: Weights) -> Proposals:
        """See TermSnapshot; ranked by the engine's score under the exact weights, bounded by what that score proves."""
        with reading(self._verify):
            statistics = self._read_statistics(query.words)
            if statistics is None:
                return Proposals((), None)
            frequencies = self._held(query.words)
            scoring = Scoring(self._questions, query, weights, frequencies, statistics)
            eligible = [*self._eligible(query), *self._unmasked(masked)]
            if query.least_coverage > 1 and not scoring.tells_coverage:
                eligible.append((Occur.Must, unscored(self._questions.covered(query))))
            found = self._searcher.search(
                Query.boolean_query([(Occur.Must, scoring.scored), *eligible]), limit=count, count=False
            )
            hits = found.hits
            matches = [hit for hit in hits if scoring.may_match(hit[0])]
            numbers = tuple(self._numbers(matches))
        ended = len(hits) < count or len(matches) < len(hits)
        floor = scoring.floor(matches[-1][0], len(matches)) if matches else UNSURE
        return Proposals(numbers, None if ended else scoring.horizon(hits[-1][0]), floor)

    def _eligible(self, query: TermQuery) -> list[tuple[tantivy.Occur, tantivy.Query]]:
        """Return the clauses that only documents inside the scope which no reason excludes fulfil."""
        exclusions = self._questions.exclusions(query.eligibility, self._spans)
        return [*self._questions.scope(query.scope), *((Occur.MustNot, claimed) for claimed in exclusions.values())]

    def _read_statistics(self, words: Collection[str]) -> EngineStatistics | None:
        """Return what the engine divides by; None if no document has any of these words.

        Only its explanation of some score names them, so that one document with one of the words is looked up, once a snapshot.
        """
        if self._statistics is None:
            for word in filter(scores, words):
                scored = self._questions.word(word)
                hits = self._searcher.search(scored, limit=1, count=False).hits
                if hits:
                    self._statistics = read_statistics(scored.explain(self._searcher, hits[0][1]).to_json())
                    break
            else:
                # Where words that do not score alone are found no score counts, and nothing is divided by these.
                if any(self._held(itertools.filterfalse(scores, words)).values()):
                    return EngineStatistics(documents=-1, mean_length=1.0)
        return self._statistics

    def _held(self, words: Iterable[str]) -> dict[str, int]:
        """Return how many documents have each word, deleted ones included."""
        return {word: self._searcher.doc_freq(field_of(word), word) for word in words}

    def _masked(self, masked: Collection[int]) -> tuple[tantivy.Query, ...]:
        """Return the query for masked numbers, if there are any; an overlay asks again and again with the same ones."""
        if self._mask[0] is not masked:
            self._mask = (masked, (self._questions.numbers(masked),) if masked else ())
        return self._mask[1]

    def _unmasked(self, masked: Collection[int]) -> list[tuple[tantivy.Occur, tantivy.Query]]:
        return [(Occur.MustNot, query) for query in self._masked(masked)]

    def _count(self, query: tantivy.Query, clauses: Sequence[tuple[tantivy.Occur, tantivy.Query]]) -> int:
        counted_query = unscored(Query.boolean_query([(Occur.Must, query), *clauses]) if clauses else query)
        found = self._searcher.search(counted_query, limit=1)
        return int(found.count)  # type: ignore[attr-defined] # the stubs leave it out

    def _numbers(self, hits: Sequence[tuple[object, tantivy.DocAddress]]) -> list[int]:
        return [int(number or 0) for number in self._searcher.fast_field_values("docid", [address for _, address in hits])]
