"""How many results a recall shows, and what it says of the others."""

from typing import Any

import pytest

from recordance.ranking.trimming import most_that_fit, token_size
from support.recalls import Recalls, shown
from support.truths import NOON, stands
from support.watching import WatchedTruth


def holding(count: int) -> Recalls:
    recalls = Recalls()
    recalls.remember(*["tokio " + "pin " * (place % 5) for place in range(count)])
    return recalls


def test_without_a_limit_the_budget_alone_ends_the_list() -> None:
    """O3: 1500 tokens if left out, counted as a quarter of the characters of each result."""
    recalls = holding(40)
    answer = recalls.ask("tokio")
    sizes = [token_size(result) for result in answer["results"]]
    following = token_size(recalls.ask("tokio", token_budget=10**6)["results"][len(sizes)])
    assert answer["token_budget"] == 1_500
    assert sum(sizes) <= 1_500 < sum(sizes) + following
    assert (answer["matched"], answer["returned"], answer["trimmed_by_limit"]) == (40, len(sizes), 0)
    assert answer["trimmed_by_budget"] == 40 - len(sizes)


@pytest.mark.parametrize("budget", [10**4, 10**5, 10**6])
def test_a_budget_with_room_shows_more_than_the_first_page(budget: int) -> None:
    """O3: however many pages are built on the way, the list is the ranking's beginning."""
    recalls = holding(300)
    answer = recalls.ask("tokio", token_budget=budget)
    every = recalls.found("tokio")
    assert len(every) == 300
    assert len(shown(answer)) > 12
    assert shown(answer) == every[: answer["returned"]]


def test_no_more_results_are_built_than_a_budget_may_show() -> None:
    """O3: three hundred match, and of a few the text is read whole, of each once."""
    read: list[int] = []

    def told(name: str, given: tuple[Any, ...]) -> None:
        if name == "TruthReader.texts":
            read.extend(given[0])

    watched = Recalls(truth=WatchedTruth(holding(300).truth, told))
    answer = watched.ask("tokio")
    assert answer["matched"] == 300
    assert answer["returned"] < len(read) <= most_that_fit(1_500) < 20
    assert len(set(read)) == len(read)


def test_a_budget_above_zero_shows_the_best_even_if_it_overshoots() -> None:
    """O3: the floor of one."""
    recalls = holding(3)
    answer = recalls.ask("tokio", token_budget=1)
    assert shown(answer) == recalls.found("tokio")[:1]
    assert (answer["returned"], answer["trimmed_by_limit"], answer["trimmed_by_budget"]) == (1, 0, 2)


def test_a_budget_of_zero_counts_and_shows_nothing() -> None:
    """O3: grounded all the same."""
    answer = holding(3).ask("tokio", token_budget=0)
    assert (answer["outcome"], answer["results"], answer["matched"]) == ("grounded", [], 3)
    assert (answer["trimmed_by_limit"], answer["trimmed_by_budget"]) == (0, 3)


def test_a_limit_of_zero_counts_and_shows_nothing() -> None:
    """O3: and the cut is the limit's."""
    answer = holding(3).ask("tokio", limit=0)
    assert (answer["outcome"], answer["results"], answer["matched"]) == ("grounded", [], 3)
    assert (answer["trimmed_by_limit"], answer["trimmed_by_budget"]) == (3, 0)


def test_a_limit_cuts_before_the_budget() -> None:
    """O3: what the limit cut is not the budget's, and the other way round."""
    recalls = holding(30)
    answer = recalls.ask("tokio", limit=20, token_budget=400)
    assert answer["trimmed_by_limit"] == 10
    assert answer["trimmed_by_budget"] == 20 - answer["returned"] > 0


@pytest.mark.parametrize("limit", [1, 5, 12, 13, 30, 31, 10**9])
def test_a_limit_shows_so_many_of_the_best(limit: int) -> None:
    """O3, L6: a shorter list is the beginning of a longer one."""
    recalls = holding(30)
    answer = recalls.ask("tokio", limit=limit, token_budget=10**6)
    assert shown(answer) == recalls.found("tokio")[:limit]
    assert (answer["matched"], answer["trimmed_by_budget"]) == (30, 0)


def test_matched_counts_the_eligible_alone() -> None:
    """O3, O2: the excluded are counted by reason and never twice."""
    recalls = holding(30)
    recalls.write(*(stands(number, archived_at=NOON) for number in range(1, 11)))
    answer = recalls.ask("tokio", limit=5)
    assert (answer["matched"], answer["excluded"], answer["trimmed_by_limit"]) == (20, {"archived": 10}, 15)


def test_a_huge_headline_is_shown_alone_and_not_cut() -> None:
    """O3, O4: results are shown whole or not at all."""
    recalls = Recalls()
    recalls.remember("tokio", headline="h" * 9_000)
    recalls.remember("tokio pin")
    (result,) = recalls.ask("tokio")["results"]
    assert result["headline"] == "h" * 9_000
