"""The answer as one object: what it says beside its results."""

from functools import partial
from typing import Any

import pytest

from recordance.answer.envelope import Shown
from recordance.answer.receipt import Receipt, read_receipt
from recordance.answer.report import Gathered, report
from recordance.domain.destination import BARE
from recordance.domain.relation import Effort, EffortState
from recordance.query.exclusion import ExclusionReason
from recordance.query.lane import Lane
from recordance.query.request import RecallRequest
from recordance.query.terms import expand, read_terms
from support.truths import IDENTITY

TERMS = read_terms(["tokio pin"])
WIRE_ORDER = (
    "outcome", "results", "matched", "returned", "trimmed_by_limit", "trimmed_by_budget", "token_budget", "excluded", "reason",
    "effort", "receipt", "support", "searched", "scope",
)  # fmt: skip


def showing(*numbers: int) -> tuple[Shown, ...]:
    return tuple(Shown(partial(dict, id=f"cap-{number}"), number, f"digest {number}") for number in numbers)


def answer(
    *, eligible: int = 0, shown: tuple[Shown, ...] = (), asked: dict[str, Any] | None = None, **given: Any
) -> dict[str, Any]:
    parts: dict[str, Any] = {"excluded": {}, "best_support": None, "effort": None, "capsules": 9, "vectors": 4}
    return report(
        Gathered(
            request=RecallRequest(terms=TERMS, **(asked or {})),
            identity=IDENTITY,
            head=40,
            naming=BARE,
            lanes=(Lane.TERM,),
            groups=expand(TERMS, {}),
            eligible=eligible,
            shown=shown,
            **parts | given,
        )
    )


GROUNDED = answer(
    eligible=5,
    shown=showing(4, 2),
    asked={"limit": 3, "token_budget": 700, "stated": (("project_id", "nott"),)},
    excluded={ExclusionReason.EXPIRED: 2},
    best_support=0.625,
    effort=Effort(9, frozenset({1, 2}), EffortState.CLOSED),
)


def test_every_answer_has_its_fields_in_the_order_of_the_contract() -> None:
    """O4, O11: one order for every answer."""
    for one in (GROUNDED, answer(), answer(excluded={ExclusionReason.EXPIRED: 2})):
        assert [*one] == [name for name in WIRE_ORDER if name in one]


def test_a_grounded_answer_says_everything_that_applies() -> None:
    """O1, O2, O3, O12, O13, F5: and nothing that does not."""
    assert GROUNDED.keys() == set(WIRE_ORDER) - {"reason", "searched"}
    assert GROUNDED["outcome"] == "grounded"
    assert GROUNDED["results"] == [{"id": "cap-4"}, {"id": "cap-2"}]
    assert GROUNDED["excluded"] == {"expired": 2}
    assert GROUNDED["effort"] == {"epic_id": "cap-9", "member_total": 2, "open": False}
    assert GROUNDED["scope"] == {"project_id": "nott"}


def test_an_abstention_says_why_and_shows_nothing_else() -> None:
    """O1, O6: no receipt for what was not shown, no count of what did not match, no padding."""
    one = answer()
    assert one.keys() == {
        "outcome", "results", "matched", "returned", "trimmed_by_limit", "trimmed_by_budget", "token_budget", "reason"
    }  # fmt: skip
    assert (one["outcome"], one["results"], one["matched"]) == ("abstain", [], 0)
    assert one["reason"].startswith("Nothing matched")


def test_missing_evidence_counts_and_says_what_to_do_without_a_receipt() -> None:
    """O1, O6: the counts, and a sentence that tells each from the others."""
    one = answer(excluded={ExclusionReason.SUPERSEDED: 1, ExclusionReason.QUARANTINED: 0})
    assert (one["outcome"], one["results"], one["excluded"]) == ("missing_evidence", [], {"superseded": 1})
    assert one["reason"].startswith("Something matched, and all of it is excluded: 1 superseded (something newer")
    assert not {"receipt", "support"} & one.keys()


@pytest.mark.parametrize(
    ("eligible", "limit", "returned", "by_limit", "by_budget"),
    [
        (5, None, 5, 0, 0),
        (5, None, 2, 0, 3),
        (5, 5, 5, 0, 0),
        (5, 9, 5, 0, 0),
        (5, 3, 3, 2, 0),
        (5, 3, 2, 2, 1),
        (5, 0, 0, 5, 0),
        (5, None, 0, 0, 5),
        (0, 3, 0, 0, 0),
    ],
)
def test_each_cut_names_its_cause(eligible: int, limit: int | None, returned: int, by_limit: int, by_budget: int) -> None:
    """O3: `matched` counts before both, and what is not returned was cut by one of the two, never by both."""
    one = answer(eligible=eligible, shown=showing(*range(1, returned + 1)), asked={"limit": limit})
    assert (one["matched"], one["returned"]) == (eligible, returned)
    assert (one["trimmed_by_limit"], one["trimmed_by_budget"]) == (by_limit, by_budget)
    assert one["matched"] == one["returned"] + one["trimmed_by_limit"] + one["trimmed_by_budget"]


def test_the_budget_is_said_whether_it_was_asked_for_or_not() -> None:
    """O3: 1500 if left out."""
    assert answer()["token_budget"] == 1_500
    assert answer(asked={"token_budget": 0})["token_budget"] == 0


def test_the_receipt_names_the_store_the_seq_and_the_ids_shown() -> None:
    """O13: in the order in which they were shown, and not one that was cut."""
    receipt = read_receipt(GROUNDED["receipt"], "receipt", IDENTITY.store, IDENTITY.key)
    assert receipt == Receipt(IDENTITY.store, 40, (4, 2))


def test_a_grounded_answer_that_shows_nothing_has_a_receipt_for_nothing() -> None:
    """O13: a count-only recall is grounded, and nothing of it can be fed back."""
    one = answer(eligible=5, asked={"limit": 0})
    assert read_receipt(one["receipt"], "receipt", IDENTITY.store, IDENTITY.key).numbers == ()


@pytest.mark.parametrize(("support", "said"), [(0.625, 0.62), (0.0, 0.0), (1.0, 1.0)])
def test_the_best_hits_support_is_said_of_the_answer(support: float, said: float) -> None:
    """O12: two decimals, half-even; 0 is a support and not its absence."""
    assert answer(eligible=1, shown=showing(1), best_support=support)["support"] == said


@pytest.mark.parametrize(("state", "is_open"), [(EffortState.OPEN, True), (EffortState.CLOSED, False)])
def test_an_effort_is_echoed_whatever_the_outcome(state: EffortState, is_open: object) -> None:
    """F5: an empty answer about an effort is still about it."""
    one = answer(effort=Effort(3, frozenset({7}), state))
    assert one["outcome"] == "abstain"
    assert list(one["effort"].items()) == [("epic_id", "cap-3"), ("member_total", 1), ("open", is_open)]


def test_without_a_fence_there_is_no_scope() -> None:
    """F7, O11: what was not asked leaves no trace."""
    assert "scope" not in answer()
