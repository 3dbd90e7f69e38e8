"""Erasure receipts: a signed word on what was forgotten and what had become of it in each place (W6, decision 11).

A receipt is `ersr-<body>.<signature>` (see `sealing`); the body is `[store, seq, number, at, [[place, state], …]]`. It says
nothing of the content, nor why it was forgotten.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recordance.answer.sealing import seal, unseal
from recordance.domain.destination import Naming
from recordance.domain.instant import Instant, format_instant
from recordance.domain.place import Place, PlaceState
from recordance.errors import Json

PREFIX = "ersr-"
_STATES = {state.value: state for state in PlaceState}


@dataclass(frozen=True, slots=True)
class Erasure:
    """That a capsule of this store was forgotten at an instant, journalled as `seq`, and what had become of it in each place."""

    store: str
    seq: int
    number: int
    at: Instant
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class EqualContent:
    """What else has the content that was forgotten, and stays: ids, and the destinations that could not be asked for it."""

    ids: Sequence[str]
    unread: Sequence[str]


def sign_erasure(erasure: Erasure, key: bytes) -> str:
    """Return the receipt as text, signed with the store's key; notes stay behind."""
    places = [[place.name, place.state.value] for place in erasure.places]
    return seal(PREFIX, [erasure.store, erasure.seq, erasure.number, erasure.at, places], key)


def open_erasure(text: str, key: bytes) -> tuple[Erasure, bool] | None:
    """Return what an erasure receipt says, and whether its signature holds under `key`; None for what was never a receipt."""
    sealed = unseal(PREFIX, text)
    match None if sealed is None else sealed.parts:
        case [str(store), int(seq), int(number), int(at), list(places)] if sealed is not None:
            read = tuple(_place(place) for place in places)
            stated = tuple(place for place in read if place is not None)
            return (Erasure(store, seq, number, Instant(at), stated), sealed.holds(key)) if len(stated) == len(read) else None
        case _:
            return None


def _place(stated: Json) -> Place | None:
    match stated:
        case [str(name), str(state)] if state in _STATES:
            return Place(name, _STATES[state])
        case _:
            return None


def forgotten_view(erasure: Erasure, key: bytes, naming: Naming, equal: EqualContent | None) -> dict[str, Json]:
    """Return the answer to a forget; `equal` is None where the capsule was forgotten earlier and nobody knows its content.

    Outside the default destination its name stands before the receipt, as before the id (D4).
    """
    view: dict[str, Json] = {"id": naming.id(erasure.number), "forgotten_at": format_instant(erasure.at)}
    if equal is None:
        view["already"] = True
    view["places"] = places_view(erasure.places)
    if equal is not None and equal.ids:
        view["equal"] = list(equal.ids)
    if equal is not None and equal.unread:
        view["unread"] = list(equal.unread)
    view["receipt"] = naming.prefix + sign_erasure(erasure, key)
    return view


def places_view(places: Iterable[Place]) -> list[Json]:
    """Return each place with its state, and its note where it has one."""
    return [
        {"place": place.name, "state": place.state.value, **({} if place.note is None else {"note": place.note})}
        for place in places
    ]
