"""Near-duplicates found through an index that proposes few are those that comparing with everything finds."""

import random
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from recordance.domain.similarity import probes
from recordance.ports.terms import Horizon, Proposals
from recordance.ports.truth import TruthReader
from recordance.query.document import TermQuery
from recordance.query.fence import Scope
from recordance.query.folding import fold_words
from recordance.ranking.scoring import Weights
from recordance.usecases.follow import FollowerStatus, RecallView, TermFollower, TermView
from recordance.usecases.store import Destinations
from support.stores import DEFAULT, Bench, bench, draft

CAPSULES = 220
"""More than one look proposes, and fewer than the search gives up at."""

EVERYTHING = 1_000_000


@dataclass
class Stingy:
    """A term view that proposes as few as it may: the best by coverage, in any order among equals."""

    whole: TermView
    reader: TruthReader
    chance: random.Random

    def frequencies(self, words: Collection[str], scope: Scope) -> Mapping[str, int]:
        return self.whole.frequencies(words, scope)

    def words_from(self, beginning: str) -> Collection[str]:
        return self.whole.words_from(beginning)

    def proposals(self, query: TermQuery, count: int, weights: Weights) -> Proposals:
        numbers = list(self.whole.proposals(query, EVERYTHING, weights).numbers)
        self.chance.shuffle(numbers)
        contents = self.reader.contents(numbers)
        covered = {number: len(query.words.intersection(fold_words(contents[number]))) for number in numbers}
        numbers.sort(key=lambda number: -covered[number])
        kept = numbers[count:]
        return Proposals(tuple(numbers[:count]), Horizon(covered[kept[0]], 0.0) if kept else None)


@dataclass
class StingyFollower:
    """A follower whose every view is stingy."""

    whole: TermFollower
    chance: random.Random

    def status(self) -> FollowerStatus:
        return self.whole.status()

    @contextmanager
    def at_head(self) -> Iterator[RecallView]:
        with self.whole.at_head() as view:
            stingy: Any = Stingy(view.terms, view.reader, self.chance)
            yield RecallView(view.reader, stingy, view.head)


def stingy(store: Bench, chance: random.Random) -> Bench:
    follower: Any = StingyFollower(store.store.terms, chance)
    poorer = replace(store.store, terms=follower)
    return replace(store, store=poorer, destinations=Destinations({DEFAULT: poorer}))


@pytest.mark.parametrize("seed", range(12))
def test_a_stingy_index_hides_no_near_duplicate(seed: int) -> None:
    """W1: the search goes on until nothing that it has not seen can be among the best three."""
    chance = random.Random(seed)
    length = chance.choice((3, 9, 24, 60, 130))
    vocabulary = ["w" * chance.randint(1, 6) + str(number) for number in range(length * 2)]
    base = chance.sample(vocabulary, length)
    store = bench()
    contents = [varied(chance, base, vocabulary) for _ in range(CAPSULES)]
    for first in range(0, CAPSULES, 110):
        store.tell(*map(draft, contents[first : first + 110]))
    asked = varied(chance, base, vocabulary)
    result = stingy(store, chance).tell(draft(asked))["results"][0]
    if result["status"] == "deduplicated":
        return
    listed = [each["score"] for each in result.get("similar", [])]
    assert listed == [round(score, 2) for score in best_scores(store, asked, result["id"])], f"seed {seed}"


def varied(chance: random.Random, base: list[str], vocabulary: list[str]) -> str:
    """The base with some of its words replaced: few or most of them."""
    replaced = chance.choice((0.1, 0.3, 0.5, 0.6, 0.9))
    return " ".join(chance.choice(vocabulary) if chance.random() < replaced else word for word in base)


def best_scores(store: Bench, asked: str, own: str) -> list[float]:
    words = set(asked.split())
    with store.truth.reading() as reader:
        contents = {number: set(text.split()) for number, text in reader.contents(range(1, reader.last_number() + 1)).items()}
    del contents[int(own.removeprefix("cap-"))]
    scores = sorted((len(words & other) / len(words | other) for other in contents.values()), reverse=True)
    return [score for score in scores if score >= 0.5][:3]


@pytest.mark.parametrize("seed", range(40))
def test_half_of_the_words_cannot_all_lie_outside_what_is_asked(seed: int) -> None:
    """W1: also when the near-duplicate shares first what is not asked, and then as little as it can of each query."""
    chance = random.Random(seed)
    distinct = chance.randint(1, 600)
    words = [f"word{number}" for number in range(distinct - chance.randint(0, distinct // 3))]
    asked = probes(words, distinct, 64)
    rounds = [chance.sample(probe.words, len(probe.words)) for probe in asked.probes]
    unasked = set(words).difference(*rounds)
    assert len(unasked) == asked.unasked
    shared = [*unasked, *(word for turn in range(64) for row in rounds for word in row[turn : turn + 1])][: (distinct + 1) // 2]
    assert any(len(set(shared).intersection(probe.words)) >= probe.least for probe in asked.probes), f"seed {seed}"
