"""One ranking out of those of several destinations (D4).

Each destination enters with its own ranking, as if it were asked alone. The first ranks of all are fused by reciprocal ranks,
since scores of different stores have nothing to do with each other; what lies behind them follows in the order of its ranks. What
several show by the same content is one result, which says where else it is.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from recordance.answer.envelope import Shown
from recordance.domain.destination import Naming
from recordance.errors import Json
from recordance.ranking.fusion import by_ranks

MERGED_RANKS = 12
"""With how many ranks each destination enters, whatever the limit and the budget: so that neither changes an order or a count."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A destination that did not answer: `kind` for programs, `why` for people."""

    name: str
    kind: str
    why: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one destination shows, best first, and how its ids are written."""

    name: str
    naming: Naming
    shown: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """A result of the merged ranking: whose it is, what is shown of it, and the ids of the same content elsewhere."""

    name: str
    shown: Shown
    elsewhere: tuple[str, ...]

    def row(self) -> dict[str, Json]:
        """Return what is shown of it, with its destination and where else it is."""
        equal = {"equal": list(self.elsewhere)} if self.elsewhere else {}
        return {**self.shown.envelope, "destination": self.name, **equal}


@dataclass(frozen=True, slots=True)
class MergedRanking:
    """All results in order, and how many of the first ranks were the same content as others of them: they count once."""

    results: tuple[Merged, ...]
    joined: int


def merge_ranked(rankings: Sequence[Ranking]) -> MergedRanking:
    """Return one ranking of what all destinations show, in the order in which they were asked where nothing else decides."""
    front = _front(rankings)
    entered = sum(len(each.shown[:MERGED_RANKS]) for each in rankings)
    return MergedRanking(tuple(_with_those_behind(rankings, front)), entered - len(front))


def absences(asked: Sequence[object], unasked: Sequence[str]) -> Iterator[str]:
    """Yield who did not answer and why, and who was not asked (case F8)."""
    failed = [f"{each.name} ({each.why})" for each in asked if isinstance(each, Failed)]
    if failed:
        yield f"Not answered: {'; '.join(failed)}."
    if unasked:
        yield f"Not asked: {', '.join(unasked)}; search_scope all asks every destination."


def failed_view(failed: Failed) -> dict[str, Json]:
    """Return a destination that did not answer, as answers name it (D3)."""
    return {"destination": failed.name, "failed": failed.kind, "why": failed.why}


def aside_view(aside: str | None) -> dict[str, Json]:
    """Return that a destination's vector lane was left out and why, or nothing where it was not (D5)."""
    return {} if aside is None else {"skipped": "vector", "why": aside}


def _front(rankings: Sequence[Ranking]) -> list[Merged]:
    """Return what the first ranks of all come to; ties fall to the better rank, then to who was asked first."""
    places = sorted(_places(rankings), key=min)
    lanes: list[dict[int, int]] = [{} for _ in rankings]
    for number, each in enumerate(places):
        for rank, place in each:
            lanes[place][number] = rank
    return [_result(rankings, places[number]) for number in by_ranks(lanes)]


def _places(rankings: Sequence[Ranking]) -> Collection[Sequence[tuple[int, int]]]:
    """Return, for each content among the first ranks, at which rank of which ranking it is.

    What one store shows twice lies in two of its projects: only the first of them is the one that others have too.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    again: list[list[tuple[int, int]]] = []
    for place, ranking in enumerate(rankings):
        own = set[str]()
        for rank, shown in enumerate(ranking.shown[:MERGED_RANKS], start=1):
            if shown.digest in own:
                again.append([(rank, place)])
            else:
                found.setdefault(shown.digest, []).append((rank, place))
            own.add(shown.digest)
    return [*found.values(), *again]


def _with_those_behind(rankings: Sequence[Ranking], front: Sequence[Merged]) -> list[Merged]:
    """Return the front with what lies behind it, by rank and then by who was asked first.

    There too a content that another destination has shown already is no result of its own, though it was counted as one.
    """
    order, held = list(front), dict[str, int]()
    for number, each in enumerate(front):
        held.setdefault(each.shown.digest, number)
    for rank, asked in sorted((rank, asked) for asked, ranking in enumerate(rankings) for rank in _behind(ranking)):
        ranking, shown = rankings[asked], rankings[asked].shown[rank]
        holder = held.get(shown.digest)
        if holder is not None and order[holder].name != ranking.name:
            order[holder] = replace(order[holder], elsewhere=(*order[holder].elsewhere, ranking.naming.id(shown.number)))
        else:
            held.setdefault(shown.digest, len(order))
            order.append(Merged(ranking.name, shown, ()))
    return order


def _behind(ranking: Ranking) -> range:
    return range(MERGED_RANKS, len(ranking.shown))


def _result(rankings: Sequence[Ranking], places: Sequence[tuple[int, int]]) -> Merged:
    def at(rank: int, place: int) -> Shown:
        return rankings[place].shown[rank - 1]

    best = min(places)
    elsewhere = (rankings[each[1]].naming.id(at(*each).number) for each in places if each != best)
    return Merged(rankings[best[1]].name, at(*best), tuple(elsewhere))
