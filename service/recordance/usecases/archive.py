"""Putting capsules away, and taking them back (W7)."""

from recordance.domain.caller import Caller
from recordance.errors import Json
from recordance.usecases.store import Destinations


def archive(
    destinations: Destinations, caller: Caller, destination: str | None, id: str, reason: str | None = None
) -> dict[str, Json]:
    """Archive a capsule and answer `{id, status: archived | already, state}`; raises MissingState when there is none."""
    raise AssertionError


def restore(destinations: Destinations, caller: Caller, destination: str | None, id: str) -> dict[str, Json]:
    """Take a capsule out of the archive and answer `{id, status: restored, state}`; raises MissingState if it is not there."""
    raise AssertionError
