"""`memory_recall`: the pipeline's hits in the form asked for, in one destination or several (L10, L14, L15, O10, D2 to D5)."""

from dataclasses import replace

from recordance.answer.merging import Failed
from recordance.answer.recalled import Recalled, RecalledPart, recalled_report
from recordance.domain.caller import Caller, Permission
from recordance.domain.instant import Instant
from recordance.errors import Json
from recordance.query.memory_recall import MemoryRecall, Mode
from recordance.query.request import RecallRequest
from recordance.usecases.looking import Look, look_at
from recordance.usecases.neighbours import beside, linked
from recordance.usecases.pipeline import run_pipeline, with_embedding
from recordance.usecases.quick_search import found_in
from recordance.usecases.searching import Told, search
from recordance.usecases.store import Destinations, Store

SPARE = 4
"""By how much more of what lies one hop away is read where hits of several destinations are merged: not all of them stay."""


def memory_recall(destinations: Destinations, caller: Caller, request: MemoryRecall) -> dict[str, Json]:
    """Answer a question as a wire object. Raises what `search` raises; nothing is written."""
    query = with_embedding(destinations.models, request.pipeline)
    asked = replace(request, pipeline=query)

    def ask(store: Store, own: RecallRequest, least: int) -> RecalledPart:
        with look_at(store, caller, own) as look:
            return _part(destinations, look, asked, least)

    found = search(destinations, caller, query.request, ask)
    told = tuple(_aside(each) for each in found.told)
    by_name = {each.found.name: each.found for each in told}
    searched = tuple(each if isinstance(each, Failed) else by_name[each.name] for each in found.asked)
    return recalled_report(asked, Recalled(parts=told, asked=searched, unasked=found.unasked, alone=found.alone))


def _aside(told: Told[RecalledPart]) -> RecalledPart:
    return replace(told.answer, found=replace(told.answer.found, aside=told.aside))


def _part(destinations: Destinations, look: Look, request: MemoryRecall, least: int) -> RecalledPart:
    """Return what one store has; `least` hits for whoever merges, above 0 where anybody does."""
    limit = request.limit.effective
    query = request.pipeline.showing(max(limit, least))
    run = run_pipeline(look, query, destinations.models)
    timeline = request.mode is Mode.TIMELINE
    seeds = [(hit.capsule, hit.text) for hit in run.hits]
    most = (request.related + request.expansion) * (SPARE if least else 1)
    return RecalledPart(
        found=found_in(look, query, run),
        beside={capsule.number: beside(look, capsule.number, request.neighbors) for capsule, _ in seeds} if timeline else {},
        linked=linked(look, seeds[:limit], most) if most else (),
        last_written=_last_written(look) if request.mode is Mode.SEARCH else None,
        at=look.at,
    )


def _last_written(look: Look) -> Instant | None:
    """Return when anything was last written; None where the caller may not write, or sees but a part.

    There it would tell of what others do (F13).
    """
    if Permission.WRITE not in look.caller.permissions or look.caller.projects is not None:
        return None
    rows = look.reader.journal(look.reader.head() - 1, 1)
    return rows[0].at if rows else None
