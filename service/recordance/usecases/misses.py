"""Reading and clearing the miss ledger: what was asked for and never found (T8)."""

from recordance.answer.settled import misses_view
from recordance.domain.caller import Caller
from recordance.errors import Json
from recordance.usecases.store import Destinations


def list_misses(destinations: Destinations, caller: Caller, destination: str | None, limit: int) -> dict[str, Json]:
    """Return `{misses: [{term, outcome, count, last_at, projects?}]}`, most asked first, `limit` rows at most.

    A fenced caller sees what was missed under their own fence; to others `projects` names the fence of each row (F13).
    """
    store = destinations.reading(caller, destination)
    store.misses.settle()
    with store.truth.reading() as reader:
        return misses_view(reader.misses(_fence(caller), limit))


def clear_misses(destinations: Destinations, caller: Caller, destination: str | None) -> dict[str, Json]:
    """Clear the ledger, a fenced caller's own part of it, and answer `{cleared}`: how many rows went."""
    store = destinations.writing(caller, destination)
    store.misses.settle()
    with store.truth.writing() as writer:
        return {"cleared": writer.clear_misses(_fence(caller))}


def _fence(caller: Caller) -> str | None:
    return None if caller.projects is None else caller.fence_key
