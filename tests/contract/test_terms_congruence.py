"""Every term index answers exactly as the pure predicates do, whatever was written before and whatever is asked."""

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recordance.ports.terms import TermReplica, TermSnapshot
from recordance.query.document import TermDocument, TermQuery
from recordance.query.exclusion import first_exclusion
from recordance.query.fence import admits
from recordance.ranking.bm25 import CorpusStatistics
from recordance.ranking.scoring import Weights, weigh
from support.documents import NUMBERS, REPLICAS, Batch, adopted, batches, query_about

NO_WEIGHTS = Weights({}, CorpusStatistics(0, 0))


@pytest.fixture(params=REPLICAS, scope="module")
def replica(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TermReplica]:
    with adopted(request.param, tmp_path_factory.mktemp("replicas")) as replica:
        yield replica


def written(replica: TermReplica, history: list[Batch]) -> dict[int, TermDocument]:
    """Write a history into an emptied replica, and return what it must hold then."""
    replica.clear(0)
    held: dict[int, TermDocument] = {}
    for seq, batch in enumerate(history, 1):
        replica.replace(batch.numbers, batch.documents, seq)
        held |= {each.number: each for each in batch.documents}
        held = {number: each for number, each in held.items() if number not in batch.gone}
    return held


def matches(document: TermDocument, query: TermQuery) -> bool:
    words = set(document.words)
    covered = sum(any(words.issuperset(way.words) for way in group.alternatives) for group in query.groups)
    return covered >= query.least_coverage and admits(query.scope, document.capsule, document.marks)


@settings(max_examples=40)
@given(history=batches(), seed=st.integers(0, 2**32))
def test_what_may_ground_and_what_is_excluded_is_what_the_predicates_say(
    replica: TermReplica, history: list[Batch], seed: int
) -> None:
    """F1, F2, F3, F4, F5, F6, F7, F9, F11, O2: every fence and every reason, pushed down, at every boundary of time."""
    held, chance = written(replica, history), random.Random(seed)
    snapshot = replica.snapshot()
    for _ in range(25):
        query = query_about(list(held.values()), chance)
        masked = frozenset(chance.sample(NUMBERS, chance.choice([0, 0, 1, 3])))
        judged = {
            number: first_exclusion(each.capsule, query.eligibility)
            for number, each in held.items()
            if number not in masked and matches(each, query)
        }
        counted = Counter(judged.values())
        tally = snapshot.tally(query, masked)
        assert tally.eligible == counted.pop(None, 0), query
        assert {reason: count for reason, count in tally.excluded.items() if count} == counted, query
        proposals = snapshot.proposals(query, masked, 100, weights_of(snapshot, query))
        assert sorted(proposals.numbers) == sorted(number for number, reason in judged.items() if reason is None), query
        assert proposals.horizon is None


@settings(max_examples=25)
@given(history=batches(), seed=st.integers(0, 2**32))
def test_frequencies_presence_and_counts_are_exact(replica: TermReplica, history: list[Batch], seed: int) -> None:
    """L17: the number of contents that have a word, inside a fence and without what is masked, is no estimate."""
    held, chance = written(replica, history), random.Random(seed)
    snapshot = replica.snapshot()
    for _ in range(25):
        query = query_about(list(held.values()), chance)
        masked = frozenset(chance.sample(NUMBERS, chance.choice([0, 0, 1, 3])))
        seen = [each for number, each in held.items() if number not in masked and admits(query.scope, each.capsule, each.marks)]
        expected = {word: sum(word in each.words for each in seen) for word in query.words | {"absent"}}
        assert snapshot.frequencies(expected.keys(), masked, query.scope) == expected, query.scope
    assert snapshot.document_count == len(held)
    assert snapshot.numbers_present([*NUMBERS, 10**6]) == held.keys()
    words = {word for document in held.values() for word in document.words}
    for beginning in {word[:1] for word in words} | {"absent"}:
        found = set(snapshot.words_from(beginning))
        assert found >= {word for word in words if word.startswith(beginning)}, beginning
        assert all(word.startswith(beginning) for word in found), beginning


def weights_of(snapshot: TermSnapshot, query: TermQuery) -> Weights:
    frequencies = snapshot.frequencies(query.words, (), query.scope)
    return weigh(frequencies, CorpusStatistics(max(frequencies.values()), 10)) if any(frequencies.values()) else NO_WEIGHTS
