"""One answer out of those of several destinations (D2 to D5, O1 to O3).

Each destination enters with its own ranking, as if it were asked alone. The first ranks of all are fused by reciprocal ranks,
since scores of different stores have nothing to do with each other; what lies behind them follows in the order of its ranks. What
several show by the same content is one result, which says where else it is.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from recordance.answer.envelope import Shown
from recordance.answer.outcome import Outcome, excluded_view, exclusion_reason, outcome_of
from recordance.answer.receipt import join_receipts
from recordance.answer.report import Gathered, cuts, effort_view, present, reason_of, receipt_of
from recordance.errors import Json
from recordance.query.exclusion import ExclusionReason
from recordance.query.request import RecallRequest
from recordance.ranking.fusion import by_ranks
from recordance.ranking.trimming import trim

MERGED_RANKS = 12
"""With how many ranks each destination enters, whatever the limit and the budget: so that neither changes an order or a count."""


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


@dataclass(frozen=True, slots=True)
class Failed:
    """A destination that did not answer: `kind` for programs, `why` for people."""

    name: str
    kind: str
    why: str


@dataclass(frozen=True, slots=True)
class _Result:
    """A result of the merged ranking: what is shown of it, whose it is, and the ids of the same content elsewhere."""

    part: Part
    shown: Shown
    elsewhere: tuple[str, ...]

    def envelope(self) -> dict[str, Json]:
        equal = {"equal": list(self.elsewhere)} if self.elsewhere else {}
        return {**self.shown.envelope, "destination": self.part.name, **equal}


def merged_report(
    request: RecallRequest, parts: Sequence[Part], searched: Sequence[Part | Failed], unasked: Sequence[str]
) -> dict[str, Json]:
    """Return the answer of all that answered, `parts`, in the order in which they were asked.

    `searched` names them together with those that failed; `unasked` are destinations that the caller could have asked too.
    """
    front = _front(parts)
    entered = sum(len(part.gathered.shown[:MERGED_RANKS]) for part in parts)
    eligible = sum(part.gathered.eligible for part in parts) - (entered - len(front))
    results = _with_those_behind(parts, front)
    kept = results if request.limit is None else results[: request.limit]
    trimmed = trim((each.envelope() for each in kept), request.token_budget)
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


def _front(parts: Sequence[Part]) -> list[_Result]:
    """Return what the first ranks of all come to; ties fall to the better rank, then to who was asked first."""
    places = sorted(_places(parts), key=min)
    lanes: list[dict[int, int]] = [{} for _ in parts]
    for number, each in enumerate(places):
        for rank, place in each:
            lanes[place][number] = rank
    return [_result(parts, places[number]) for number in by_ranks(lanes)]


def _places(parts: Sequence[Part]) -> Collection[Sequence[tuple[int, int]]]:
    """Return, for each content among the first ranks, at which rank of which part it is.

    What one store shows twice lies in two of its projects: only the first of them is the one that others have too.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    again: list[list[tuple[int, int]]] = []
    for place, part in enumerate(parts):
        own = set[str]()
        for rank, shown in enumerate(part.gathered.shown[:MERGED_RANKS], start=1):
            if shown.digest in own:
                again.append([(rank, place)])
            else:
                found.setdefault(shown.digest, []).append((rank, place))
            own.add(shown.digest)
    return [*found.values(), *again]


def _with_those_behind(parts: Sequence[Part], front: Sequence[_Result]) -> list[_Result]:
    """Return the front with what lies behind it, by rank and then by who was asked first.

    There too a content that another destination has shown already is no result of its own, though it was counted as one.
    """
    order, held = list(front), dict[str, int]()
    for number, each in enumerate(front):
        held.setdefault(each.shown.digest, number)
    for rank, asked in sorted((rank, asked) for asked, part in enumerate(parts) for rank in _behind(part)):
        part, shown = parts[asked], parts[asked].gathered.shown[rank]
        holder = held.get(shown.digest)
        if holder is not None and order[holder].part is not part:
            order[holder] = replace(order[holder], elsewhere=(*order[holder].elsewhere, _id(part, shown)))
        else:
            held.setdefault(shown.digest, len(order))
            order.append(_Result(part, shown, ()))
    return order


def _behind(part: Part) -> range:
    return range(MERGED_RANKS, len(part.gathered.shown))


def _result(parts: Sequence[Part], places: Sequence[tuple[int, int]]) -> _Result:
    def at(rank: int, place: int) -> Shown:
        return parts[place].gathered.shown[rank - 1]

    best = min(places)
    return _Result(parts[best[1]], at(*best), tuple(_id(parts[each[1]], at(*each)) for each in places if each != best))


def _id(part: Part, shown: Shown) -> str:
    return part.gathered.naming.id(shown.number)


def _excluded(parts: Sequence[Part]) -> Mapping[ExclusionReason, int]:
    return sum((Counter(part.gathered.excluded) for part in parts), Counter[ExclusionReason]())


def _receipts(parts: Sequence[Part], results: Sequence[_Result]) -> str:
    """Return the receipt of each part of which something is shown, or of the first where nothing is (O13)."""
    own = {part.name: [each.shown for each in results if each.part is part] for part in parts}
    telling = [part for part in parts if own[part.name]] or [part for part in parts if part.gathered.eligible][:1]
    return join_receipts(receipt_of(part.gathered, own[part.name]) for part in telling)


def _reason(parts: Sequence[Part], searched: Sequence[Part | Failed], unasked: Sequence[str], eligible: int) -> str:
    """Return why nothing is shown, for all that were asked, and who was not (O1, case F8); empty where something may ground."""
    if eligible:
        return ""
    return " ".join((*_reasons(parts), *_absences(searched, unasked)))


def _reasons(parts: Sequence[Part]) -> Iterator[str]:
    excluded = _excluded(parts)
    if any(excluded.values()):
        yield exclusion_reason(excluded)
        return
    said: dict[str, list[str]] = {}
    for part in parts:
        said.setdefault(reason_of(part.gathered), []).append(part.name)
    for reason, names in said.items():
        yield f"In {', '.join(names)}: {reason}"


def _absences(searched: Sequence[Part | Failed], unasked: Sequence[str]) -> Iterator[str]:
    failed = [f"{each.name} ({each.why})" for each in searched if isinstance(each, Failed)]
    if failed:
        yield f"Not answered: {'; '.join(failed)}."
    if unasked:
        yield f"Not asked: {', '.join(unasked)}; search_scope all asks every destination."


def _searched(each: Part | Failed) -> dict[str, Json]:
    match each:
        case Part(name=name, gathered=gathered, aside=aside):
            left_out = {} if aside is None else {"skipped": "vector", "why": aside}
            return {"destination": name, "outcome": each.outcome.value, "matched": gathered.eligible, **left_out}
        case Failed(name=name, kind=kind, why=why):
            return {"destination": name, "failed": kind, "why": why}
