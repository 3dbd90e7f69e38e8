"""How every destination of a service stands: shortly (`status`), and looked at thoroughly (`doctor`; D3)."""

from collections.abc import Callable

from recordance.domain.caller import Caller
from recordance.errors import Json, RecordanceError
from recordance.ports.housing import Housing
from recordance.usecases.examining import Verdict, worst
from recordance.usecases.failing import why
from recordance.usecases.follow import Progress
from recordance.usecases.inspect import doctor, status
from recordance.usecases.store import Destinations

_TOLD = ("place", "seq", "capsules", "forgotten", "aliases", "misses", "text")


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


def doctor_of_all(
    destinations: Destinations, caller: Caller, housing: Callable[[str], Housing], progress: Progress
) -> dict[str, Json]:
    """Return `{verdict, destinations: [{destination, verdict, checks} | {destination, verdict, failed}]}`, the worst in front.

    `progress` hears of the checks of each that are done.
    """
    names = destinations.visible(caller)
    examined = [{"destination": name, **_examined(destinations, caller, name, housing, progress)} for name in names]
    verdict = worst(Verdict(each["verdict"]) for each in examined)
    return {"verdict": verdict.value, "destinations": examined}


def _examined(
    destinations: Destinations, caller: Caller, name: str, housing: Callable[[str], Housing], progress: Progress
) -> dict[str, Json]:
    try:
        return doctor(destinations, caller, name, housing(name), progress)
    except RecordanceError as problem:
        return {"verdict": Verdict.FAIL.value, "failed": why(destinations, name, problem)}


def _shortly(destinations: Destinations, caller: Caller, name: str, housing: Callable[[str], Housing]) -> dict[str, Json]:
    try:
        whole = status(destinations, caller, name, housing(name))
    except RecordanceError as problem:
        return {"failed": why(destinations, name, problem)}
    indexes = [whole["index"], whole["vector_index"], *(each["index"] for each in whole["spaces"] if "index" in each)]
    waiting = sum(each["waiting"] for each in indexes)
    return {**{field: whole[field] for field in _TOLD}, "waiting": waiting, "bytes": sum(whole["bytes"].values())}
