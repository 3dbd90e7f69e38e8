"""Which destination a call is about: the one that it names, else the one that its ids name, else the default (D4, D6)."""

from collections.abc import Mapping, Sequence

from recordance.answer.erasure import PREFIX as ERASED
from recordance.answer.receipt import PREFIX as RECALLED
from recordance.answer.receipt import split_receipts
from recordance.domain.caller import Caller
from recordance.domain.destination import split_id
from recordance.errors import InvalidArgument
from recordance.usecases.store import Destinations


def place_of(destinations: Destinations, caller: Caller, destination: str | None, ids: Mapping[str, str]) -> str:
    """Return the one destination in which the ids of a call lie, by the names of the fields that give them; opens nothing.

    A bare id lies in the destination named, else in the default one. Raises MissingState for a name that the caller does not
    see, InvalidArgument for an id that lies elsewhere than the destination named or than the ids before it.
    """
    stated = None if destination is None else destinations.named(caller, destination)
    homes = {field: destinations.named(caller, split_id(id)[0] or stated) for field, id in ids.items()}
    place = stated or next(iter(homes.values()), None) or destinations.named(caller, None)
    for field, home in homes.items():
        if home != place:
            raise _elsewhere(field, ids[field], home, place, next(iter(homes)) if stated is None else None)
    return place


def receipts_of(destinations: Destinations, caller: Caller, destination: str | None, receipt: str) -> Sequence[tuple[str, str]]:
    """Return each destination that gave a part of a receipt, with that part (O13); raises as `place_of` does."""
    stated = None if destination is None else destinations.named(caller, destination)
    split = split_receipts(receipt)
    if not all(part.startswith((RECALLED, ERASED)) for _, part in split):
        return [(destinations.named(caller, stated), receipt)]  # no receipt at all, which its reader says
    bare = stated if len(split) == 1 else None  # of several, one without a name is the default destination's
    parts = [(destinations.named(caller, name or bare), part) for name, part in split]
    for name, _ in parts:
        if stated is not None and name != stated:
            expected = f"a receipt of {stated}, or no destination"
            raise InvalidArgument("receipt", receipt, expected, f"{name} gave it, and the destination named is {stated}")
    return parts


def _elsewhere(field: str, id: str, home: str, place: str, beside: str | None) -> InvalidArgument:
    """Return the refusal of an id that lies elsewhere than the destination named, or than the id of the field `beside`."""
    if beside is None:
        expected = f"an id of {place}, or {home} as the destination"
        return InvalidArgument(field, id, expected, f"it lies in {home}, and the destination named is {place}")
    why = f"it lies in {home}, {beside} in {place}, and nothing in one destination is related to anything in another"
    return InvalidArgument(field, id, f"an id of {place}", why)
