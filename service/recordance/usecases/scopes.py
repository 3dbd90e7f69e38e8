"""What can be searched and written to: destinations, scopes, and how the rules route between them (D1, D2, F13)."""

from recordance.answer.charted import charted
from recordance.domain.caller import Caller, Permission
from recordance.errors import Json
from recordance.usecases.store import Destinations, check_permission


def list_scopes(destinations: Destinations, caller: Caller) -> dict[str, Json]:
    """Return `{destinations, scopes, default_search_scope, means}` as far as the caller sees them; no store is opened for it."""
    check_permission(caller, Permission.READ)
    return charted(destinations.catalogue(caller))
