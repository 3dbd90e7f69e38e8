"""Every dialect's answers are the oracle's, and the engines' are those of the adapters in memory, byte for byte."""

from collections import Counter

import pytest

from support.dialect_judges import JUDGES
from support.dialect_trials import trial

SEEDS = range(6)
REQUESTS = 60


@pytest.mark.parametrize("seed", SEEDS)
def test_every_dialect_answers_what_its_oracle_does_on_every_adapter(seed: int) -> None:
    """O11, L17, F9: drawn stores that live on, drawn callers, drawn arguments; a disagreement names its seed and request."""
    assert sum(trial(seed, REQUESTS, JUDGES)[tool] for tool in JUDGES) == REQUESTS


def test_the_trials_meet_every_dialect_and_seldom_a_refusal() -> None:
    """O11: a comparison of refusals would prove little about answers."""
    met = sum((trial(seed, REQUESTS, JUDGES) for seed in (101, 102)), Counter[str]())
    for tool in JUDGES:
        assert met[tool] > met[f"{tool}: refused"] * 3, met
