"""The same recall gives the same bytes, and leaves everything as it was."""

import random
from typing import Any

import pytest

from recordance.domain.instant import Instant
from recordance.domain.provenance import read_anchor
from recordance.ranking.trimming import compact_json
from support.recalls import Recalls, below
from support.scenes import Scene
from support.truths import days, read_everything

REQUESTS: tuple[dict[str, Any], ...] = (
    {},
    {"limit": 3},
    {"weight_blend": 1.0, "corroboration_blend": 0.5},
    {"min_support": 0.5},
    {"fences": [below("nott")]},
    {"token_budget": 10_000},
)
TERMS = (("w1",), ("w1", "w2", "w3 w4"), ("nowhere",), ("cap-3", "w9"))


def lived(seed: int = 5) -> Recalls:
    recalls = Recalls()
    scene = Scene(seed)
    recalls.write(*scene.beginning(80))
    return recalls


def said(recalls: Recalls) -> list[str]:
    return [compact_json(recalls.ask(*terms, **given)) for terms in TERMS for given in REQUESTS]


def test_the_same_recall_gives_the_same_bytes() -> None:
    """O11: twice on one store, and on another with the same history."""
    recalls = lived()
    first = said(recalls)
    assert said(recalls) == first
    assert said(lived()) == first


def test_the_state_of_the_index_leaves_no_byte() -> None:
    """O11, L17: nothing committed, everything committed, half of each, or filled anew."""
    seed = 11
    scene, chance = Scene(seed), random.Random(seed)
    changes = list(scene.beginning(80))
    overlaid, committed, mixed = Recalls(), Recalls(), Recalls()
    for change in changes:
        for recalls in (overlaid, committed, mixed):
            recalls.write(change)
        committed.follower.commit()
        if chance.random() < 0.1:
            mixed.follower.commit()
    expected = said(overlaid)
    assert said(committed) == said(mixed) == expected, f"seed {seed}"
    mixed.follower.rebuild(lambda done, total: None)
    assert said(mixed) == expected


def test_a_recall_changes_nothing() -> None:
    """O11: neither use nor journal; only the miss recorder is told of misses."""
    recalls = lived()
    with recalls.truth.reading() as reader:
        before, head = read_everything(reader), reader.head()
    said(recalls)
    with recalls.truth.reading() as reader:
        assert (read_everything(reader), reader.head()) == (before, head)


def test_the_clock_is_all_that_moves_an_answer_of_one_seq() -> None:
    """O11: put back, it gives the same bytes again."""
    recalls = lived()
    first = said(recalls)
    recalls.clock.set(Instant(recalls.clock.now() + days(3)))
    assert said(recalls) != first
    recalls.clock.set(Instant(recalls.clock.now() - days(3)))
    assert said(recalls) == first


def test_one_clock_reading_serves_a_whole_recall() -> None:
    """O11: validity, weight and ledger are of one instant."""
    recalls = Recalls()
    readings = []

    class Ticking:
        def now(self) -> Instant:
            readings.append(1)
            return Instant(recalls.clock.now() + len(readings))

    ticking = Recalls(truth=recalls.truth, clock=Ticking())
    ticking.remember("w1", anchors=(read_anchor("a:1"),))
    for terms in (("w1",), ("nowhere",)):
        readings.clear()
        ticking.ask(*terms)
        assert len(readings) == 1


@pytest.mark.parametrize("place", range(4))
def test_the_order_of_terms_moves_nothing_but_their_own_order(place: int) -> None:
    """O11, L6: which term came first is no key."""
    recalls = lived()
    terms = ["w1", "w2", "w4 w3", "w7"]
    moved = terms[place:] + terms[:place]

    def ranking(asked: list[str]) -> list[tuple[Any, ...]]:
        results = recalls.ask(*asked, token_budget=10**6)["results"]
        return [(result["id"], result["bm25"], result["support"], set(result["matched_terms"])) for result in results]

    assert ranking(moved) == ranking(terms)
