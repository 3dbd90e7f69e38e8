"""Every dialect's answers are the oracle's, and the engines' are those of the adapters in memory, byte for byte."""

from collections import Counter

import pytest

from recordance.query.text_services import PLAIN, TextServices, fragments_of
from support.dialect_judges import JUDGES
from support.dialect_scenes import RUNS
from support.dialect_trials import FRAGMENTS, trial, unjudged

SEEDS = range(4)
SERVICES = TextServices(version="digits", stem=lambda word: word.rstrip("0123456789") or word, cut=fragments_of)
"""What a store may opt in to, with stems that need no language."""
REQUESTS = 60


@pytest.mark.parametrize("seed", SEEDS)
def test_every_dialect_answers_what_its_oracle_does_on_every_adapter(seed: int) -> None:
    """O11, L17, F9, L8, L9, O7, F10: drawn stores that live on, drawn callers and arguments; a failure names its seed."""
    assert sum(trial(seed, REQUESTS, JUDGES)[tool] for tool in JUDGES) == REQUESTS


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


@pytest.mark.parametrize("services", [PLAIN, SERVICES], ids=["plain", "with text services"])
def test_in_unspaced_scripts_the_engines_answer_as_the_adapters_in_memory(services: TextServices) -> None:
    """O11, T5, T9: runs that share characters, and words that share a stem, are told apart or found alike on every adapter."""
    trial(300, REQUESTS, dict.fromkeys(JUDGES, unjudged), RUNS, services)
