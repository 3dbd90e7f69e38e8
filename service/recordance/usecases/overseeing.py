"""How every destination of a service stands, shortly (`status`; D3)."""

from collections.abc import Callable

from recordance.domain.caller import Caller
from recordance.errors import Json, RecordanceError
from recordance.ports.housing import Housing
from recordance.usecases.failing import why
from recordance.usecases.inspect import status
from recordance.usecases.store import Destinations

_TOLD = ("place", "seq", "capsules", "forgotten", "aliases", "misses")


def status_of_all(destinations: Destinations, caller: Caller, housing: Callable[[str], Housing]) -> dict[str, Json]:
    """Return `{destinations: [{destination, default?, place, seq, capsules, …} | {destination, default?, failed}]}`.

    One that cannot be opened is named with the reason, and hides none of the others.
    """
    default = destinations.catalogue(caller).default
    return {
        "destinations": [
            {
                "destination": name,
                **({"default": True} if name == default else {}),
                **_shortly(destinations, caller, name, housing),
            }
            for name in destinations.visible(caller)
        ]
    }


def _shortly(destinations: Destinations, caller: Caller, name: str, housing: Callable[[str], Housing]) -> dict[str, Json]:
    try:
        whole = status(destinations, caller, name, housing(name))
    except RecordanceError as problem:
        return {"failed": why(destinations, name, problem)}
    waiting = whole["index"]["waiting"] + whole["vector_index"]["waiting"]
    return {**{field: whole[field] for field in _TOLD}, "waiting": waiting, "bytes": sum(whole["bytes"].values())}
