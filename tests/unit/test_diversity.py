"""Diversity: what comes first also differs from what came before it."""

import random

from recordance.domain.embedding import vector_of
from recordance.domain.similarity import likeness
from recordance.ranking.diversity import Contender, diverse


def contender(number: int, relevance: float, words: str, *vector: float) -> Contender:
    return Contender(
        number=number, relevance=relevance, words=frozenset(words.split()), vector=vector_of(vector) if vector else None
    )


def test_at_one_nothing_but_relevance_counts() -> None:
    """L11: 1.0 is pure relevance, even among texts that say the same; equals keep their order."""
    same = [contender(number, relevance, "we pin tokio") for number, relevance in ((5, 1.0), (2, 0.7), (9, 0.7), (1, 0.2))]
    assert diverse(same, 10, 1.0) == (5, 2, 9, 1)


def test_a_near_duplicate_gives_way_to_something_else() -> None:
    """L11: whoever asks for diversity does not want the same statement ten times."""
    found = [
        contender(1, 1.0, "we pin tokio at one"),
        contender(2, 0.9, "we pin tokio at one today"),
        contender(3, 0.5, "releases go out on fridays"),
    ]
    assert diverse(found, 2, 0.5) == (1, 3)
    assert diverse(found, 3, 0.5) == (1, 3, 2)


def test_vectors_tell_likeness_where_both_have_one() -> None:
    """L11: two wordings of one thought lie near each other though they share no word."""
    found = [
        contender(1, 1.0, "the deploy is frozen", 1.0, 0.0),
        contender(2, 0.9, "nothing ships now", 0.99, 0.1),
        contender(3, 0.6, "the deploy is frozen", 0.0, 1.0),
    ]
    assert diverse(found, 2, 0.5) == (1, 3)


def test_words_tell_likeness_where_one_has_no_vector() -> None:
    """L11: a capsule without a vector is compared by what it says."""
    found = [contender(1, 1.0, "a b c d", 1.0, 0.0), contender(2, 0.9, "a b c d"), contender(3, 0.6, "e f")]
    assert diverse(found, 2, 0.5) == (1, 3)


def test_opposites_are_as_different_as_strangers() -> None:
    """L11: a negative cosine would otherwise be a reward that words can never earn."""
    found = [contender(1, 1.0, "a", 1.0, 0.0), contender(2, 0.5, "b", 0.0, 1.0), contender(3, 0.49, "c", -1.0, 0.0)]
    assert diverse(found, 3, 0.5) == (1, 2, 3)


def test_every_choice_is_the_greedy_one() -> None:
    """L11: bounds spare comparisons and never change a choice; a plain computation of the formula agrees on drawn contenders."""
    for seed in range(60):
        chance = random.Random(seed)
        found = [_drawn(chance, number) for number in range(chance.randint(1, 14))]
        found.sort(key=lambda each: -each.relevance)
        balance = chance.choice((0.0, 0.3, 0.5, 0.8, 1.0))
        wanted = chance.randint(1, 14)
        assert diverse(found, wanted, balance) == _plainly(found, wanted, balance), f"seed {seed}"


def _drawn(chance: random.Random, number: int) -> Contender:
    words = " ".join(chance.choices("abcdef", k=chance.randint(1, 5)))
    return contender(number, chance.choice((0.1, 0.4, 0.5, 1.0)), words)


def _plainly(found: list[Contender], wanted: int, balance: float) -> tuple[int, ...]:
    chosen: list[Contender] = []

    def value(each: Contender) -> float:
        nearest = max((likeness(each.words, one.words) for one in chosen), default=0.0)
        return balance * each.relevance - (1.0 - balance) * nearest

    while len(chosen) < min(wanted, len(found)):
        chosen.append(max((each for each in found if each not in chosen), key=value))
    return tuple(each.number for each in chosen)
