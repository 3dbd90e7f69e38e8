"""Which destination a call is about: the one that it names, else the one that its ids name, else the default (D4, D6)."""

from collections.abc import Mapping, Sequence

from recordance.answer.erasure import PREFIX as ERASED
from recordance.answer.receipt import PREFIX as RECALLED
from recordance.answer.receipt import split_receipts
from recordance.domain.caller import Caller
from recordance.domain.destination import BARE, Naming, split_id
from recordance.domain.identity import capsule_number
from recordance.errors import InvalidArgument, MissingState, StateKind
from recordance.usecases.store import Destinations


def place_of(destinations: Destinations, caller: Caller, destination: str | None, ids: Mapping[str, str]) -> str:
    """Return the one destination in which the ids of a call lie, by the names of the fields that give them; opens nothing.

    A bare id lies in the destination named, else in the service's default one. Raises MissingState for a name that the caller
    does not see, and for a bare id where they do not see that default; InvalidArgument for an id that lies elsewhere than the
    destination named or than the ids before it.
    """
    stated = None if destination is None else destinations.named(caller, destination)
    homes = {field: home_of_id(destinations, caller, stated, id) for field, id in ids.items()}
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


def home_of_id(destinations: Destinations, caller: Caller, stated: str | None, id: str) -> str:
    """Return where an id lies.

    To somebody who does not see the default destination a bare id is unknown: they were never given it, and what they could be
    given under it is not what it means to everybody else.
    """
    name, local = split_id(id)
    naming = destinations.catalogue(caller).naming(destinations.named(caller, name or stated))
    if name is None and stated is None and naming != BARE and capsule_number(local) is not None:
        raise nowhere(naming, id)
    return destinations.named(caller, name or stated)


def nowhere(naming: Naming, id: str) -> MissingState:
    """Return the lesson that a bare id means nothing to a caller whose own ids all bear the name of their destination."""
    lesson = f"no capsule has exactly this id; ids look like {naming.id(12)}, and memory_list names those that there are"
    return MissingState(StateKind.UNKNOWN_CAPSULE, id, lesson)


def _elsewhere(field: str, id: str, home: str, place: str, beside: str | None) -> InvalidArgument:
    """Return the refusal of an id that lies elsewhere than the destination named, or than the id of the field `beside`."""
    if beside is None:
        expected = f"an id of {place}, or {home} as the destination"
        return InvalidArgument(field, id, expected, f"it lies in {home}, and the destination named is {place}")
    why = f"it lies in {home}, {beside} in {place}, and nothing in one destination is related to anything in another"
    return InvalidArgument(field, id, f"an id of {place}", why)
