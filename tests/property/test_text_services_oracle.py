"""Stems and segments on every term index: ranked and counted as a loop over every capsule ranks and counts them."""

import math
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from recordance.domain.capsule import Standing
from recordance.ports.truth import TruthReader
from recordance.query.document import Order, TermQuery
from recordance.query.exclusion import Eligibility, first_exclusion
from recordance.query.fence import Scope
from recordance.query.terms import expand, read_terms
from recordance.query.text_services import TextServices, fragments_of
from recordance.ranking.keys import capsule_key, decayed_weight
from recordance.usecases.term_lane import Corpus, term_lane
from support.documents import REPLICAS, adopted
from support.recalls import Recalls
from support.truths import NOON

SERVICES = TextServices("two letters, pairs", lambda word: word[:2], fragments_of)
VOCABULARY = [a + b + c for a in "ab" for b in "cde" for c in "xyz"]
RUNS = ["検索", "検", "索検", "検索検索", "設検"]
SEEDS = range(3)


@pytest.fixture(params=REPLICAS)
def replica(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[object]:
    with adopted(request.param, tmp_path) as replica:
        yield replica


def text(chance: random.Random) -> str:
    words = [chance.choice(VOCABULARY if chance.random() < 0.8 else RUNS) for _ in range(chance.randint(1, 12))]
    return " ".join(words)


def lived(replica: object, chance: random.Random) -> Recalls:
    """Capsules in the replica by several commits, and some above it in the overlay; one in six is excluded."""
    recalls = Recalls(replica=replica, services=SERVICES)
    for _ in range(4):
        recalls.follower.commit()
        recalls.remember(*(text(chance) for _ in range(40)))
        recalls.remember(*(text(chance) for _ in range(8)), labels={}, standing=Standing(archived_at=NOON))
    return recalls


Found = tuple[str, str]
"""What a query's word is counted by: itself, its stem or a piece of a run."""


def counted(found: Found, content: list[str]) -> int:
    kind, piece = found
    if kind == "word":
        return content.count(piece)
    if kind == "stem":
        return sum(each[:2] == piece for each in content)
    return sum(each.startswith(piece, at) for each in content for at in range(len(each)) if each in RUNS)


def ways(term: list[str]) -> list[list[Found]]:
    """The ways in which a term can match, itself first."""
    stems = [("stem", word[:2]) for word in term]
    if not any(word in RUNS for word in term):
        return [[("word", word) for word in term], stems]
    cut = [
        [("piece", word[at : at + 2]) for at in range(len(word) - 1)] or [("piece", word)] if word in RUNS else [("word", word)]
        for word in term
    ]
    return [[("word", word) for word in term], stems, [piece for pieces in cut for piece in pieces]]


def by_hand(terms: list[list[str]], order: Order, reader: TruthReader) -> tuple[list[int], int]:
    """The numbers of all that may ground, in order, and how many matches there are besides."""
    every = range(1, reader.last_number() + 1)
    contents = {number: content.split() for number, content in reader.contents(every).items()}
    mean = sum(map(len, contents.values())) / len(contents)
    ranked, excluded = [], 0
    for number, capsule in reader.capsules(every).items():
        content, inexact, matching, coverage = contents[number], 0, set[Found](), 0
        for term in terms:
            standing = [way for way in ways(term) if all(counted(each, content) for each in way)]
            if standing:
                coverage += 1
                exact = standing[0] == ways(term)[0]
                inexact += not exact
                matching |= set(standing[0] if exact else [each for way in standing for each in way])
        if not coverage:
            continue
        if first_exclusion(capsule, Eligibility(at=NOON)) is not None:
            excluded += 1
            continue
        score = 0.0
        for each in matching:
            having = sum(counted(each, other) > 0 for other in contents.values())
            count = counted(each, content)
            weight = math.log(1 + (len(contents) - having + 0.5) / (having + 0.5))
            score += weight * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(content) / mean))
        key = (-coverage, inexact, -round(score, 9)) if order is Order.COVERAGE else (-round(score, 9),)
        ranked.append((*key, capsule_key(capsule, decayed_weight(capsule, NOON)), number))
    return [each[-1] for each in sorted(ranked)], excluded


@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("seed", SEEDS)
def test_what_services_find_is_ranked_and_counted_as_by_hand(replica: object, seed: int, order: Order) -> None:
    """T5, T9, L6, L17: coverage, then what matched exactly, then the BM25 of words, stems and pieces."""
    chance = random.Random(seed)
    recalls = lived(replica, chance)
    with recalls.follower.at_head() as view:
        for _ in range(12):
            terms = [text(chance).split()[: chance.choice([1, 1, 2])] for _ in range(chance.randint(1, 4))]
            terms = [list(each) for each in dict.fromkeys(tuple(dict.fromkeys(term)) for term in terms)]
            groups = view.services.widened(expand(read_terms([" ".join(term) for term in terms]), {}))
            query = TermQuery(groups=groups, scope=Scope(), eligibility=Eligibility(at=NOON), order=order)
            lane = term_lane(view, query, Corpus(view.reader.corpus(), Scope()), NOON)
            expected, excluded = by_hand(terms, order, view.reader)
            for wanted in (3, 1_000):
                assert [each.capsule.number for each in lane.best(wanted)] == expected[:wanted], (seed, terms)
            tally = view.terms.tally(query)
            assert (tally.eligible, sum(tally.excluded.values())) == (len(expected), excluded), (seed, terms)
