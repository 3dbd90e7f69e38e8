"""The quick way through the pipeline: a question's words and its meaning, nothing else (L10)."""

from dataclasses import replace
from functools import partial

from recordance.answer.envelope import Shown
from recordance.answer.merging import Failed, Ranking, merge_ranked
from recordance.answer.quick import QuickPart, cut_view, excluded_of, quick_row, searched_view, skipped_view, why_nothing
from recordance.answer.report import present
from recordance.domain.caller import Caller
from recordance.errors import Json
from recordance.query.pipeline import PipelineQuery
from recordance.query.request import RecallRequest
from recordance.ranking.pipeline_run import PipelineRun
from recordance.usecases.looking import Look, look_at
from recordance.usecases.pipeline import run_pipeline, with_embedding
from recordance.usecases.searching import Searched, Told, search
from recordance.usecases.store import Destinations, Store


def search_quickly(destinations: Destinations, caller: Caller, asked: PipelineQuery, requested: int) -> dict[str, Json]:
    """Return the best of what the query's stages find, in the destinations that its search scope means.

    `requested` is how many the caller asked for, which may be more than the query wants. Raises what `search` raises.
    """
    query = with_embedding(destinations.models, asked)

    def ask(store: Store, request: RecallRequest, least: int) -> QuickPart:
        return _found(destinations, store, caller, request, query.showing(max(query.wanted, least)))

    found = search(destinations, caller, query.request, ask)
    parts = [each.answer for each in found.told]
    rows = _rows(found, query.wanted)
    return {
        "query": query.question,
        "requested_limit": requested,
        "effective_limit": query.wanted,
        "limit_clamped": requested != query.wanted,
        "results": rows,
        "result_count": len(rows),
        **present("skipped", [*cut_view(query), *skipped_view(parts[0].stages)]),
        **present("excluded", excluded_of(parts)),
        **present("reason", "" if rows else why_nothing(query, parts, found.asked, found.unasked)),
        **({} if found.alone else {"searched": [searched_view(_part(each)) for each in found.asked]}),
        **present("scope", dict(query.base.stated)),
    }


def _found(destinations: Destinations, store: Store, caller: Caller, request: RecallRequest, query: PipelineQuery) -> QuickPart:
    with look_at(store, caller, request) as look:
        return found_in(look, query, run_pipeline(look, query, destinations.models))


def found_in(look: Look, query: PipelineQuery, run: PipelineRun) -> QuickPart:
    """Return what a run found in one store, with what an empty answer needs to say of it."""
    groups, space = look.asked(query.terms), look.reader.space(look.request.space)
    return QuickPart(
        name=look.store.name,
        naming=look.store.naming,
        stages=run.stages,
        hits=run.hits,
        excluded=look.tally(look.question(groups)).excluded,
        groups=groups,
        capsules=look.corpus.statistics.capsules,
        vectors=0 if space is None else space.vectors,
        sight=look.sight,
    )


def _part(each: Told[QuickPart] | Failed) -> QuickPart | Failed:
    return each if isinstance(each, Failed) else replace(each.answer, aside=each.aside)


def _rows(found: Searched[QuickPart], limit: int) -> list[dict[str, Json]]:
    rankings = [Ranking(each.name, each.store.naming, _shown(each.answer)) for each in found.told]
    if found.alone:
        return [each.envelope for each in rankings[0].shown[:limit]]
    return [each.row() for each in merge_ranked(rankings).results[:limit]]


def _shown(part: QuickPart) -> tuple[Shown, ...]:
    return tuple(Shown(partial(quick_row, part.naming, hit), hit.capsule.number, hit.capsule.content_digest) for hit in part.hits)
