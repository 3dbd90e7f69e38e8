"""Blends through a whole recall: a nudge to the ranking, and otherwise no trace."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from recordance.domain.capsule import Capsule, Use
from recordance.domain.change import AppendCorroboration, SetUse
from recordance.domain.instant import Instant
from recordance.domain.journal import Op
from recordance.domain.review import AnchorVerdict, Corroboration
from recordance.ranking.trimming import compact_json
from support.recalls import Recalls, shown
from support.truths import NOON, stands, told
from support.watching import WatchedTruth


def judged(recalls: Recalls, weight: float, *numbers: int) -> None:
    recalls.write(*(told(Op.FED_BACK, each, SetUse(each, Use(feedback_weight=weight))) for each in numbers))


def witnessed(recalls: Recalls, verdict: AnchorVerdict, *numbers: int) -> None:
    found = [Corroboration(each, "main", "src/lib.rs", None, verdict, 0, NOON) for each in numbers]
    recalls.write(*(told(Op.CORROBORATED, each.capsule, AppendCorroboration(each)) for each in found))


def holding(count: int = 40) -> Recalls:
    recalls = Recalls()
    recalls.remember(*["tokio"] * count)
    return recalls


def test_feedback_nudges_the_ranking() -> None:
    """L7: the fifth, twice as well judged, comes first; the first, badly judged, falls behind."""
    recalls = holding()
    judged(recalls, 1.0, 5)
    judged(recalls, 0.0, 1)
    assert recalls.found("tokio")[:3] == [1, 2, 3]
    assert recalls.found("tokio", weight_blend=0.2)[:4] == [5, 2, 3, 4]
    assert recalls.found("tokio", weight_blend=0.2).index(1) > 4


def test_what_commits_say_nudges_the_ranking() -> None:
    """L7: corroborated up, drifted and missing down, unwitnessed neither."""
    recalls = holding(6)
    for number, verdict in ((6, AnchorVerdict.CORROBORATED), (1, AnchorVerdict.DRIFTED), (2, AnchorVerdict.MISSING)):
        witnessed(recalls, verdict, number)
    assert recalls.found("tokio", corroboration_blend=1.0) == [6, 3, 4, 5, 1, 2]


def test_the_latest_verdict_lends_its_weight() -> None:
    """L7: what a commit said before has been said again."""
    recalls = holding(3)
    witnessed(recalls, AnchorVerdict.CORROBORATED, 3)
    witnessed(recalls, AnchorVerdict.DRIFTED, 3)
    assert recalls.found("tokio", corroboration_blend=1.0) == [1, 2, 3]


def test_both_blends_multiply_in_one_sort() -> None:
    """L7: well judged and drifted is about nothing at all."""
    recalls = holding(6)
    judged(recalls, 1.0, 6)
    witnessed(recalls, AnchorVerdict.DRIFTED, 6)
    assert recalls.found("tokio", weight_blend=0.5) == [6, 1, 2, 3, 4, 5]
    assert recalls.found("tokio", weight_blend=0.5, corroboration_blend=0.5) == [1, 2, 3, 4, 5, 6]


def test_the_feedback_weight_is_shown_only_where_it_was_blended() -> None:
    """L7, O4: with two decimals."""
    recalls = holding(1)
    judged(recalls, 0.123, 1)
    assert recalls.ask("tokio", weight_blend=0.1)["results"][0]["feedback_weight"] == 0.12
    for given in ({}, {"weight_blend": 0.0}, {"corroboration_blend": 1.0}):
        assert "feedback_weight" not in recalls.ask("tokio", **given)["results"][0]


def test_a_verdict_is_shown_whether_it_was_blended_or_not() -> None:
    """O4, L7: the explanation does not depend on the ranking."""
    recalls = holding(1)
    witnessed(recalls, AnchorVerdict.MISSING, 1)
    for given in ({}, {"corroboration_blend": 1.0}, {"weight_blend": 1.0}):
        assert recalls.ask("tokio", **given)["results"][0]["corroboration"]["anchor_content"] == "missing"


@pytest.mark.parametrize("limit", [1, 3, None])
def test_a_blend_changes_no_count_and_no_outcome(limit: int | None) -> None:
    """L7: eligibility is not for sale."""
    recalls = holding()
    judged(recalls, 0.0, *range(1, 41))
    recalls.write(stands(7, archived_at=NOON))
    plain = recalls.ask("tokio", limit=limit)
    blended = recalls.ask("tokio", limit=limit, weight_blend=1.0, corroboration_blend=1.0)
    same = ("outcome", "matched", "excluded", "trimmed_by_limit")
    assert [plain[name] for name in same] == [blended[name] for name in same]
    assert recalls.ask("nothing", weight_blend=1.0)["outcome"] == "abstain"


@pytest.mark.parametrize(("last", "first"), [(487, 487), (488, 488), (489, 1), (490, 1)])
@pytest.mark.parametrize("limit", [1, 2, 12, 13])
def test_what_can_reach_the_page_from_far_behind_does(limit: int, last: int, first: int) -> None:
    """L7: 2.25/(60+488) passes 0.25/61, and 2.25/(60+489) equals it and yields to the older; however short the page."""
    recalls = holding(500)
    others = sorted(set(range(1, 501)) - {last})
    judged(recalls, 0.0, *others)
    witnessed(recalls, AnchorVerdict.DRIFTED, *others)
    judged(recalls, 1.0, last)
    witnessed(recalls, AnchorVerdict.CORROBORATED, last)
    blend = {"weight_blend": 1.0, "corroboration_blend": 1.0}
    whole = recalls.found("tokio", **blend)
    assert whole[0] == first
    assert shown(recalls.ask("tokio", limit=limit, token_budget=10**6, **blend)) == whole[:limit]


class Sealed:
    """A use whose feedback weight nobody may read."""

    def __init__(self, use: Use) -> None:
        self.count = use.count
        self.last_at = use.last_at

    @property
    def feedback_weight(self) -> float:
        """Not to be read."""
        raise AssertionError("the weight was read")


@dataclass
class SealedReader:
    """A reader that seals the use of every capsule it returns."""

    reader: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.reader, name)

    def capsules(self, numbers: Collection[int]) -> Mapping[int, Capsule]:
        """Return the capsules with their feedback weights sealed."""
        sealed: Any = Sealed
        return {number: replace(each, use=sealed(each.use)) for number, each in self.reader.capsules(numbers).items()}


def test_a_dormant_recall_reads_no_weight_and_no_verdict_but_the_shown_ones() -> None:
    """L7: left out or 0, nothing of a blend is read; a verdict is, for each row shown, as its explanation."""
    recalls = holding()
    judged(recalls, 1.0, 3)
    calls: list[tuple[str, tuple[Any, ...]]] = []
    truth = WatchedTruth(recalls.truth, lambda name, given: calls.append((name, given)), SealedReader)
    sealed = Recalls(truth=truth)
    for given in ({}, {"weight_blend": 0.0, "corroboration_blend": 0.0}):
        calls.clear()
        answer = sealed.ask("tokio", limit=2, **given)
        assert [list(asked[0]) for name, asked in calls if name == "TruthReader.corroborations"] == [shown(answer)]
    with pytest.raises(AssertionError, match="the weight was read"):
        sealed.ask("tokio", weight_blend=0.1)


def test_each_blend_reads_its_own_weight_alone() -> None:
    """L7: a corroboration that is not blended is read for the rows shown, as their explanation, and for no other."""
    calls: list[tuple[str, tuple[Any, ...]]] = []
    recalls = Recalls(truth=WatchedTruth(holding().truth, lambda name, given: calls.append((name, given))))

    def asked(**given: float) -> list[int]:
        calls.clear()
        recalls.ask("tokio", limit=2, **given)
        return [len(given[0]) for name, given in calls if name == "TruthReader.corroborations"]

    assert asked(weight_blend=1.0) == [2]
    assert asked(corroboration_blend=1.0) == [40, 2]


def test_a_dormant_recall_is_byte_identical_whatever_was_judged() -> None:
    """L7: feedback and verdicts of others leave no byte in an answer that did not ask for them."""
    recalls = holding()
    before = recalls.ask("tokio")
    for number in range(1, 41):
        judged(recalls, number / 40, number)
    after = recalls.ask("tokio")
    assert compact_json(after["results"]) == compact_json(before["results"])
    assert compact_json(recalls.ask("tokio", weight_blend=0.0, corroboration_blend=0.0)) == compact_json(after)


def test_use_moves_ties_without_any_blend() -> None:
    """L6: later last use, then higher count, are keys of the base ranking; the weight is none."""
    recalls = holding(4)
    recalls.write(told(Op.FED_BACK, 3, SetUse(3, Use(count=1, last_at=NOON, feedback_weight=0.0))))
    recalls.write(told(Op.FED_BACK, 4, SetUse(4, Use(count=1, last_at=Instant(NOON + 1), feedback_weight=0.0))))
    recalls.write(told(Op.FED_BACK, 2, SetUse(2, Use(feedback_weight=1.0))))
    assert recalls.found("tokio") == [4, 3, 1, 2]
