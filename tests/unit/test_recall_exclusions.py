"""Exclusion reasons through a whole recall: counted, in order, and none hidden by another."""

import itertools
from typing import Any

import pytest

from recordance.domain.capsule import Standing
from recordance.domain.change import SetStanding
from recordance.domain.instant import EARLIEST, Instant
from recordance.domain.journal import Op
from recordance.domain.review import ReviewState
from recordance.domain.validity import EventRange, TimeWindow, Validity
from recordance.query.exclusion import ExclusionReason
from recordance.ranking.trimming import compact_json
from support.recalls import Recalls
from support.truths import NOON, days, entombed, stands, told

AFTER = Instant(NOON + 1)
WINDOW = TimeWindow(NOON, NOON)
DATED: dict[str, Any] = {"event": EventRange(NOON, NOON)}
CAUSES: dict[ExclusionReason, tuple[dict[str, Any], dict[str, Any]]] = {
    ExclusionReason.QUARANTINED: ({"quarantined_at": NOON}, {}),
    ExclusionReason.FALSIFIED: ({"falsified_at": NOON}, {}),
    ExclusionReason.ARCHIVED: ({"archived_at": NOON}, {}),
    ExclusionReason.SUPERSEDED: ({"superseded_at": NOON, "superseded_by": 1}, {}),
    ExclusionReason.EXPIRED: ({}, {"validity": Validity(EARLIEST, NOON)}),
    ExclusionReason.NOT_YET_VALID: ({}, {"validity": Validity(AFTER)}),
    ExclusionReason.OUTSIDE_TIME_WINDOW: ({}, {"event": EventRange(AFTER, AFTER)}),
    ExclusionReason.UNDATED: ({}, {"event": None}),
    ExclusionReason.PROPOSED: ({"review": ReviewState.PROPOSED}, {}),
}
NEVER_BOTH = (ExclusionReason.OUTSIDE_TIME_WINDOW, ExclusionReason.UNDATED)


def claimed_by(*reasons: ExclusionReason) -> dict[str, Any]:
    """The fields of a capsule that all these reasons claim."""
    standing: dict[str, Any] = {}
    fields = dict(DATED)
    for reason in reasons:
        standing |= CAUSES[reason][0]
        fields |= CAUSES[reason][1]
    if {ExclusionReason.EXPIRED, ExclusionReason.NOT_YET_VALID} <= set(reasons):
        fields["validity"] = Validity(AFTER, NOON)
    return fields | {"standing": Standing(**standing)}


@pytest.mark.parametrize("reason", CAUSES)
def test_each_reason_excludes_and_is_counted(reason: ExclusionReason) -> None:
    """F6, O1: alone it is missing evidence, beside others a count on a grounded answer."""
    recalls = Recalls()
    recalls.remember("tokio", "tokio", **claimed_by(reason))
    alone = recalls.ask("tokio", window=WINDOW)
    assert (alone["outcome"], alone["results"], alone["excluded"]) == ("missing_evidence", [], {reason.value: 2})
    recalls.remember("tokio", **DATED)
    beside = recalls.ask("tokio", window=WINDOW)
    assert (beside["outcome"], beside["matched"], beside["excluded"]) == ("grounded", 1, {reason.value: 2})


@pytest.mark.parametrize("pair", [pair for pair in itertools.combinations(CAUSES, 2) if pair != NEVER_BOTH], ids="+".join)
def test_of_two_reasons_only_the_first_counts(pair: tuple[ExclusionReason, ExclusionReason]) -> None:
    """F6: each match once, and a falsified claim never under a softer reason."""
    recalls = Recalls()
    recalls.remember("tokio", **claimed_by(*pair))
    assert recalls.ask("tokio", window=WINDOW)["excluded"] == {pair[0].value: 1}


def test_all_reasons_at_once_are_listed_in_order() -> None:
    """F6: in the order in which they claim, the tombstone last."""
    recalls = Recalls()
    for reason in reversed(CAUSES):
        recalls.remember("tokio", **claimed_by(reason))
    (number,) = recalls.remember("forgotten")
    recalls.write(entombed(number))
    recalls.remember("tokio and more that was not asked for", **DATED)
    answer = recalls.ask("tokio", f"cap-{number}", "else", window=WINDOW, min_support=0.9)
    expected = [*CAUSES, ExclusionReason.BELOW_SUPPORT, ExclusionReason.TOMBSTONED]
    assert list(answer["excluded"].items()) == [(reason.value, 1) for reason in expected]
    assert expected == list(ExclusionReason)


def test_counts_cover_every_match_and_not_the_first_page() -> None:
    """O2: more than any page or budget would hold."""
    recalls = Recalls()
    recalls.remember(*["tokio"] * 300, **claimed_by(ExclusionReason.ARCHIVED))
    recalls.remember(*["tokio"] * 70)
    for given in ({}, {"limit": 1}, {"limit": 0}, {"token_budget": 0}):
        answer = recalls.ask("tokio", **given)
        assert (answer["matched"], answer["excluded"]) == (70, {"archived": 300})


@pytest.mark.parametrize("reason", CAUSES)
def test_a_waived_reason_grounds_its_matches(reason: ExclusionReason) -> None:
    """F7, F11: whichever a dialect may waive."""
    recalls = Recalls()
    recalls.remember("tokio", **claimed_by(reason))
    answer = recalls.ask("tokio", window=WINDOW, admit=frozenset({reason}))
    assert (answer["outcome"], answer["matched"], "excluded" in answer) == ("grounded", 1, False)


STAGED = frozenset({ExclusionReason.PROPOSED})


def test_proposals_are_fenced_unless_they_are_asked_for() -> None:
    """F7: proposed and rejected ones are counted, or ground and say what they are; a ratified one is like any other."""
    recalls = Recalls()
    for state in (None, *ReviewState):
        recalls.remember("tokio", standing=Standing(review=state))
    fenced, staged = recalls.ask("tokio"), recalls.ask("tokio", admit=STAGED)
    assert [result["id"] for result in fenced["results"]] == ["cap-1", "cap-3"]
    assert fenced["excluded"] == {"proposed": 2}
    assert [result.get("review_state") for result in staged["results"]] == [None, "proposed", None, "rejected"]
    assert "excluded" not in staged


def test_a_store_without_proposals_answers_alike_either_way() -> None:
    """F7: byte for byte, on each outcome."""
    recalls = Recalls()
    recalls.remember("tokio", standing=Standing(review=ReviewState.RATIFIED))
    recalls.remember("tokio", "serde", standing=Standing(archived_at=NOON))
    for term in ("tokio", "serde", "nothing"):
        assert compact_json(recalls.ask(term)) == compact_json(recalls.ask(term, admit=STAGED))


def test_the_latest_verdict_decides() -> None:
    """F7, W5: a proposal grounds once ratified, and no longer once rejected."""
    recalls = Recalls()
    recalls.remember("tokio", standing=Standing(review=ReviewState.PROPOSED))
    for state, outcome in ((ReviewState.RATIFIED, "grounded"), (ReviewState.REJECTED, "missing_evidence")):
        recalls.write(told(Op.REVIEWED, 1, SetStanding(1, Standing(review=state), NOON)))
        assert recalls.ask("tokio")["outcome"] == outcome


def test_a_superseded_capsule_never_ranks() -> None:
    """case D9: however well it matches, the corrected fact is not even second."""
    recalls = Recalls()
    recalls.remember("the port is 80 port port", confidence=1.0)
    recalls.remember("the port of the service was moved to 8080 some time ago", confidence=0.1)
    recalls.write(stands(1, Op.SUPERSEDED, superseded_at=NOON, superseded_by=2))
    answer = recalls.ask("port")
    assert [result["id"] for result in answer["results"]] == ["cap-2"]
    assert answer["excluded"] == {"superseded": 1}


def test_a_question_about_a_date_is_judged_by_the_supersessions_own_time() -> None:
    """F9, case D11: what touched the capsule later does not bring the old fact back, nor take it away."""
    recalls = Recalls()
    recalls.remember("the port is 80", validity=Validity(EARLIEST))
    recalls.remember("the port is 8080", validity=Validity(NOON))
    recalls.write(stands(1, Op.SUPERSEDED, superseded_at=NOON, superseded_by=2))
    later = Instant(NOON + days(9))
    recalls.write(told(Op.ARCHIVED, 1, SetStanding(1, Standing(superseded_at=NOON, superseded_by=2), later)))
    recalls.clock.set(Instant(NOON + days(30)))
    for at, ids in ((NOON - 1, ["cap-1"]), (NOON, ["cap-2"]), (later, ["cap-2"])):
        assert [result["id"] for result in recalls.ask("port", as_of=Instant(at))["results"]] == ids


def test_a_date_moves_validity_and_nothing_else() -> None:
    """F9, L6: weight and receipt are of today."""
    recalls = Recalls()
    recalls.remember("tokio", validity=Validity(Instant(NOON - days(90)), Instant(NOON - days(1))))
    assert recalls.ask("tokio")["excluded"] == {"expired": 1}
    (result,) = recalls.ask("tokio", as_of=Instant(NOON - days(60)))["results"]
    assert result["decayed_weight"] == 0.3


def test_time_passes_at_the_clock_alone() -> None:
    """F6: a capsule begins, ends and is replaced without a write."""
    recalls = Recalls()
    recalls.remember("tokio", validity=Validity(NOON, Instant(NOON + 5)))
    for at, outcome in ((-1, {"not_yet_valid": 1}), (0, None), (4, None), (5, {"expired": 1})):
        recalls.clock.set(Instant(NOON + at))
        assert recalls.ask("tokio").get("excluded") == outcome
