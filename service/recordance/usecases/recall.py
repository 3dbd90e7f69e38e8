"""Recall: ranked evidence for what is asked, or an honest account of why there is none, in one destination or several (D2 to D5).

Where a service has one destination, its answer is that store's.
"""

from collections.abc import Sequence
from dataclasses import replace

from recordance.answer.merged_report import Part, merged_report
from recordance.answer.merging import Failed
from recordance.answer.outcome import Outcome
from recordance.answer.report import report
from recordance.domain.caller import Caller
from recordance.errors import Json
from recordance.query.request import RecallRequest
from recordance.usecases.local_recall import LocalRecall, recall_in
from recordance.usecases.searching import Told, search
from recordance.usecases.store import Destinations, Store


def recall(destinations: Destinations, caller: Caller, destination: str | None, request: RecallRequest) -> dict[str, Json]:
    """Answer a recall as a wire object: `grounded`, `missing_evidence` or `abstain`, none of which is an error (O6).

    `destination` is the older single form of the request's search scope. Raises what `search` raises.
    """
    if destination is not None:
        request = replace(request, search_scope=(destination,))

    def ask(store: Store, asked: RecallRequest, least: int) -> LocalRecall:
        return recall_in(store, caller, asked, least)

    found = search(destinations, caller, request, ask)
    if found.alone:
        answer = report(found.told[0].answer.gathered)
    else:
        parts = [_part(each) for each in found.told]
        answer = merged_report(request, parts, [_part_or_failure(each) for each in found.asked], found.unasked)
    _note_misses(caller, found.told)
    return answer


def _part(told: Told[LocalRecall]) -> Part:
    return Part(told.name, told.answer.gathered, told.aside)


def _part_or_failure(each: Told[LocalRecall] | Failed) -> Part | Failed:
    return each if isinstance(each, Failed) else _part(each)


def _note_misses(caller: Caller, told: Sequence[Told[LocalRecall]]) -> None:
    """Note the terms as missed wherever they were looked for, unless a term lane found something anywhere (T8)."""
    if all(each.answer.ended is not Outcome.GROUNDED for each in told):
        for each in told:
            each.answer.note_misses(each.store, caller)
