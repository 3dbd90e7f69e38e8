"""The answer to a recall as one wire object. Pure: what was gathered goes in, what is sent comes out (O1 to O3, O12, O13)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from recordance.answer.envelope import Shown
from recordance.answer.outcome import BY_TERMS, Outcome, Sight, abstention_reason, excluded_view, exclusion_reason, outcome_of
from recordance.answer.receipt import Receipt, sign_receipt
from recordance.domain.destination import Naming
from recordance.domain.identity import StoreIdentity
from recordance.domain.relation import Effort, EffortState
from recordance.errors import Json
from recordance.query.exclusion import ExclusionReason
from recordance.query.lane import Lane
from recordance.query.request import RecallRequest
from recordance.query.terms import TermGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Everything that an answer is decided from.

    `naming` is the destination's; `eligible` and `excluded` count all matches; `shown` is what is shown of them, in order;
    `best_support` belongs to the best result, None when nothing was ranked; `capsules` is the size of the caller's corpus,
    `vectors` how many embeddings the store holds.
    """

    request: RecallRequest
    identity: StoreIdentity
    head: int
    naming: Naming
    lanes: Sequence[Lane]
    groups: Sequence[TermGroup]
    capsules: int
    vectors: int
    eligible: int
    excluded: Mapping[ExclusionReason, int]
    shown: tuple[Shown, ...]
    best_support: float | None
    effort: Effort | None
    sight: Sight = Sight.WHOLE


def report(gathered: Gathered) -> dict[str, Json]:
    """Return the answer of one store; what does not apply is absent, never null."""
    outcome = outcome_of(gathered.eligible, gathered.excluded)
    return {
        "outcome": outcome.value,
        "results": [each.envelope for each in gathered.shown],
        "matched": gathered.eligible,
        **cuts(gathered.eligible, len(gathered.shown), gathered.request.limit),
        "token_budget": gathered.request.token_budget,
        **present("excluded", excluded_view(gathered.excluded)),
        **present("reason", reason_of(gathered)),
        **present("effort", effort_view(gathered)),
        **present("receipt", receipt_of(gathered, gathered.shown)),
        **({} if gathered.best_support is None else {"support": round(gathered.best_support, 2)}),
        **present("scope", dict(gathered.request.stated)),
    }


def cuts(eligible: int, returned: int, limit: int | None) -> dict[str, int]:
    """Return how many are shown, and how many eligible ones the limit and the budget each cut (O3)."""
    allowed = eligible if limit is None else min(limit, eligible)
    return {"returned": returned, "trimmed_by_limit": eligible - allowed, "trimmed_by_budget": allowed - returned}


def reason_of(gathered: Gathered) -> str:
    """Return why a store's answer shows nothing; empty where something may ground (O1)."""
    match outcome_of(gathered.eligible, gathered.excluded):
        case Outcome.GROUNDED:
            return ""
        case Outcome.MISSING_EVIDENCE:
            return exclusion_reason(BY_TERMS, gathered.excluded)
        case Outcome.ABSTAIN:
            return abstention_reason(
                BY_TERMS,
                gathered.lanes,
                gathered.groups,
                gathered.request.stated,
                gathered.capsules,
                gathered.vectors,
                gathered.sight,
            )


def effort_view(gathered: Gathered) -> dict[str, Json]:
    """Return the effort that fences the answer; empty without one (F5)."""
    effort = gathered.effort
    if effort is None:
        return {}
    return {
        "epic_id": gathered.naming.id(effort.epic),
        "member_total": len(effort.members),
        "open": effort.state is EffortState.OPEN,
    }


def receipt_of(gathered: Gathered, shown: Iterable[Shown]) -> str:
    """Return the store's receipt for what of its results is shown; empty where nothing may ground (O13)."""
    if not gathered.eligible:
        return ""
    numbers = tuple(each.number for each in shown)
    receipt = sign_receipt(Receipt(gathered.identity.store, gathered.head, numbers), gathered.identity.key)
    return gathered.naming.prefix + receipt


def present(name: str, value: Json) -> dict[str, Json]:
    """Return a field of the answer, or nothing where it has nothing to say."""
    return {name: value} if value else {}
