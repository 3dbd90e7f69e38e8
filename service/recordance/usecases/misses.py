"""Reading and clearing the miss ledger (T8)."""

from recordance.domain.caller import Caller
from recordance.errors import Json
from recordance.usecases.store import Destinations


def list_misses(destinations: Destinations, caller: Caller, destination: str | None, limit: int) -> dict[str, Json]:
    """Return `{misses: [{term, outcome, count, last_at, projects?}]}`, most asked first; a fenced caller sees their own."""
    raise AssertionError


def clear_misses(destinations: Destinations, caller: Caller, destination: str | None) -> dict[str, Json]:
    """Clear the ledger, a fenced caller's own part of it, and answer `{cleared}`."""
    raise AssertionError
