"""Support: how much of the question the evidence covers, and a bound on it."""

import pytest

from support.recalls import Recalls, shown
from support.truths import NOON, stands

QUARTER = ("alpha", "beta", "gamma", "delta")


def quarters() -> Recalls:
    """Four equally rare words; capsule n bears n of them."""
    recalls = Recalls()
    recalls.remember("alpha", "alpha beta", "alpha beta gamma", "alpha beta gamma delta")
    recalls.remember("beta gamma delta", "gamma delta", "delta")
    return recalls


def test_support_is_shown_for_each_result_and_the_bests_for_the_answer() -> None:
    """O12: here every word stands in four of seven contents, so that each weighs a quarter."""
    answer = quarters().ask(*QUARTER, token_budget=10_000)
    assert [result["support"] for result in answer["results"]] == [1.0, 0.75, 0.75, 0.5, 0.5, 0.25, 0.25]
    assert answer["support"] == 1.0


def test_the_answers_support_is_the_best_ranked_results_even_if_cut_short() -> None:
    """O12: one result shown is enough to say it; none shown says nothing."""
    recalls = quarters()
    assert recalls.ask(*QUARTER, limit=1)["support"] == 1.0
    assert "support" not in recalls.ask(*QUARTER, limit=0)
    assert "support" not in recalls.ask("nothing")


@pytest.mark.parametrize(
    ("least", "matched", "below"), [(0.0, 7, 0), (0.25, 7, 0), (0.26, 5, 2), (0.5, 5, 2), (0.75, 3, 4), (0.76, 1, 6), (1.0, 1, 6)]
)
def test_what_lies_below_the_bound_is_counted_and_the_bound_itself_is_enough(least: float, matched: int, below: int) -> None:
    """O12, case G3: a caller sees that the bound hid something, and how much."""
    answer = quarters().ask(*QUARTER, min_support=least)
    assert answer["matched"] == matched
    assert answer.get("excluded", {}) == ({"below_support": below} if below else {})


def test_all_below_the_bound_is_missing_evidence() -> None:
    """O12, O1, case G3: never an abstention, as something matched."""
    answer = quarters().ask("alpha", "nothing", "never", min_support=0.9)
    assert (answer["outcome"], answer["results"], answer["excluded"]) == ("missing_evidence", [], {"below_support": 4})


def test_the_bound_is_held_against_the_support_that_is_shown() -> None:
    """O12: 0.67 is admitted by a bound of 0.67, though two thirds lie below it."""
    recalls = Recalls()
    recalls.remember("a b", "b c", "c a")
    answer = recalls.ask("a", "b", "c", min_support=0.67)
    assert [result["support"] for result in answer["results"]] == [0.67] * 3
    assert recalls.ask("a", "b", "c", min_support=0.68)["outcome"] == "missing_evidence"


def test_left_out_and_zero_change_nothing() -> None:
    """O12: the same bytes, beyond the ranks that a bound looks at too."""
    recalls = Recalls()
    recalls.remember(*["alpha"] * 250)
    assert recalls.ask("alpha") == recalls.ask("alpha", min_support=0.0)
    assert recalls.ask("alpha")["matched"] == 250


def test_a_bound_looks_at_the_best_ranked_alone_unless_more_are_asked_for() -> None:
    """O12: 200 of them, or as many as the limit names; `matched` counts what was looked at."""
    recalls = Recalls()
    recalls.remember(*["alpha"] * 250)
    assert recalls.ask("alpha", min_support=0.5)["matched"] == 200
    assert recalls.ask("alpha", min_support=0.5, limit=230)["matched"] == 230


def test_a_bound_excludes_after_every_other_reason() -> None:
    """O12, F6: what is excluded anyway is not counted twice."""
    recalls = quarters()
    recalls.write(stands(1, archived_at=NOON), stands(4, archived_at=NOON))
    answer = recalls.ask(*QUARTER, min_support=0.5)
    assert (answer["matched"], answer["excluded"]) == (4, {"archived": 2, "below_support": 1})


def test_a_bound_changes_no_order() -> None:
    """O12: it fences; it does not rank."""
    recalls = quarters()
    assert shown(recalls.ask(*QUARTER, min_support=0.5)) == recalls.found(*QUARTER)[:5]
