"""What the engine leaves out is bounded by what its score proves: the best are always among what is proposed (L17)."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest

from recordance.domain.capsule import Standing
from recordance.ports.terms import Floor, Horizon, TermReplica
from recordance.query.document import Order, TermDocument, TermQuery
from recordance.query.exclusion import first_exclusion
from recordance.query.fence import Scope, SubtreeFence, admits
from recordance.ranking.bm25 import CorpusStatistics
from recordance.ranking.scoring import Scorer, TermHit, Weights, weigh
from support.documents import adopted, asking, document, zipf_content
from support.truths import NOON, labels

SEEDS = range(6)
CAPSULES, COMMITS, QUERIES = 240, 5, 25
SPARE, WIDENING = 32, 4
MOST_WIDENINGS = 1.0
"""On average and on these corpora, which are small, full of ties and worn by updates."""
OWN = Scope((SubtreeFence(frozenset({"p1"})),))
"""A token's fence: words that are common everywhere may be rare inside it, and the other way round."""
Key = tuple[float, ...]


@dataclass(frozen=True)
class Corpus:
    """A replica with a history, and what it holds at the end of it."""

    replica: TermReplica
    held: dict[int, TermDocument]

    def weights(self, query: TermQuery, scope: Scope) -> Weights:
        """The exact weights of the query's words inside a scope."""
        seen = [each for each in self.held.values() if admits(scope, each.capsule, each.marks)]
        frequencies = {word: sum(word in each.words for each in seen) for word in query.words}
        return weigh(frequencies, CorpusStatistics(len(seen), sum(len(each.words) for each in seen)))

    def exact(self, query: TermQuery, weights: Weights) -> dict[int, Key]:
        """What ranks every eligible match, more being better: its coverage, unless its weight alone counts, and its BM25."""
        scorer = Scorer(query.groups, weights)
        hits = [
            scorer.score(number, each.words)
            for number, each in self.held.items()
            if admits(query.scope, each.capsule, each.marks) and first_exclusion(each.capsule, query.eligibility) is None
        ]
        return {hit.number: key(query, hit) for hit in hits if hit and hit.coverage >= query.least_coverage}


def key(query: TermQuery, of: TermHit | Horizon | Floor) -> Key:
    """The order of a query, by hand."""
    return (of.coverage, of.bm25) if query.order is Order.COVERAGE else (of.bm25,)


@pytest.fixture(params=SEEDS, scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    with adopted("tantivy", tmp_path_factory.mktemp("replicas")) as replica:
        yield worn(replica, random.Random(request.param))


def worn(replica: TermReplica, chance: random.Random) -> Corpus:
    """Fill a replica in several commits; later ones change and drop a third of what the earlier ones wrote."""
    held: dict[int, TermDocument] = {}
    for commit in range(COMMITS):
        new = range(commit * CAPSULES // COMMITS, (commit + 1) * CAPSULES // COMMITS)
        changed = chance.sample(sorted(held), len(held) // 4)
        gone = chance.sample(sorted(held.keys() - set(changed)), len(held) // 12)
        documents = [made(number, chance) for number in (*changed, *(number + 1 for number in new))]
        replica.replace([*gone, *(each.number for each in documents)], documents, commit + 1)
        held |= {each.number: each for each in documents}
        held = {number: each for number, each in held.items() if number not in gone}
    return Corpus(replica, held)


def made(number: int, chance: random.Random) -> TermDocument:
    """A text of 5 to 2,000 words, short ones more often; one in five is excluded."""
    length = int(5 * 400 ** (chance.random() ** 2))
    standing = Standing(archived_at=NOON) if chance.random() < 0.2 else Standing()
    return document(
        number, zipf_content(chance, length), standing=standing, labels=labels(project_id=f"p{chance.choice([0, 0, 0, 0, 1])}")
    )


def query(chance: random.Random) -> TermQuery:
    """One to six terms of one to three words; aliases that share words with their terms and with each other."""
    terms = list(dict.fromkeys(zipf_content(chance, chance.choice([1, 1, 1, 2, 3])) for _ in range(chance.randint(1, 6))))
    aliases = {
        " ".join(term.split()): [zipf_content(chance, 1) + " " + term.split()[0] for _ in range(chance.randint(1, 3))]
        for term in terms
        if chance.random() < 0.3
    }
    return asking(*terms, aliases=aliases)


def question(chance: random.Random) -> TermQuery:
    """Sixty words, each a term of its own, of which many stand nearly everywhere."""
    return asking(*dict.fromkeys(zipf_content(chance, 60).split()))


def sharing(chance: random.Random) -> TermQuery:
    """Many long terms with many long aliases of few words: more sharing than can be scored exactly."""
    terms = list(dict.fromkeys(" ".join(f"w{chance.randint(1, 12)}" for _ in range(4)) for _ in range(12)))
    aliases = {term: [" ".join(f"w{chance.randint(1, 12)}" for _ in range(5)) for _ in range(4)] for term in terms}
    return asking(*terms, aliases=aliases)


@pytest.mark.parametrize("order", list(Order))
def test_no_match_that_was_left_out_is_above_the_horizon(corpus: Corpus, order: Order, request: pytest.FixtureRequest) -> None:
    """L17: for any count, under the whole store's weights and under those of a token's fence."""
    chance = random.Random(request.node.name)
    for place in range(QUERIES):
        scope = OWN if place % 3 == 2 else Scope()
        asked = replace((query, query, query, question, sharing)[place % 5](chance), scope=scope)
        asked = replace(asked, least_coverage=chance.choice([1, 1, min(2, len(asked.groups)), len(asked.groups)]), order=order)
        weights = corpus.weights(asked, scope)
        exact = corpus.exact(asked, weights)
        for count in (1, 2, 5, 20, 60):
            proposals = corpus.replica.snapshot().proposals(asked, (), count, weights)
            floor = proposals.floor
            above = [exact[number] >= key(asked, floor) for number in proposals.numbers]
            assert sum(above) >= floor.count, (asked, count, floor)
            rest = [rank for number, rank in exact.items() if number not in proposals.numbers]
            if proposals.horizon is None:
                assert not rest, asked
            else:
                bound = key(asked, proposals.horizon)
                assert len(proposals.numbers) == count
                assert all(rank <= bound for rank in rest), (asked, count, max(rest), bound)


@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("wanted", [1, 6, 20])
def test_widening_until_the_last_wanted_is_above_the_horizon_finds_the_best(
    corpus: Corpus, wanted: int, order: Order, request: pytest.FixtureRequest, record_property: Callable[[str, str], None]
) -> None:
    """L17: what ranks is exact, however many commits, updates and deletes the index has seen; few queries need a second look."""
    chance = random.Random(request.node.name)
    widenings = 0
    for _ in range(QUERIES):
        asked = replace(query(chance), order=order)
        weights = corpus.weights(asked, Scope())
        exact = corpus.exact(asked, weights)
        count = wanted + SPARE
        while not settled(asked, corpus, weights, exact, count, wanted):
            count *= WIDENING
            widenings += 1
    record_property("told", f"{widenings / QUERIES:.2f} widenings a query for the best {wanted} of {len(corpus.held)}")
    assert widenings / QUERIES <= MOST_WIDENINGS


def settled(asked: TermQuery, corpus: Corpus, weights: Weights, exact: dict[int, Key], count: int, wanted: int) -> bool:
    """Whether the proposals prove their best; if they do, they must be right."""
    proposals = corpus.replica.snapshot().proposals(asked, (), count, weights)
    found = sorted((exact[number] for number in proposals.numbers), reverse=True)
    bound = proposals.horizon and key(asked, proposals.horizon)
    if bound is not None and (len(found) < wanted or found[wanted - 1] <= bound):
        return False
    assert found[:wanted] == sorted(exact.values(), reverse=True)[:wanted], asked
    return True


def test_coverage_alone_ranks_without_weights(corpus: Corpus) -> None:
    """W1: a look for near-duplicates weighs no words; what it leaves out has no more words in common."""
    nothing = Weights({}, CorpusStatistics(0, 0))
    words = sorted(next(iter(corpus.held.values())).words)[:40]
    asked = replace(asking(*words), least_coverage=5)
    words_of = {number: len(set(words) & set(each.words)) for number, each in corpus.held.items()}
    eligible = corpus.exact(replace(asked, least_coverage=1), corpus.weights(asked, Scope()))
    expected = {number: words_of[number] for number in eligible if words_of[number] >= 5}
    proposals = corpus.replica.snapshot().proposals(asked, (), 4, nothing)
    assert [words_of[number] for number in proposals.numbers] == sorted(expected.values(), reverse=True)[:4]
    assert proposals.horizon is None or proposals.horizon.bm25 == pytest.approx(0.0, abs=1e-3)
