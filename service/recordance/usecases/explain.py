"""Explaining a recall in natural language: the same run, with all that its stages told, in one destination or several (L10).

Nothing is written, and nothing is counted as a miss: whoever asks why has asked before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from recordance.answer.envelope import Shown
from recordance.answer.explained import (
    Account,
    Explained,
    Fate,
    account_view,
    destination_view,
    row_view,
    stages_view,
)
from recordance.answer.merging import Failed, Ranking, merge_ranked
from recordance.domain.caller import Caller
from recordance.domain.destination import number_there
from recordance.errors import Json, MissingState, StateKind
from recordance.query.pipeline import PipelineQuery, Stage
from recordance.query.request import RecallRequest
from recordance.ranking.pipeline_run import StageRun, StageState
from recordance.usecases.absence import NamedFence, account_of
from recordance.usecases.addressing import home_of_id
from recordance.usecases.looking import look_at
from recordance.usecases.pipeline import run_pipeline, with_embedding
from recordance.usecases.searching import Searched, Told, search
from recordance.usecases.store import Destinations, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What is to be explained: a question with the caller's fences by their names, and the id of a capsule that they miss."""

    query: PipelineQuery
    fences: tuple[NamedFence, ...] = ()
    id: str | None = None


@dataclass(frozen=True, slots=True)
class _Part:
    """What one destination tells: its run, and the account of the capsule asked about if that lies there."""

    explained: Explained
    account: Account | None


def explain(destinations: Destinations, caller: Caller, asked: Explanation) -> dict[str, Json]:
    """Return every stage of a recall with what it found, the fusion's table, and why a capsule is, or is not, among the hits.

    Raises what `search` raises, and MissingState for an id in a destination that the caller does not see.
    """
    asked = replace(asked, query=with_embedding(destinations.models, asked.query))
    query = asked.query
    home = None if asked.id is None else _home(destinations, caller, asked.id)

    def ask(store: Store, request: RecallRequest, least: int) -> _Part:
        local = replace(asked, id=asked.id if store.name == home else None)
        return _explained(destinations, store, caller, request, local, max(query.wanted, least))

    found = search(destinations, caller, query.request, ask)
    about = {} if asked.id is None else {"about": account_view(_account(asked.id, home, found))}
    return {
        "query": query.question,
        "limit": query.wanted,
        "fusion": query.tuning.fusion.value,
        **_stages(found),
        "hits": _hits(found, query.wanted),
        **about,
        **({"scope": dict(query.base.stated)} if query.base.stated else {}),
    }


def _explained(
    destinations: Destinations, store: Store, caller: Caller, request: RecallRequest, asked: Explanation, wanted: int
) -> _Part:
    began = destinations.stopwatch()
    with look_at(store, caller, request) as look:
        opening = destinations.stopwatch() - began
        run = run_pipeline(look, replace(asked.query, wanted=wanted), destinations.models, destinations.stopwatch)
        account = None
        if asked.id is not None:
            account = account_of(look, asked.query, run, asked.fences, number_there(asked.id))
    return _Part(Explained(naming=store.naming, run=replace(run, stages=_with_opening(run.stages, opening))), account)


def _with_opening(stages: Sequence[StageRun], seconds: float) -> tuple[StageRun, ...]:
    """Count what opening took to the semantic stage where that ran: vectors are asked while the snapshot is opened."""
    return tuple(
        replace(each, seconds=each.seconds + seconds) if each.stage is Stage.SEMANTIC and each.state is StageState.RAN else each
        for each in stages
    )


def _home(destinations: Destinations, caller: Caller, id: str) -> str | None:
    """Return the destination in which an id lies; None where it is nothing to this caller."""
    try:
        return home_of_id(destinations, caller, None, id)
    except MissingState as refusal:
        if refusal.kind is not StateKind.UNKNOWN_CAPSULE:
            raise
        return None


def _account(id: str, home: str | None, found: Searched[_Part]) -> Account:
    """Return what became of the capsule asked about, wherever it lies."""
    if home is None:
        return Account(id=id, fate=Fate.UNKNOWN, why="no capsule has exactly this id")
    for each in found.asked:
        if isinstance(each, Failed) and each.name == home:
            return Account(id=id, fate=Fate.NOT_ANSWERED, why=f"{home} did not answer: {each.why}")
        if isinstance(each, Told) and each.answer.account is not None:
            return replace(each.answer.account, id=each.answer.account.id or id)
    return Account(id=id, fate=Fate.NOT_SEARCHED, why=f"it lies in {home}, which search_scope leaves out")


def _stages(found: Searched[_Part]) -> dict[str, Json]:
    if found.alone:
        return {"stages": stages_view(found.told[0].answer.explained)}
    return {"searched": [destination_view(each.name, _told(each)) for each in found.asked]}


def _told(each: Told[_Part] | Failed) -> Explained | Failed:
    return each if isinstance(each, Failed) else each.answer.explained


def _hits(found: Searched[_Part], limit: int) -> list[dict[str, Json]]:
    """Return the lines of the table that the limit leaves; those of several destinations merged as their hits are (D4)."""
    rankings = [Ranking(each.name, each.store.naming, _shown(each.answer.explained)) for each in found.told]
    if found.alone:
        return [each.envelope for each in rankings[0].shown[:limit]]
    return [each.row() for each in merge_ranked(rankings).results[:limit]]


def _shown(told: Explained) -> tuple[Shown, ...]:
    hits: Sequence[int] = [hit.capsule.number for hit in told.run.hits]
    rows = {row.capsule.number: (rank, row) for rank, row in enumerate(told.run.rows, start=1)}
    return tuple(
        Shown(partial(row_view, told.naming, row, rank), number, row.capsule.content_digest)
        for number in hits
        for rank, row in (rows[number],)
    )
