"""A search within scopes: plain words, strictly or with one relaxed pass, in one destination or several (L8, L9, O7, F10).

It stays lexical: a vector enters only where the caller sends one, as one more ranking; no model is asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recordance.answer.merging import Failed
from recordance.answer.selection_report import Part, merged_selection, selection
from recordance.domain.alias import MissOutcome
from recordance.domain.caller import Caller
from recordance.domain.instant import Instant
from recordance.errors import Json
from recordance.query.request import RecallRequest
from recordance.query.scoped_search import ScopedSearch
from recordance.usecases.looking import look_at
from recordance.usecases.scoped_pool import Depth, LocalPool, pool_of
from recordance.usecases.searching import Told, search
from recordance.usecases.store import Destinations, Store

DEEPEST = 10_000
"""How many ranks of one wording a page can be turned to in one destination: what lies behind would be read to be passed over."""
DEEPEST_MERGED = 1_000
"""How many where several destinations are merged: each tells its whole ranking up to the page."""


def scoped_search(destinations: Destinations, caller: Caller, request: ScopedSearch) -> dict[str, Json]:
    """Answer a search as a wire object, `memories` and `retrieval`; an empty page is never an error (O7).

    Raises what `search` raises.
    """

    def ask(store: Store, asked: RecallRequest, least: int) -> _Asked:
        return _asked(store, caller, replace(request, base=asked), least)

    found = search(destinations, caller, request.base, ask)
    if found.alone:
        answer = selection(request, _part(found.told[0]))
    else:
        parts = [_part(each) for each in found.told]
        answer = merged_selection(request, parts, [_part_or_failure(each) for each in found.asked], found.unasked)
    _note_misses(caller, request, found.told)
    return answer


@dataclass(frozen=True, slots=True)
class _Asked:
    """What one destination answered, and when."""

    local: LocalPool
    at: Instant


def _asked(store: Store, caller: Caller, request: ScopedSearch, least: int) -> _Asked:
    """Ask one store for the page, or for all ranks up to its end where others are merged with it (D4)."""
    last = request.offset + request.limit
    depth = Depth(0, max(least, last), DEEPEST_MERGED, DEEPEST_MERGED) if least else Depth(request.offset, last, DEEPEST, None)
    with look_at(store, caller, request.base) as look:
        return _Asked(pool_of(look, request, depth), look.at)


def _part(told: Told[_Asked]) -> Part:
    return Part(told.name, told.answer.local.pool, told.aside)


def _part_or_failure(each: Told[_Asked] | Failed) -> Part | Failed:
    return each if isinstance(each, Failed) else _part(each)


def _note_misses(caller: Caller, request: ScopedSearch, told: Sequence[Told[_Asked]]) -> None:
    """Note each wording as missed wherever it was looked for, unless words found something anywhere (T8)."""
    missed: list[tuple[Told[_Asked], MissOutcome]] = []
    for each in told:
        ended = each.answer.local.missed
        if ended is None:
            return
        missed.append((each, ended))
    for each, ended in missed:
        each.store.misses.record(tuple(term.key for term in request.base.terms), ended, caller.fence_key, each.answer.at)
