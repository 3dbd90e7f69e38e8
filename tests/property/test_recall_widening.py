"""The index proposes few and bounds the rest: the lane reads on until the order of what is wanted is proven.

The engine here is as stingy as a real one may be: it ranks by scores that are wrong by up to its slack, proposes no more than it
is asked for, and bounds what it kept back by that slack. What the lane then returns must be what reading everything returns.
"""

import math
import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from recordance.domain.instant import Instant
from recordance.ports.terms import Horizon, Proposals
from recordance.ports.truth import TruthReader
from recordance.query.document import Order, TermQuery
from recordance.query.exclusion import Eligibility, first_exclusion
from recordance.query.fence import Scope
from recordance.query.folding import fold_words
from recordance.query.terms import expand, read_terms
from recordance.ranking.keys import capsule_key, decayed_weight
from recordance.ranking.scoring import Scorer, TermHit, Weights
from recordance.usecases.follow import RecallView, TermView
from recordance.usecases.term_lane import SPARE_CANDIDATES, WIDENING, Corpus, TermLane, term_lane
from support.recalls import Recalls
from support.scenes import Scene
from support.truths import NOON, entombed
from support.watching import Watched

SLACKS = (0.0, 0.001, 0.3, math.inf)
WANTED = (1, 2, 12, 40, 1_000)
TERMS = (("w1",), ("w1", "w2", "w4"), ("w1 w2", "w3", "w6", "w7 w1"), ("w40", "w2 w9"))

EVERYTHING = 1_000_000


@dataclass
class Stingy:
    """A term view that proposes the best by its own wrong scores, and bounds the rest truly."""

    whole: TermView
    reader: TruthReader
    slack: float
    stale: tuple[int, ...] = ()
    asked: list[int] = field(default_factory=list)

    def frequencies(self, words: Collection[str], scope: Scope) -> Mapping[str, int]:
        """Return them exactly."""
        return self.whole.frequencies(words, scope)

    def words_from(self, beginning: str) -> Collection[str]:
        """Return all of them."""
        return self.whole.words_from(beginning)

    def proposals(self, query: TermQuery, count: int, weights: Weights) -> Proposals:
        """Return `count` numbers, stale ones first, with a bound on what is kept back."""
        self.asked.append(count)
        hits = sorted(self._hits(query, weights), key=lambda hit: self._wrong_key(hit)[1 if query.order is Order.WEIGHT else 0 :])
        proposed, kept = hits[: count - len(self.stale)], hits[count - len(self.stale) :]
        numbers = (*self.stale, *(hit.number for hit in proposed))
        if not kept:
            return Proposals(numbers, None)
        coverage = max(hit.coverage for hit in kept)
        best = max(hit.bm25 for hit in kept if hit.coverage == coverage or query.order is Order.WEIGHT)
        return Proposals(numbers, Horizon(coverage, best * (1 + self.slack)))

    def _hits(self, query: TermQuery, weights: Weights) -> list[TermHit]:
        numbers = self.whole.proposals(query, EVERYTHING, weights).numbers
        contents = self.reader.contents(numbers)
        found = [Scorer(query.groups, weights).score(number, fold_words(contents[number])) for number in numbers]
        return [hit for hit in found if hit is not None]

    def _wrong_key(self, hit: TermHit) -> tuple[float, float]:
        wrong = min(self.slack, 9.0) * (random.Random(hit.number).random() - 0.5)
        return -hit.coverage, -hit.bm25 * (1 + wrong)


def query_of(terms: tuple[str, ...], order: Order) -> TermQuery:
    return TermQuery(groups=expand(read_terms(terms), {}), scope=Scope(), eligibility=Eligibility(at=NOON), order=order)


def lane_of(terms: tuple[str, ...], reader: Any, view: Any, order: Order = Order.COVERAGE) -> TermLane:
    return term_lane(RecallView(reader, view, 0), query_of(terms, order), Corpus(reader.corpus(), Scope()), Instant(NOON))


def lived(seed: int) -> Recalls:
    recalls = Recalls()
    recalls.write(*Scene(seed).beginning(250))
    return recalls


@pytest.mark.parametrize("slack", SLACKS)
@pytest.mark.parametrize(("seed", "order"), [(0, Order.COVERAGE), (1, Order.COVERAGE), (2, Order.WEIGHT)])
def test_a_stingy_index_gives_the_same_ranking_as_a_whole_one(seed: int, order: Order, slack: float) -> None:
    """L6, L17: an engine's scores propose; what is returned is proven, ties at the cut included."""
    with lived(seed).follower.at_head() as head:
        for terms in TERMS:
            whole = lane_of(terms, head.reader, head.terms, order)
            for wanted in WANTED:
                stingy = lane_of(terms, head.reader, Stingy(head.terms, head.reader, slack), order)
                assert stingy.best(wanted) == whole.best(wanted), f"seed {seed}, {terms}, {wanted}"


def by_hand(terms: tuple[str, ...], reader: TruthReader) -> list[int]:
    """Every capsule that may ground and has all words of a term, by the summed weights of the words that match, then by hand."""
    every = range(1, reader.last_number() + 1)
    contents = {number: fold_words(content) for number, content in reader.contents(every).items()}
    mean = sum(map(len, contents.values())) / len(contents)
    scored = []
    for number, capsule in reader.capsules(every).items():
        content = contents.get(number, [])
        matching = {word for term in terms if set(term.split()) <= set(content) for word in term.split()}
        if matching and first_exclusion(capsule, Eligibility(at=NOON)) is None:
            score = 0.0
            for word in sorted(matching):
                having = sum(word in each for each in contents.values())
                idf = math.log(1 + (len(contents) - having + 0.5) / (having + 0.5))
                count = content.count(word)
                score += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(content) / mean))
            scored.append((-round(score, 9), capsule_key(capsule, decayed_weight(capsule, NOON)), number))
    return [number for _, _, number in sorted(scored)]


@pytest.mark.parametrize("seed", range(2))
def test_by_weight_the_words_of_a_question_rank_without_being_counted(seed: int) -> None:
    """L17: the sum of the matching words' BM25 alone, by a loop over every capsule; ties as in any order of the lane."""
    with lived(seed).follower.at_head() as head:
        for terms in TERMS:
            best = lane_of(terms, head.reader, head.terms, Order.WEIGHT).best(1_000)
            assert [one.capsule.number for one in best] == by_hand(terms, head.reader), (seed, terms)


def test_a_tie_at_the_cut_is_read_to_its_end() -> None:
    """L6: of many texts that score alike, later keys choose, and the one they choose may be the last."""
    recalls = Recalls()
    recalls.remember(*["w1"] * 399)
    recalls.remember("w1", confidence=0.9)
    with recalls.follower.at_head() as head:
        view = Stingy(head.terms, head.reader, 0.0)
        (best,) = lane_of(("w1",), head.reader, view).best(1)
    assert best.capsule.number == 400
    assert view.asked == [(1 + SPARE_CANDIDATES) * WIDENING**step for step in range(len(view.asked))]
    assert view.asked[-2] < 400 <= view.asked[-1]


def test_one_reading_settles_an_order_without_ties() -> None:
    """L6: the spare candidates are enough where the index is nearly right, and no content is read twice."""
    recalls = Recalls()
    recalls.remember(*["w1 " * (1 + place) + "w2 " * (300 - place) for place in range(300)])
    read: list[int] = []

    def told(name: str, given: tuple[Any, ...]) -> None:
        if name == "TruthReader.contents":
            read.extend(given[0])

    with recalls.follower.at_head() as head:
        view = Stingy(head.terms, head.reader, 0.0001)
        best = lane_of(("w1",), Watched(head.reader, "TruthReader", told), view).best(10)
    assert [one.capsule.number for one in best] == list(range(300, 290, -1))
    assert view.asked == [10 + SPARE_CANDIDATES]
    assert len(read) == 10 + SPARE_CANDIDATES


def test_no_content_is_read_twice_however_often_the_index_is_asked() -> None:
    """L6: widening reads what is new alone."""
    recalls = Recalls()
    recalls.remember(*["w1"] * 200)
    read: list[int] = []

    def told(name: str, given: tuple[Any, ...]) -> None:
        if name == "TruthReader.contents":
            read.extend(given[0])

    with recalls.follower.at_head() as head:
        view = Stingy(head.terms, head.reader, 0.0)
        assert len(lane_of(("w1",), Watched(head.reader, "TruthReader", told), view).best(5)) == 5
    assert len(view.asked) > 1
    assert sorted(read) == list(range(1, 201))


def test_what_an_index_proposes_wrongly_never_ranks() -> None:
    """L17, F8: forgotten, unknown and never matching capsules take no place, and make the lane read on."""
    recalls = Recalls()
    recalls.remember(*["w1"] * 50, "w2", "w1")
    recalls.write(entombed(52))
    with recalls.follower.at_head() as head:
        whole = lane_of(("w1",), head.reader, head.terms).best(20)
        stale = (51, 52, 99, *range(1_000, 1_030))
        wrong = lane_of(("w1",), head.reader, Stingy(head.terms, head.reader, 0.0, stale)).best(20)
    assert wrong == whole
    assert [one.capsule.number for one in wrong] == list(range(1, 21))


def test_a_lane_without_matches_is_empty() -> None:
    """O6: and asks once."""
    recalls = Recalls()
    recalls.remember("w2")
    with recalls.follower.at_head() as head:
        view = Stingy(head.terms, head.reader, 0.0)
        assert lane_of(("w1",), head.reader, view).best(7) == ()
    assert len(view.asked) == 1
