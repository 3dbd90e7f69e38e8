"""Recall: ranked evidence for what is asked, or an honest account of why there is none, in one destination or several (D2 to D5).

Where a service has one destination, its answer is that store's. Else those that the search scope means are asked side by side,
and one that fails or is late is named, never silently missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from recordance.answer.merging import MERGED_RANKS, Failed, Part, merged_report
from recordance.answer.outcome import Outcome
from recordance.answer.report import report
from recordance.domain.caller import Caller, Permission
from recordance.domain.destination import Profile, split_id
from recordance.errors import (
    InvalidArgument,
    Json,
    MissingState,
    OtherDimension,
    Refusal,
    SearchFailed,
    StoreUnusable,
)
from recordance.query.lane import Lane, LaneChoice
from recordance.query.request import RecallRequest
from recordance.usecases.failing import why as why_failed
from recordance.usecases.local_recall import LocalRecall, recall_in
from recordance.usecases.side_by_side import Answer, Question, Unanswered
from recordance.usecases.store import Destinations, Store, check_permission


def recall(destinations: Destinations, caller: Caller, destination: str | None, request: RecallRequest) -> dict[str, Json]:
    """Answer a recall as a wire object: `grounded`, `missing_evidence` or `abstain`, none of which is an error (O6).

    `destination` is the older single form of the request's search scope. Raises MissingState for an effort that cannot fence
    (F5), and for a name that the caller cannot see; InvalidArgument for an embedding that fits no destination asked (L2, D5);
    SearchFailed when every destination that was asked failed (D3).
    """
    check_permission(caller, Permission.READ)
    if destination is not None:
        request = replace(request, search_scope=(destination,))
    asked = _asked(destinations, caller, request)
    request = _with_effort_in(destinations, caller, asked, request)
    if len(destinations.visible(caller)) == 1 and not request.search_scope:
        return _alone(destinations.reading(caller, asked[0].name), caller, request)
    return _together(destinations, caller, asked, request)


def _alone(store: Store, caller: Caller, request: RecallRequest) -> dict[str, Json]:
    local = recall_in(store, caller, request)
    answer = report(local.gathered)
    local.note_misses(store, caller)
    return answer


# ── which are asked ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _asked(destinations: Destinations, caller: Caller, request: RecallRequest) -> tuple[Profile, ...]:
    """Return the destinations that are asked: those that the search scope means, or the one that the effort lies in (F5)."""
    meant = destinations.searched(caller, request.search_scope, request.traits)
    if request.effort_id is None:
        return meant
    named, _ = split_id(request.effort_id)
    if named is not None:
        (home,) = destinations.searched(caller, (named,), request.traits)
    elif not request.search_scope:
        (home,) = destinations.searched(caller, (destinations.catalogue(caller).default,), request.traits)
    elif len(meant) == 1:
        (home,) = meant
    else:
        why = "several destinations are searched, and an effort lies in one of them"
        raise InvalidArgument("effort_id", request.effort_id, "its id with the destination, such as notes:cap-3", why)
    if request.search_scope and home not in meant:
        why = f"the effort lies in {home.name}, which search_scope leaves out"
        raise InvalidArgument("search_scope", list(request.search_scope), f"one that holds {home.name}, or none", why)
    return (home,)


def _with_effort_in(
    destinations: Destinations, caller: Caller, asked: Sequence[Profile], request: RecallRequest
) -> RecallRequest:
    """Return the request with its effort under the id by which the destination asked knows it."""
    if request.effort_id is None:
        return request
    _, local = split_id(request.effort_id)
    return replace(request, effort_id=destinations.catalogue(caller).naming(asked[0].name).prefix + local)


# ── what each answers ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Told:
    """One destination's answer; `mismatch` is why its vector lane was left out."""

    store: Store
    local: LocalRecall
    mismatch: OtherDimension | None = None


def _ask(destinations: Destinations, caller: Caller, name: str, request: RecallRequest, least: int) -> _Told:
    """Recall in one destination; where its embeddings have another dimension, by its term lane alone if that was asked (D5)."""
    store = destinations.reading(caller, name)
    try:
        return _Told(store, recall_in(store, caller, request, least))
    except OtherDimension as mismatch:
        if Lane.TERM not in request.lanes:
            raise
        return _Told(store, recall_in(store, caller, replace(request, lane=LaneChoice.TERM), least), mismatch)


def _together(destinations: Destinations, caller: Caller, asked: Sequence[Profile], request: RecallRequest) -> dict[str, Json]:
    least = MERGED_RANKS if len(asked) > 1 else 0
    questions = [
        Question(each.name, partial(_ask, destinations, caller, each.name, request, least), each.deadline) for each in asked
    ]
    answers = destinations.gatherer.gather(questions)
    _raise_what_is_the_callers(request, list(answers.values()))
    searched = [_part_or_failure(destinations, each, answers[each.name]) for each in asked]
    parts = [each for each in searched if isinstance(each, Part)]
    if not parts:
        raise SearchFailed({each.name: each.why for each in searched if isinstance(each, Failed)})
    names = {each.name for each in asked}
    answer = merged_report(request, parts, searched, [name for name in destinations.visible(caller) if name not in names])
    _note_misses(caller, [told for told in answers.values() if isinstance(told, _Told)])
    return answer


def _raise_what_is_the_callers(request: RecallRequest, answers: Sequence[Answer[_Told]]) -> None:
    """Raise what is wrong with the request itself: an embedding that fits nowhere (D5), an effort that cannot fence (F5)."""
    mismatches = [mismatch for each in answers if (mismatch := _mismatch(each)) is not None]
    if len(mismatches) == len(answers):
        raise mismatches[0]
    for each in answers:
        theirs = isinstance(each, InvalidArgument) and not isinstance(each, OtherDimension)
        if isinstance(each, Refusal) and (theirs or (request.effort_id is not None and isinstance(each, MissingState))):
            raise each


def _mismatch(answer: Answer[_Told]) -> OtherDimension | None:
    match answer:
        case _Told(mismatch=mismatch):
            return mismatch
        case OtherDimension():
            return answer
        case _:
            return None


def _part_or_failure(destinations: Destinations, asked: Profile, answer: Answer[_Told]) -> Part | Failed:
    match answer:
        case _Told(local=local, mismatch=mismatch):
            return Part(asked.name, local.gathered, None if mismatch is None else mismatch.why)
        case OtherDimension(why=why):
            return Failed(asked.name, "other_dimension", why)
        case MissingState(kind=kind, lesson=lesson):
            return Failed(asked.name, kind.value, lesson)
        case Unanswered.LATE:
            return Failed(asked.name, answer.value, f"no answer within {asked.deadline:g} s")
        case Unanswered.BUSY:
            return Failed(asked.name, answer.value, "it has not answered earlier searches yet")
        case StoreUnusable(kind=kind):
            return Failed(asked.name, kind.value, why_failed(destinations, asked.name, answer))
        case _:
            return Failed(asked.name, "fault", why_failed(destinations, asked.name, answer))


def _note_misses(caller: Caller, told: Sequence[_Told]) -> None:
    """Note the terms as missed wherever they were looked for, unless a term lane found something anywhere (T8)."""
    if all(each.local.ended is not Outcome.GROUNDED for each in told):
        for each in told:
            each.local.note_misses(each.store, caller)
