"""How much is shown: sizes by the character, the floor of one, and a bound on what can fit."""

import random
from typing import Any

import pytest

from recordance.answer.envelope import Evidence, envelope
from recordance.domain.destination import BARE
from recordance.domain.instant import Instant
from recordance.domain.validity import Validity
from recordance.ranking.claim import Claim
from recordance.ranking.scoring import TermHit
from recordance.ranking.trimming import SMALLEST_ENVELOPE_TOKENS, compact_json, most_that_fit, token_size, trim
from support.truths import make_capture


def result(characters: int) -> dict[str, str]:
    """A result whose compact JSON has so many characters."""
    return {"id": "x" * (characters - len('{"id":""}'))}


@pytest.mark.parametrize(("characters", "tokens"), [(10, 3), (11, 3), (12, 3), (13, 4), (400, 100), (401, 101)])
def test_a_size_is_a_quarter_of_the_characters_rounded_up(characters: int, tokens: int) -> None:
    """O3: ceil(characters ÷ 4) of the compact JSON."""
    assert len(compact_json(result(characters))) == characters
    assert token_size(result(characters)) == tokens


def test_sizes_count_characters_and_not_their_escapes_or_bytes() -> None:
    """O3: a Chinese headline is not six times as large as it reads."""
    assert compact_json({"id": "設備", "n": [1, 2.5, True]}) == '{"id":"設備","n":[1,2.5,true]}'
    assert token_size({"id": "設備清單"}) == token_size({"id": "abcd"}) == 4


def test_results_are_shown_until_one_overshoots() -> None:
    """O3: the first that overshoots ends the list, even if a smaller one behind it would fit."""
    results = [result(40), result(40), result(400), result(12)]
    trimmed = trim(results, 23)
    assert (list(trimmed.shown), trimmed.budget_ended) == (results[:2], True)


def test_a_result_that_fits_to_the_token_is_shown() -> None:
    """O3: the budget itself may be spent."""
    results = [result(40), result(40)]
    assert (trim(results, 20).shown, trim(results, 20).budget_ended) == (tuple(results), False)
    assert (trim(results, 19).shown, trim(results, 19).budget_ended) == (tuple(results[:1]), True)


@pytest.mark.parametrize("budget", [1, 9, 10])
def test_a_budget_above_zero_always_shows_the_best(budget: int) -> None:
    """O3: the floor of one, and of one only."""
    assert trim([result(40), result(40)], budget).shown == (result(40),)


def test_a_budget_of_zero_shows_nothing() -> None:
    """O3: 0 returns none, and says that the budget did it."""
    trimmed = trim([result(40)], 0)
    assert (trimmed.shown, trimmed.budget_ended) == ((), True)
    assert most_that_fit(0) == 0


def test_a_list_that_simply_ends_was_not_cut() -> None:
    """O3: the cause of a cut is named truly."""
    assert not trim([result(40)] * 3, 1_500).budget_ended
    assert not trim([], 0).budget_ended


def test_trimming_takes_the_longest_beginning_that_fits() -> None:
    """O3: against the sum of every beginning."""
    seed = 31
    chance = random.Random(seed)
    for _ in range(300):
        results = [result(chance.randint(10, 120)) for _ in range(chance.randint(0, 8))]
        budget = chance.randint(1, 150)
        fitting = [count for count in range(len(results) + 1) if sum(map(token_size, results[:count])) <= budget]
        expected = max(*fitting, min(1, len(results)))
        assert trim(results, budget).shown == tuple(results[:expected]), f"seed {seed}"


@pytest.mark.parametrize(
    ("found", "larger"),
    [
        ({"term": TermHit(1, 1, 0.0, ("a",), 0.0), "cosine": None, "rank": None}, 2),
        ({"term": None, "cosine": 0.1, "rank": 1}, 4),
    ],
)
def test_no_envelope_is_smaller_than_the_bound_says(found: dict[str, Any], larger: int) -> None:
    """O3: the bound decides how many envelopes are built; one too small would end the list early."""
    capture = make_capture(1, "a", headline="", source="", labels={}, confidence=0.0, validity=Validity(Instant(0)))
    claim = Claim(capsule=capture.capsule, decayed=0.0, support=0.0, **found)
    smallest = envelope(
        Evidence(naming=BARE, claim=claim, text=capture.text, anchor=None, corroboration=None, feedback_weight=None, role=None)
    )
    assert SMALLEST_ENVELOPE_TOKENS <= token_size(smallest) <= SMALLEST_ENVELOPE_TOKENS + larger


@pytest.mark.parametrize("budget", [1, 89, 90, 91, 179, 180, 1_500])
def test_no_list_within_the_budget_passes_the_bound(budget: int) -> None:
    """O3: even of the smallest envelopes there is."""
    smallest = [result(4 * SMALLEST_ENVELOPE_TOKENS)] * 50
    assert len(trim(smallest, budget).shown) <= most_that_fit(budget)
