"""`recall`: what fits a question, weighed by what it has been worth, in one destination or several (L11 to L13, L18, O8 to O10).

It writes nothing, not even a miss. Several destinations rank each for itself and are merged by rank, since a score of one store
says nothing in another; by value, recency or confidence, which mean the same everywhere, the hits are ordered after that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recordance.answer.accrued import AccruedAnswer, AccruedHit, accrued_answer
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
    return accrued_answer(
        AccruedAnswer(
            request=request,
            rows=_rows(request, found),
            parts=[each if isinstance(each, Failed) else each.answer.part(each.aside) for each in found.asked],
            unasked=found.unasked,
            unmeant=unmeant,
        )
    )


def _rows(request: AccruedRequest, found: Searched[AccruedFound]) -> Sequence[dict[str, Json]]:
    """Return the k best as they are shown, in the order asked for: clean before stuffed, corrections before what they correct."""
    hits = {(told.name, hit.number): hit for told in found.told for hit in told.answer.hits}
    merged = {(each.name, each.shown.number): each for each in _merged(found)}
    order = _settled(sorted(merged, key=lambda place: hits[place].stuffed), hits)[: request.k]
    order = sorted(order, key=lambda place: (hits[place].stuffed, rerank_key(request.rerank, hits[place].capsule)))
    order = _settled(order, hits)
    return [merged[place].shown.envelope if found.alone else merged[place].row() for place in order]


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
