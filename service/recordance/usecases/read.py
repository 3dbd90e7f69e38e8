"""Reading capsules whole by id, and listing them in append order (F6, F13; WIRE.md "Writing")."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from recordance.answer.envelope import FRAMING
from recordance.answer.shown import Whole, listed_row, whole_capsule
from recordance.domain.caller import Caller, Permission
from recordance.domain.capsule import Capsule
from recordance.domain.destination import BARE, Naming, number_there
from recordance.domain.embedding import DEFAULT_SPACE
from recordance.domain.relation import Relation, RelationKind
from recordance.errors import InvalidArgument, Json, MissingState, SearchFailed, StateKind
from recordance.ports.truth import ListedState, ListRequest, TruthReader
from recordance.query.exclusion import Eligibility
from recordance.usecases.addressing import place_of
from recordance.usecases.failing import why
from recordance.usecases.lookup import sees, unknown
from recordance.usecases.side_by_side import Question
from recordance.usecases.store import Destinations, check_permission

DEFAULT_LIST_LIMIT = 50
"""Capsules on a page when the caller names no limit."""
MAX_LIST_LIMIT = 500
"""Capsules on a page at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """Which capsules are listed: those that every given field admits; `limit` 0 only counts."""

    project_id: str | None = None
    project_prefix: str | None = None
    kind: str | None = None
    state: ListedState | None = None
    limit: int = DEFAULT_LIST_LIMIT
    offset: int = 0


def get_capsules(destinations: Destinations, caller: Caller, destination: str | None, ids: Sequence[str]) -> dict[str, Json]:
    """Return `{capsules, missing?, failed?}`: the whole capsules in the order asked, each once.

    A single id that the caller cannot see raises MissingState; of several, the unknown are named under `missing`. Ids may lie in
    several destinations: one that cannot answer is named under `failed` with its ids and the reason, and the others answer (D3).
    Raises SearchFailed where none of several can.
    """
    check_permission(caller, Permission.READ)
    wanted, nowhere = _by_destination(destinations, caller, destination, list(dict.fromkeys(ids)))
    if len(wanted) == 1:
        ((name, own),) = wanted.items()
        part = _gotten(destinations, caller, name, own)
        if len(own) == 1 and part.missing and not nowhere.missing:
            raise unknown(part.naming, own[0])
        return _told(ids, [part, nowhere], [])
    parts, failed = [nowhere], list[dict[str, Json]]()
    profile = destinations.catalogue(caller).profile
    questions = [
        Question(name, partial(_gotten, destinations, caller, name, own), profile(name).deadline) for name, own in wanted.items()
    ]
    for name, answer in destinations.gatherer.gather(questions).items():
        if isinstance(answer, _Gotten):
            parts.append(answer)
        else:
            failed.append({"destination": name, "ids": wanted[name], "why": why(destinations, name, answer)})
    if failed and len(failed) == len(wanted):
        raise SearchFailed({each["destination"]: each["why"] for each in failed})
    return _told(ids, parts, failed)


@dataclass(frozen=True, slots=True)
class _Gotten:
    """What one destination shows of the ids that it was asked for, by the id as it was asked; `missing` are as it calls them."""

    naming: Naming
    views: Mapping[str, dict[str, Json]]
    missing: Mapping[str, str]


def _by_destination(
    destinations: Destinations, caller: Caller, destination: str | None, ids: Sequence[str]
) -> tuple[dict[str, list[str]], _Gotten]:
    """Return the ids by the destination in which they lie, and those that lie in none; one alone that does raises."""
    wanted: dict[str, list[str]] = {}
    nowhere: dict[str, str] = {}
    for id in ids:
        try:
            wanted.setdefault(place_of(destinations, caller, destination, {"id": id}), []).append(id)
        except MissingState as refusal:
            if refusal.kind is not StateKind.UNKNOWN_CAPSULE or len(ids) == 1:
                raise
            nowhere[id] = id
    return wanted, _Gotten(BARE, {}, nowhere)


def _gotten(destinations: Destinations, caller: Caller, name: str, ids: Sequence[str]) -> _Gotten:
    store = destinations.reading(caller, name)
    now, naming = Eligibility(at=store.clock.now()), store.naming
    with store.truth.reading() as reader:
        found = _visible(reader, caller, ids)
        capsules = list({capsule.number: capsule for capsule in found.values()}.values())
        views = {each.capsule.number: whole_capsule(each, naming, now) for each in wholes(reader, caller, capsules)}
    missing = {id: naming.shown(id) for id in ids if id not in found}
    return _Gotten(naming, {id: views[capsule.number] for id, capsule in found.items()}, missing)


def _told(ids: Sequence[str], parts: Sequence[_Gotten], failed: Sequence[dict[str, Json]]) -> dict[str, Json]:
    views = {id: view for part in parts for id, view in part.views.items()}
    unknown = {id: shown for part in parts for id, shown in part.missing.items()}
    capsules = {views[id]["id"]: views[id] for id in ids if id in views}
    missing = list(dict.fromkeys(unknown[id] for id in ids if id in unknown))
    return {
        "capsules": list(capsules.values()),
        **({"missing": missing} if missing else {}),
        **({"failed": list(failed)} if failed else {}),
    }


def list_capsules(destinations: Destinations, caller: Caller, destination: str | None, query: ListQuery) -> dict[str, Json]:
    """Return `{capsules, total, limit, offset}`: one short row a capsule, in append order; the forgotten are never listed.

    Raises InvalidArgument for a page that is too large or lies before the beginning.
    """
    store = destinations.reading(caller, destination)
    _check_page(query)
    now = Eligibility(at=store.clock.now())
    with store.truth.reading() as reader:
        page = reader.listed(_request(query, caller, now))
        capsules, texts = reader.capsules(page.numbers), reader.texts(page.numbers)
    rows = [listed_row(capsules[number], texts[number], store.naming, now) for number in page.numbers]
    return {"framing": FRAMING, "capsules": rows, "total": page.total, "limit": query.limit, "offset": query.offset}


def _visible(reader: TruthReader, caller: Caller, ids: Sequence[str]) -> dict[str, Capsule]:
    numbers = {id: number for id in ids if (number := number_there(id)) is not None}
    capsules = reader.capsules(set(numbers.values()))
    return {id: capsules[number] for id, number in numbers.items() if number in capsules and sees(caller, capsules[number])}


def wholes(reader: TruthReader, caller: Caller, capsules: Sequence[Capsule]) -> Iterator[Whole]:
    """Yield everything about capsules that the caller may see of them, in their order (F13)."""
    numbers = [capsule.number for capsule in capsules]
    texts, tombstones, corroborations = reader.texts(numbers), reader.tombstones(numbers), reader.corroborations(numbers)
    vectors = reader.vectors(DEFAULT_SPACE, numbers)
    outgoing = _seen(reader, caller, reader.relations_from(numbers, list(RelationKind)))
    incoming = _seen(reader, caller, reader.relations_to(numbers, list(RelationKind)))
    shown = _visible_numbers(reader, caller, {by for each in capsules if (by := each.standing.superseded_by) is not None})
    for capsule in capsules:
        yield Whole(
            capsule=capsule,
            text=texts.get(capsule.number),
            superseded_by=capsule.standing.superseded_by if capsule.standing.superseded_by in shown else None,
            outgoing=[each for each in outgoing if each.source == capsule.number],
            incoming=[each for each in incoming if each.target == capsule.number],
            reviews=reader.reviews(capsule.number),
            corroboration=corroborations.get(capsule.number),
            tombstone=tombstones.get(capsule.number),
            vector=vectors.get(capsule.number),
        )


def _seen(reader: TruthReader, caller: Caller, relations: Sequence[Relation]) -> Sequence[Relation]:
    """Return the relations of which the caller may see both ends (F13)."""
    if caller.projects is None:
        return relations
    shown = _visible_numbers(reader, caller, {end for each in relations for end in (each.source, each.target)})
    return [each for each in relations if each.source in shown and each.target in shown]


def _visible_numbers(reader: TruthReader, caller: Caller, numbers: set[int]) -> set[int]:
    if caller.projects is None or not numbers:
        return numbers
    return {number for number, capsule in reader.capsules(numbers).items() if sees(caller, capsule)}


def _check_page(query: ListQuery) -> None:
    if not 0 <= query.limit <= MAX_LIST_LIMIT:
        raise InvalidArgument("limit", query.limit, f"0 to {MAX_LIST_LIMIT}; 0 only counts", "no page is so large")
    if query.offset < 0:
        raise InvalidArgument("offset", query.offset, "0 or more", "no page lies before the first capsule")


def _request(query: ListQuery, caller: Caller, now: Eligibility) -> ListRequest:
    prefix = () if query.project_prefix is None else (frozenset({query.project_prefix}),)
    fence = () if caller.projects is None else (caller.projects,)
    return ListRequest(
        project_id=query.project_id,
        subtrees=(*prefix, *fence),
        kind=query.kind,
        state=query.state,
        at=now.at,
        limit=query.limit,
        offset=query.offset,
    )
