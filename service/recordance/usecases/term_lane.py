"""The term lane: the index proposes, the text decides (decision 6, L6, L17).

Candidates are read in growing batches until nothing that was not read can come among the ranks that are wanted.
"""

import bisect
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recordance.domain.capsule import Capsule
from recordance.domain.instant import Instant
from recordance.ports.terms import UNSURE, Horizon, Proposals
from recordance.ports.truth import TruthReader
from recordance.query.document import TermQuery
from recordance.query.fence import Scope
from recordance.query.folding import fold_words
from recordance.ranking.bm25 import CorpusStatistics
from recordance.ranking.keys import CapsuleKey, Ranked, TextRank, capsule_key, decayed_weight, text_key_of
from recordance.ranking.scoring import Scorer, Strength, TermHit, Weights, weigh
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


class TermLane:
    """One term query on one view of a store, with the weights of its words. What was read stays with it, and is read once.

    `equals` orders hits that their text leaves equal.
    """

    def __init__(
        self,
        view: RecallView,
        query: TermQuery,
        weights: Weights,
        scorer: Scorer,
        at: Instant,
        equals: CapsuleKey = capsule_key,
    ) -> None:
        self.view = view
        self.query = query
        self.weights = weights
        self.scorer = scorer
        self.at = at
        self._key = text_key_of(query.order)
        self._equals = equals
        self._words: dict[int, list[str]] = {}
        self._strengths: dict[int, Strength | None] = {}
        self._capsules: dict[int, Capsule] = {}
        self._proposals: dict[int, Proposals] = {}

    def best(self, wanted: int) -> tuple[Ranked, ...]:
        """Return the best `wanted` (≥ 1) eligible matches in the lane's order, or all if there are fewer."""
        return tuple(self.ranked([strength.number for strength in self.order(wanted)]))

    def order(self, wanted: int) -> tuple[Strength, ...]:
        """Return what ranks the best `wanted` (≥ 1) eligible matches, in the lane's order, or all if there are fewer.

        A capsule is read only where it decides between equals.
        """
        strengths = sorted(self._proven(wanted), key=self._key)
        contenders = [each for each in strengths if self._key(each) <= self._key(strengths[min(wanted, len(strengths)) - 1])]
        groups = [list(equals) for _, equals in itertools.groupby(contenders, key=self._key)]
        self._read_capsules([each.number for equals in groups if len(equals) > 1 for each in equals])
        return tuple(itertools.islice((each for equals in groups for each in self._by_capsule(equals)), wanted))

    def ranks(self, hits: Sequence[TermHit], depth: int) -> Mapping[int, int]:
        """Return the ranks, from 1, of those of `hits` that are among the first `depth`; all of them may ground.

        No more is read than tells them: nothing for a hit that enough others are surely above.
        """
        floor = self._proposed(depth + SPARE_CANDIDATES).floor if hits else UNSURE
        sought = [hit for hit in hits if floor.count < depth or self._key(hit) <= self._key(floor)]
        ranks: dict[int, int] = {}
        count = depth + SPARE_CANDIDATES
        while sought:
            strengths, horizon = self._read(count)
            keys = sorted(map(self._key, strengths))
            above = {hit: bisect.bisect_left(keys, self._key(hit)) for hit in sought}
            told = [hit for hit in sought if above[hit] < depth and self._stands_above(hit, horizon)]
            for hit in told:
                equals = self._by_capsule([each for each in strengths if self._key(each) == self._key(hit)])
                ranks[hit.number] = above[hit] + 1 + [each.number for each in equals].index(hit.number)
            sought = [hit for hit in sought if above[hit] < depth and hit not in told]
            count *= WIDENING
        return {number: rank for number, rank in ranks.items() if rank <= depth}

    def ranked(self, numbers: Sequence[int]) -> Iterator[Ranked]:
        """Return the whole claims of matches that `order` returned, in the order of `numbers`."""
        capsules = self._read_capsules(numbers)
        for number in numbers:
            hit = self.scorer.score(number, self._words[number])
            if hit is not None and number in capsules:
                yield Ranked(hit, capsules[number], decayed_weight(capsules[number], self.at))

    def words_of(self, numbers: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """Return the folded words of contents, matches or not; a number without content has none."""
        new = [number for number in numbers if number not in self._words]
        contents = self.view.reader.contents(new) if new else {}
        self._words.update((number, fold_words(contents[number]) if number in contents else []) for number in new)
        return self._words

    def _stands_above(self, hit: TextRank, horizon: Horizon | None) -> bool:
        """Whether a match stands strictly above everything that was not read."""
        return horizon is None or self._key(hit) < self._key(horizon)

    def _by_capsule(self, equals: list[Strength]) -> list[Strength]:
        if len(equals) == 1:
            return equals
        capsules = self._read_capsules([each.number for each in equals])
        known = [(each, capsules[each.number]) for each in equals if each.number in capsules]
        known.sort(key=lambda one: self._equals(one[1], decayed_weight(one[1], self.at)))
        return [each for each, _ in known]

    def _read_capsules(self, numbers: Sequence[int]) -> Mapping[int, Capsule]:
        new = [number for number in numbers if number not in self._capsules]
        if new:
            self._capsules.update(self.view.reader.capsules(new))
        return self._capsules

    def _proven(self, wanted: int) -> list[Strength]:
        """Return matches among which the best `wanted` surely are, ties at the cut included."""
        count = wanted + SPARE_CANDIDATES
        while True:
            found, horizon = self._read(count)
            if horizon is None or (
                len(found) >= wanted and self._stands_above(sorted(found, key=self._key)[wanted - 1], horizon)
            ):
                return found
            count *= WIDENING

    def _read(self, count: int) -> tuple[list[Strength], Horizon | None]:
        """Return everything that was read so far, among it the best `count` as the index has it, and what bounds the rest."""
        proposals = self._proposed(count)
        self._weigh_new(proposals.numbers)
        return [strength for strength in self._strengths.values() if strength is not None], proposals.horizon

    def _proposed(self, count: int) -> Proposals:
        if count not in self._proposals:
            self._proposals[count] = self.view.terms.proposals(self.query, count, self.weights)
        return self._proposals[count]

    def _weigh_new(self, numbers: Sequence[int]) -> None:
        new = [number for number in numbers if number not in self._strengths]
        contents = self.view.reader.contents(new)
        for number in new:
            # A number without content was forgotten since it was indexed: an index can lag, it can never invent.
            content = contents.get(number)
            self._words[number] = [] if content is None else fold_words(content)
            self._strengths[number] = self.scorer.strength(number, self._words[number])


def term_lane(view: RecallView, query: TermQuery, corpus: Corpus, at: Instant, equals: CapsuleKey = capsule_key) -> TermLane:
    """Return the lane for one query; reads the document frequency of every word that it asks for."""
    frequencies = view.terms.frequencies(query.words, corpus.scope)
    weights = weigh(frequencies, corpus.statistics)
    return TermLane(view, query, weights, Scorer(query.groups, weights, view.services), at, equals)


def corpus_of(reader: TruthReader, subtrees: frozenset[str] | None, scope: Scope) -> Corpus:
    """Return the corpus of a caller: the whole store, or what lies inside the fence of their token (L17, F13)."""
    if subtrees is None:
        return Corpus(reader.corpus(), Scope())
    return Corpus(reader.corpus_within(subtrees), scope)
