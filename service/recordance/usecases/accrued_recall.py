"""`recall`: what fits a question, weighed by what it has been worth, in one destination or several (L11 to L13, L18, O8 to O10).

It writes nothing, not even a miss. Several destinations rank each for itself and are merged by rank, since a score of one store
says nothing in another; by value, recency or confidence, which mean the same everywhere, the hits are ordered after that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recordance.answer.accrued import AccruedAnswer, AccruedHit, Fold, accrued_answer
from recordance.answer.merging import Failed, Merged, Ranking, merge_ranked
from recordance.domain.caller import Caller
from recordance.errors import Json
from recordance.query.accrued import AccruedRequest, Wish
from recordance.query.request import RecallRequest
from recordance.ranking.accrual import rerank_key
from recordance.ranking.conflict import demoted
from recordance.usecases.local_accrual import AccruedFound, accrue_in
from recordance.usecases.meaning import with_meaning
from recordance.usecases.searching import Searched, Told, search
from recordance.usecases.store import Destinations, Store

Place = tuple[str, int]
"""A destination and the number of a capsule there."""


def recall_accrued(destinations: Destinations, caller: Caller, request: AccruedRequest) -> dict[str, Json]:
    """Return `{result, store}`; an empty result is no error, and `store` says why it is empty.

    Raises MissingState(NO_TRUST_ROOT) where only what is trusted is wanted and nothing is (F11), and what `search` raises.
    """
    reliance = destinations.reliance
    request = replace(request, wishes=request.wishes | reliance.wishes)
    if Wish.TRUSTED_ONLY in request.wishes:
        reliance.require_root()
    pooled = replace(request.base, vector_k=request.pool)
    base, unmeant = with_meaning(destinations.models, pooled, request.question)

    def ask(store: Store, asked: RecallRequest, least: int) -> AccruedFound:
        return accrue_in(store, caller, replace(request, base=asked), reliance, least)

    found = search(destinations, caller, base, ask)
    listed = _listed(request, found)
    return accrued_answer(
        AccruedAnswer(
            request=request,
            rows=[each.shown.envelope if found.alone else each.row() for each in listed.rows],
            folded=_folded(found, listed),
            parts=[each if isinstance(each, Failed) else each.answer.part(_aside(found, each)) for each in found.asked],
            unasked=found.unasked,
            unmeant=found.told[0].aside if found.alone and unmeant is None else unmeant,
        )
    )


def _aside(found: Searched[AccruedFound], told: Told[AccruedFound]) -> str | None:
    """Return why one of several went without its vectors; an only one says it of the answer."""
    return None if found.alone else told.aside


@dataclass(frozen=True, slots=True)
class _Listed:
    """The k best in the order asked for, and whose place among them went to others because it restates what is corrected."""

    rows: Sequence[Merged]
    restated: Sequence[Place]


def _listed(request: AccruedRequest, found: Searched[AccruedFound]) -> _Listed:
    """Return the k best, in the order asked for: clean before stuffed, corrections before what they correct."""
    hits = {(told.name, hit.number): hit for told in found.told for hit in told.answer.hits}
    merged = {(each.name, each.shown.number): each for each in _merged(found)}
    unsettled = sorted(merged, key=lambda place: hits[place].stuffed)
    order = _settled(unsettled, hits)[: request.k]
    restated = [place for place in unsettled[: request.k] if place not in order]
    order = sorted(order, key=lambda place: (hits[place].stuffed, rerank_key(request.rerank, hits[place].capsule)))
    return _Listed([merged[place] for place in _settled(order, hits)], restated)


def _folded(found: Searched[AccruedFound], listed: _Listed) -> Mapping[Fold, Sequence[str]]:
    """Return the ids of those whose place went to others in their own store or in the merge, and stayed lost (L11, O9)."""
    naming = {told.name: told.store.naming for told in found.told}
    shown = {(each.name, each.shown.number) for each in listed.rows}
    lost = {fold: [(told.name, number) for told in found.told for number in told.answer.folded[fold]] for fold in Fold}
    lost[Fold.RESTATED] += listed.restated
    return {
        fold: [naming[name].id(number) for name, number in dict.fromkeys(places) if (name, number) not in shown]
        for fold, places in lost.items()
    }


def _merged(found: Searched[AccruedFound]) -> Sequence[Merged]:
    if found.alone:
        return [Merged(told.name, shown, ()) for told in found.told for shown in told.answer.shown]
    return merge_ranked([_ranking(told) for told in found.told]).results


def _ranking(told: Told[AccruedFound]) -> Ranking:
    return Ranking(told.name, told.store.naming, told.answer.shown)


def _settled(order: Sequence[Place], hits: Mapping[Place, AccruedHit]) -> list[Place]:
    """Return the order with every restatement below its corrections (O9).

    What restates stands in the same destination as its correction, and may be shown as the equal content of another one.
    """
    equal = {hits[place].capsule.content_digest: place for place in reversed(order)}
    present = set(order)
    over: dict[Place, list[Place]] = {}
    for place in order:
        under = [(place[0], number) for number in hits[place].resolved_over if (place[0], number) in hits]
        over[place] = [each if each in present else equal.get(hits[each].capsule.content_digest, each) for each in under]
    return demoted(order, over) if any(over.values()) else list(order)
