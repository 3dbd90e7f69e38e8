"""Searching: the destinations that a search scope means, asked side by side, in every dialect alike (D2, D3, D5).

One that fails or is late is named, never silently missing. What is wrong with the request itself is raised.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

from recordance.answer.merging import MERGED_RANKS, Failed
from recordance.domain.caller import Caller, Permission
from recordance.domain.destination import Profile, split_id
from recordance.domain.embedding import DEFAULT_SPACE
from recordance.errors import (
    InvalidArgument,
    MissingState,
    OtherDimension,
    Refusal,
    SearchFailed,
    StoreUnusable,
)
from recordance.query.lane import Lane, LaneChoice
from recordance.query.request import RecallRequest
from recordance.usecases.failing import why as why_failed
from recordance.usecases.side_by_side import Answer, Question, Unanswered
from recordance.usecases.store import Destinations, Store, check_permission

T = TypeVar("T")

Ask = Callable[[Store, RecallRequest, int], T]
"""Answers a request in one store. The last is how many results whoever merges needs, whatever limit the request has."""


@dataclass(frozen=True, slots=True)
class Told(Generic[T]):
    """What one destination answered; `aside` is why its vector lane was left out, None where nothing was (D5)."""

    name: str
    store: Store
    answer: T
    aside: str | None = None


@dataclass(frozen=True, slots=True)
class Searched(Generic[T]):
    """What came of a search: who answered, at least one, in the order asked; all that were asked; whom nobody asked.

    `alone`: the caller has one destination and named none, so that the answer shows no trace of several.
    """

    told: tuple[Told[T], ...]
    asked: tuple[Told[T] | Failed, ...]
    unasked: tuple[str, ...] = ()
    alone: bool = False


def search(destinations: Destinations, caller: Caller, request: RecallRequest, ask: Ask[T]) -> Searched[T]:
    """Return what the destinations that the request's search scope means answer.

    Raises MissingState for an effort that cannot fence (F5), and for a name that the caller cannot see; InvalidArgument for an
    embedding that the caller sent and that fits no destination asked (L2, D5); SearchFailed when every destination that was asked
    failed (D3).
    """
    check_permission(caller, Permission.READ)
    asked = _asked(destinations, caller, request)
    request = _with_effort_in(destinations, caller, asked, request)
    if len(destinations.visible(caller)) == 1 and not request.search_scope:
        answer = _ask(destinations, caller, asked[0].name, request, 0, ask)
        if isinstance(answer, _Mismatched):
            raise answer.mismatch
        return Searched((answer,), (answer,), alone=True)
    least = MERGED_RANKS if len(asked) > 1 else 0
    questions = [
        Question(each.name, partial(_ask, destinations, caller, each.name, request, least, ask), each.deadline) for each in asked
    ]
    answers = destinations.gatherer.gather(questions)
    _raise_what_is_the_callers(request, list(answers.values()))
    searched = tuple(_told_or_failure(destinations, each, answers[each.name]) for each in asked)
    told_all = tuple(each for each in searched if isinstance(each, Told))
    if not told_all:
        raise SearchFailed({each.name: each.why for each in searched if isinstance(each, Failed)})
    names = {each.name for each in asked}
    return Searched(told_all, searched, tuple(name for name in destinations.visible(caller) if name not in names))


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
class _Mismatched(Generic[T]):
    """An answer without the vector lane, and why that did not run."""

    told: Told[T]
    mismatch: OtherDimension


def _ask(
    destinations: Destinations, caller: Caller, name: str, request: RecallRequest, least: int, ask: Ask[T]
) -> Told[T] | _Mismatched[T]:
    """Ask one destination; where its embeddings have another dimension, for its term lane alone if that was asked for (D5).

    A mismatch is the caller's if the embedding is; a model's that changed under its name costs its stage and nothing else.
    """
    store = destinations.reading(caller, name)
    try:
        return Told(name, store, ask(store, request, least))
    except OtherDimension as mismatch:
        if Lane.TERM not in request.lanes:
            raise
        answer = ask(store, replace(request, lane=LaneChoice.TERM), least)
        told = Told(name, store, answer, mismatch.why)
        return told if request.space != DEFAULT_SPACE else _Mismatched(told, mismatch)


def _raise_what_is_the_callers(request: RecallRequest, answers: Sequence[Answer[Told[T] | _Mismatched[T]]]) -> None:
    """Raise what is wrong with the request itself: an embedding that fits nowhere (D5), an effort that cannot fence (F5)."""
    mismatches = [mismatch for each in answers if (mismatch := _mismatch(each)) is not None]
    if len(mismatches) == len(answers):
        raise mismatches[0]
    for each in answers:
        theirs = isinstance(each, InvalidArgument) and not isinstance(each, OtherDimension)
        if isinstance(each, Refusal) and (theirs or (request.effort_id is not None and isinstance(each, MissingState))):
            raise each


def _mismatch(answer: Answer[Told[T] | _Mismatched[T]]) -> OtherDimension | None:
    match answer:
        case _Mismatched(mismatch=mismatch):
            return mismatch
        case OtherDimension():
            return answer
        case _:
            return None


def _told_or_failure(destinations: Destinations, asked: Profile, answer: Answer[Told[T] | _Mismatched[T]]) -> Told[T] | Failed:
    match answer:
        case Told():
            return answer
        case _Mismatched(told=told):
            return told
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
