"""The answer to a recall as one wire object. Pure: what was gathered goes in, what is sent comes out (O1 to O3, O12, O13)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recordance.answer.outcome import Outcome, abstention_reason, excluded_view, exclusion_reason, outcome_of
from recordance.answer.receipt import Receipt, sign_receipt
from recordance.domain.identity import StoreIdentity, capsule_id, capsule_number
from recordance.domain.relation import Effort, EffortState
from recordance.errors import Json
from recordance.query.exclusion import ExclusionReason
from recordance.query.lane import Lane
from recordance.query.request import RecallRequest
from recordance.query.terms import TermGroup
from recordance.ranking.trimming import Trimmed


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Everything that an answer is decided from.

    `eligible` and `excluded` count all matches; `trimmed` is what is shown of them; `best_support` belongs to the best result,
    None when nothing was ranked; `capsules` is the size of the caller's corpus, `vectors` how many embeddings the store holds.
    """

    request: RecallRequest
    identity: StoreIdentity
    head: int
    lanes: Sequence[Lane]
    groups: Sequence[TermGroup]
    capsules: int
    vectors: int
    eligible: int
    excluded: Mapping[ExclusionReason, int]
    trimmed: Trimmed
    best_support: float | None
    effort: Effort | None


def report(gathered: Gathered) -> dict[str, Json]:
    """Return the answer; what does not apply is absent, never null."""
    outcome = outcome_of(gathered.eligible, gathered.excluded)
    return {
        "outcome": outcome.value,
        "results": list(gathered.trimmed.shown),
        "matched": gathered.eligible,
        **_cuts(gathered),
        "token_budget": gathered.request.token_budget,
        **_present("excluded", excluded_view(gathered.excluded)),
        **_present("reason", _reason(outcome, gathered)),
        **_present("effort", _effort(gathered.effort)),
        **_present("receipt", _receipt(outcome, gathered)),
        **({} if gathered.best_support is None else {"support": round(gathered.best_support, 2)}),
        **_present("scope", dict(gathered.request.stated)),
    }


def _cuts(gathered: Gathered) -> dict[str, int]:
    """Return how many are shown, and how many eligible ones the limit and the budget each cut (O3)."""
    returned = len(gathered.trimmed.shown)
    limit = gathered.request.limit
    allowed = gathered.eligible if limit is None else min(limit, gathered.eligible)
    return {
        "returned": returned,
        "trimmed_by_limit": gathered.eligible - allowed,
        "trimmed_by_budget": allowed - returned,
    }


def _reason(outcome: Outcome, gathered: Gathered) -> str:
    match outcome:
        case Outcome.GROUNDED:
            return ""
        case Outcome.MISSING_EVIDENCE:
            return exclusion_reason(gathered.excluded)
        case Outcome.ABSTAIN:
            return abstention_reason(
                gathered.lanes, gathered.groups, gathered.request.stated, gathered.capsules, gathered.vectors
            )


def _effort(effort: Effort | None) -> dict[str, Json]:
    if effort is None:
        return {}
    return {
        "epic_id": capsule_id(effort.epic),
        "member_total": len(effort.members),
        "open": effort.state is EffortState.OPEN,
    }


def _receipt(outcome: Outcome, gathered: Gathered) -> str:
    if outcome is not Outcome.GROUNDED:
        return ""
    numbers = tuple(number for shown in gathered.trimmed.shown if (number := capsule_number(shown["id"])) is not None)
    return sign_receipt(Receipt(gathered.identity.store, gathered.head, numbers), gathered.identity.key)


def _present(name: str, value: Json) -> dict[str, Json]:
    return {name: value} if value else {}
