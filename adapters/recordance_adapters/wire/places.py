"""Which destination a call names (D2, D6)."""

from recordance.domain.caller import Caller
from recordance.usecases.store import Destinations
from recordance_adapters.wire.declaration import Parameter, Values
from recordance_adapters.wire.kinds import label
from recordance_adapters.wire.tool import Call

DESTINATION = Parameter(name="destination", kind=label(), mistaken_for=("store", "collection", "search_scope"))
"""The name of a destination; left out or null, that of the ids, else the default one."""


def where(call: Call, given: Values) -> tuple[Destinations, Caller, str | None]:
    """Return what every use case is told of where it works, and take the destination out of what was given."""
    return call.destinations, call.caller, given.pop(DESTINATION.name, call.destination)
