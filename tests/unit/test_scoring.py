"""What a text says for its capsule: whole terms, exact words, BM25 by hand, and how much of the question it covers."""

import itertools
import math
import random
from collections.abc import Mapping

import pytest

from recordance.query.folding import fold_words
from recordance.query.terms import TermGroup, expand, read_terms
from recordance.ranking.bm25 import CorpusStatistics, idf
from recordance.ranking.scoring import Scorer, TermHit, Weights, weigh

CORPUS = CorpusStatistics(capsules=10, words=80)
RARE, COMMON = math.log(1 + 9.5 / 1.5), math.log(1 + 2.5 / 8.5)
"""The idf of a word that one content of ten has, and of one that eight have."""


def groups_of(*terms: str, aliases: Mapping[str, list[str]] | None = None) -> tuple[TermGroup, ...]:
    taught = {key: [(text, tuple(dict.fromkeys(fold_words(text)))) for text in texts] for key, texts in (aliases or {}).items()}
    return expand(read_terms(terms), taught)


def weights_of(groups: tuple[TermGroup, ...], **frequencies: int) -> Weights:
    """Weights in which every asked word stands in one content, unless said otherwise."""
    asked = {word for group in groups for way in group.alternatives for word in way.words}
    return weigh({word: frequencies.get(word, 1) for word in asked}, CORPUS)


def hit_of(content: str, *terms: str, aliases: Mapping[str, list[str]] | None = None, **frequencies: int) -> TermHit | None:
    groups = groups_of(*terms, aliases=aliases)
    return Scorer(groups, weights_of(groups, **frequencies)).score(7, fold_words(content))


def found(content: str, *terms: str, aliases: Mapping[str, list[str]] | None = None, **frequencies: int) -> TermHit:
    hit = hit_of(content, *terms, aliases=aliases, **frequencies)
    assert hit is not None
    return hit


@pytest.mark.parametrize("content", ["pin tokio at 1.38", "tokio: a pin", "tokio " + "far " * 500 + "pin"])
def test_the_words_of_a_term_match_in_any_order_at_any_distance(content: str) -> None:
    """T2: a term is a set of words; nobody recalls in which order something was written."""
    assert found(content, "tokio pin").matched == ("tokio pin",)


def test_a_term_of_which_one_word_is_missing_does_not_match() -> None:
    """T2: inside one term the words are AND-ed."""
    assert hit_of("pin serde at 1.0", "tokio pin") is None


def test_any_one_of_several_terms_is_enough() -> None:
    """T2: terms are OR-ed, and those that matched are named in the caller's order."""
    hit = found("beta and gamma", "gamma", "alpha", "beta")
    assert (hit.coverage, hit.matched) == (2, ("gamma", "beta"))


@pytest.mark.parametrize(("content", "term"), [("tokens", "token"), ("token", "tokens"), ("pinned", "pin"), ("ünpin", "pin")])
def test_a_word_matches_itself_alone_and_no_form_of_it(content: str, term: str) -> None:
    """T3: no stemming and no prefixing; the caller sends the forms."""
    assert hit_of(content, term) is None


def test_an_alias_grounds_its_term_and_says_so() -> None:
    """T7: a hit by alias shows the alias as it was taught."""
    hit = found("the 設備清單 is here", "設備", aliases={"設備": ["設備清單"]})
    assert (hit.coverage, hit.matched) == (1, ("alias:設備清單",))


def test_a_term_found_by_itself_and_by_two_aliases_covers_once() -> None:
    """T7: coverage counts the caller's terms, however many ways lead to one."""
    hit = found("car auto vehicle", "car", aliases={"car": ["auto", "vehicle"]})
    assert (hit.coverage, hit.matched) == (1, ("car", "alias:auto", "alias:vehicle"))


def test_an_alias_of_several_words_needs_them_all() -> None:
    """T7, T2: an alias is a term like any other."""
    assert hit_of("garbage truck", "gc", aliases={"gc": ["garbage collection"]}) is None
    assert found("collection of garbage", "gc", aliases={"gc": ["garbage collection"]}).matched == ("alias:garbage collection",)


def test_one_alias_of_two_terms_is_shown_once_and_covers_both() -> None:
    """T7: `matched_terms` explains, `relevance` counts."""
    hit = found("automobile", "car", "auto", aliases={"car": ["automobile"], "auto": ["automobile"]})
    assert (hit.coverage, hit.matched) == (2, ("alias:automobile",))


def test_bm25_is_what_the_formula_says() -> None:
    """L17: k1 1.2, b 0.75, written out for one content of four words in a corpus with eight words each."""
    norm = 1.2 * (0.25 + 0.75 * 4 / 8)
    expected = RARE * 1 * 2.2 / (1 + norm) + COMMON * 2 * 2.2 / (2 + norm)
    assert found("tokio pin tokio here", "pin", "tokio", tokio=8).bm25 == pytest.approx(expected, rel=1e-15)


def test_bm25_is_the_same_formula_for_many_words() -> None:
    """L17: however a long query's words are counted, repetitions in the content count."""
    asked = [f"word{place}" for place in range(30)]
    content = " ".join(word for place, word in enumerate(asked) for _ in range(1 + place % 3))
    norm = 1.2 * (0.25 + 0.75 * 60 / 8)
    expected = math.fsum(RARE * count * 2.2 / (count + norm) for count in (1, 2, 3)) * 10
    hit = found(content, *asked)
    assert hit.bm25 == pytest.approx(expected, rel=1e-14)
    assert (hit.coverage, hit.matched, hit.support) == (30, tuple(asked), 1.0)


def test_words_of_a_term_that_did_not_match_as_a_whole_add_nothing() -> None:
    """L17: half a term is no evidence."""
    alone, beside = found("alpha beta", "alpha"), found("alpha beta", "alpha", "beta missing")
    assert beside.bm25 == alone.bm25
    assert beside.matched == ("alpha",)


def test_words_of_an_alias_that_did_not_match_as_a_whole_add_nothing() -> None:
    """L17: the same holds for what was taught."""
    assert found("car motor", "car", aliases={"car": ["motor vehicle"]}).bm25 == found("car motor", "car").bm25


def test_a_word_asked_for_twice_scores_once() -> None:
    """L17: each word once, whether two terms ask for it or a term and its alias."""
    once = found("pin tokio", "pin tokio")
    assert found("pin tokio", "pin tokio", "tokio", "pin").bm25 == once.bm25
    assert found("pin tokio", "tokio pin", aliases={"tokio pin": ["pin tokio"]}).bm25 == once.bm25


def test_the_order_of_terms_changes_no_bit_of_a_score() -> None:
    """L17, O11: equal inputs give equal bits, whatever the order of addition."""
    terms = ("alpha", "beta", "gamma", "delta epsilon")
    content = "alpha beta gamma delta epsilon alpha gamma zeta"
    scores = {
        found(content, *order, alpha=3, beta=7, gamma=2, delta=9, epsilon=5).bm25 for order in itertools.permutations(terms)
    }
    assert len(scores) == 1


def test_a_word_that_every_content_has_still_weighs_something() -> None:
    """L17: this idf never falls to zero or below, so that the score of a match never turns against it."""
    assert 0 < idf(10, 10) < idf(9, 10) < idf(1, 10)
    assert idf(1, 1) > 0


def test_a_longer_content_scores_lower_for_the_same_words() -> None:
    """L17: length counts every word of the content, repetitions included."""
    assert found("tokio", "tokio").bm25 > found("tokio far away", "tokio").bm25
    assert found("tokio far away", "tokio").bm25 == found("tokio far far", "tokio").bm25


def test_support_is_the_share_of_the_idf_of_the_words_that_are_found() -> None:
    """O12: a rare word found says more than a common one."""
    assert found("rare thing", "rare", "common", common=8).support == pytest.approx(RARE / (RARE + COMMON), rel=1e-15)
    assert found("common thing", "rare", "common", common=8).support == pytest.approx(COMMON / (RARE + COMMON), rel=1e-15)


def test_support_counts_found_words_of_terms_that_did_not_match() -> None:
    """O12: support asks how much of the question is covered, by the word, not by the term."""
    assert found("alpha beta", "alpha", "beta missing").support == pytest.approx(2 / 3, rel=1e-15)


def test_a_term_found_by_alias_is_wholly_supported() -> None:
    """O12: what was taught to mean the same covers the same."""
    hit = found("collection of garbage", "gc pause", "heap", aliases={"gc pause": ["garbage collection"]})
    assert hit.support == pytest.approx(2 / 3, rel=1e-15)


def test_support_of_a_text_with_every_word_is_exactly_one() -> None:
    """O12: a bound of 1 admits what covers everything, and no rounding may deny it."""
    assert found("g f e d c b a", "a b", "c d", "e f g", a=3, b=7, c=2, d=9, e=5, f=4).support == 1.0


WORDS = ("a", "b", "c", "d")


@pytest.mark.parametrize("seed", range(40))
def test_the_strength_that_ranks_is_that_of_the_whole_hit(seed: int) -> None:
    """L6, L17: to the bit, for terms of one word and of several, with aliases and words that several terms share."""
    chance = random.Random(seed)
    terms = {" ".join(chance.sample(WORDS, chance.choice((1, 1, 2)))) for _ in range(chance.randint(1, 4))}
    aliases = {term: [chance.choice(WORDS)] for term in terms if chance.random() < 0.3}
    groups = groups_of(*sorted(terms), aliases=aliases)
    scorer = Scorer(groups, weights_of(groups, a=9, b=5))
    for _ in range(50):
        words = chance.choices((*WORDS, "z"), k=chance.randint(0, 9))
        hit, strength = scorer.score(7, words), scorer.strength(7, words)
        assert (hit is None) == (strength is None)
        if hit is not None and strength is not None:
            assert (hit.coverage, hit.bm25) == (strength.coverage, strength.bm25)


def test_a_content_that_no_term_matches_has_its_share_of_their_words() -> None:
    """O12: one rare word of "rare common" is most of what was asked."""
    groups = groups_of("rare common")
    scorer = Scorer(groups, weights_of(groups, common=8))
    assert scorer.share(["rare", "thing"]) == RARE / (RARE + COMMON)
    assert scorer.share(["thing"]) == 0.0
