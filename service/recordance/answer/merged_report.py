"""The evidence of several destinations as one answer (D2 to D5, O1 to O3)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recordance.answer.merging import (
    Failed,
    Merged,
    Ranking,
    absences,
    aside_view,
    failed_view,
    merge_ranked,
)
from recordance.answer.outcome import BY_TERMS, Outcome, excluded_view, exclusion_reason, outcome_of
from recordance.answer.receipt import join_receipts
from recordance.answer.report import Gathered, cuts, effort_view, present, reason_of, receipt_of
from recordance.errors import Json
from recordance.query.exclusion import ExclusionReason
from recordance.query.request import RecallRequest
from recordance.ranking.trimming import trim


@dataclass(frozen=True, slots=True)
class Part:
    """What one destination answered; `aside` is why its vector lane did not run, None where nothing was left out (D5)."""

    name: str
    gathered: Gathered
    aside: str | None = None

    @property
    def outcome(self) -> Outcome:
        """How the recall ended there."""
        return outcome_of(self.gathered.eligible, self.gathered.excluded)

    @property
    def ranking(self) -> Ranking:
        """What it shows."""
        return Ranking(self.name, self.gathered.naming, self.gathered.shown)


def merged_report(
    request: RecallRequest, parts: Sequence[Part], searched: Sequence[Part | Failed], unasked: Sequence[str]
) -> dict[str, Json]:
    """Return the answer of all that answered, `parts`, in the order in which they were asked.

    `searched` names them together with those that failed; `unasked` are destinations that the caller could have asked too.
    """
    merged = merge_ranked([part.ranking for part in parts])
    eligible = sum(part.gathered.eligible for part in parts) - merged.joined
    kept = merged.results if request.limit is None else merged.results[: request.limit]
    trimmed = trim((each.row() for each in kept), request.token_budget)
    shown = kept[: len(trimmed.shown)]
    excluded = _excluded(parts)
    return {
        "outcome": outcome_of(eligible, excluded).value,
        "results": list(trimmed.shown),
        "matched": eligible,
        **cuts(eligible, len(shown), request.limit),
        "token_budget": request.token_budget,
        **present("excluded", excluded_view(excluded)),
        **present("reason", _reason(parts, searched, unasked, eligible)),
        **present("effort", next((view for part in parts if (view := effort_view(part.gathered))), {})),
        **present("receipt", _receipts(parts, shown) if eligible else ""),
        **({"support": shown[0].shown.envelope["support"]} if shown else {}),
        "searched": [_searched(each) for each in searched],
        **present("scope", dict(request.stated)),
    }


def _excluded(parts: Sequence[Part]) -> Mapping[ExclusionReason, int]:
    return sum((Counter(part.gathered.excluded) for part in parts), Counter[ExclusionReason]())


def _receipts(parts: Sequence[Part], results: Sequence[Merged]) -> str:
    """Return the receipt of each part of which something is shown, or of the first where nothing is (O13)."""
    own = {part.name: [each.shown for each in results if each.name == part.name] for part in parts}
    telling = [part for part in parts if own[part.name]] or [part for part in parts if part.gathered.eligible][:1]
    return join_receipts(receipt_of(part.gathered, own[part.name]) for part in telling)


def _reason(parts: Sequence[Part], searched: Sequence[Part | Failed], unasked: Sequence[str], eligible: int) -> str:
    """Return why nothing is shown, for all that were asked, and who was not (O1, case F8); empty where something may ground."""
    if eligible:
        return ""
    return " ".join((*_reasons(parts), *absences(searched, unasked)))


def _reasons(parts: Sequence[Part]) -> Iterator[str]:
    excluded = _excluded(parts)
    if any(excluded.values()):
        yield exclusion_reason(BY_TERMS, excluded)
        return
    said: dict[str, list[str]] = {}
    for part in parts:
        said.setdefault(reason_of(part.gathered), []).append(part.name)
    for reason, names in said.items():
        yield f"In {', '.join(names)}: {reason}"


def _searched(each: Part | Failed) -> dict[str, Json]:
    match each:
        case Part(name=name, gathered=gathered, aside=aside):
            return {"destination": name, "outcome": each.outcome.value, "matched": gathered.eligible, **aside_view(aside)}
        case Failed():
            return failed_view(each)
