"""Every dialect's answers are the oracle's, and the engines' are those of the adapters in memory, byte for byte."""

from collections import Counter

import pytest

from support.dialect_judges import JUDGES
from support.dialect_trials import FRAGMENTS, SETTINGS, trial
from support.merge_trials import ROWS, trial_of_several

SEEDS = range(4)
"""One for each kind of words and text services."""
REQUESTS = 60


@pytest.mark.parametrize("seed", SEEDS)
def test_every_dialect_answers_what_its_oracle_does_on_every_adapter(seed: int) -> None:
    """O11, L8, L9, L17, F9, F10, O7, O10, T5, T9: drawn stores that live on, callers, arguments; a failure names its seed."""
    met = trial(seed, REQUESTS, JUDGES, *SETTINGS[seed])
    assert sum(met[tool] for tool in JUDGES) == REQUESTS


def test_every_dialect_answers_the_same_on_a_server() -> None:
    """O11: the same on a database that is none of a file; a failure names its seed."""
    assert sum(trial(501, 30, JUDGES, *SETTINGS[0], "postgres")[tool] for tool in JUDGES) == 30


@pytest.mark.parametrize("seed", [401])
def test_several_destinations_answer_what_follows_from_each_alone(seed: int) -> None:
    """D4, O11: drawn destinations on engines that differ, of which two share contents; a failure names its seed."""
    met = trial_of_several(seed, REQUESTS, JUDGES)
    assert {tool for tool in ROWS if not met[tool]} == set()
    assert sum(met[f"{tool}: equal"] for tool in ROWS) >= 10


def test_the_trials_meet_every_dialect_and_seldom_a_refusal() -> None:
    """O11: a comparison of refusals would prove little about answers."""
    met = sum((trial(seed, REQUESTS, JUDGES) for seed in (101, 103)), Counter[str]())
    for tool in JUDGES:
        assert met[tool] > met[f"{tool}: refused"] * 3, met


def test_the_searches_meet_everything_that_a_page_can_say() -> None:
    """O7, L9: every reason, every strategy, and each fate of a fragment; what was never met would be held by nobody."""
    judges = {"memory_search": JUDGES["memory_search"]}
    met = sum((trial(seed, 150, judges) for seed in (201, 202)), Counter[str]())
    wanted = {
        *("empty_scope", "no_lexical_match", "offset_beyond_pool", "relaxed_match", "matched"),
        *("strict", "browse", "rrf_variants", "relaxed", "applied", "has_more_in_pool", *FRAGMENTS),
    }
    assert {name for name in wanted if not met[name]} == set(), met
