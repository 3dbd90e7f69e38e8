"""Relating capsules, and taking a relation back (W3)."""

from recordance.domain.caller import Caller
from recordance.domain.relation import RelationKind
from recordance.errors import Json
from recordance.usecases.store import Destinations


def relate(
    destinations: Destinations, caller: Caller, destination: str | None, kind: RelationKind, source: str, target: str
) -> dict[str, Json]:
    """Let `source` stand in `kind` to `target` (ids) and answer `{status: created | already, kind, from, to, to_state}`.

    Raises MissingState when an end is unknown or forgotten, InvalidArgument for a relation to itself, one that would close a
    circle, or one by which a proposal or a quarantined capsule would retire another.
    """
    raise AssertionError


def unrelate(
    destinations: Destinations, caller: Caller, destination: str | None, kind: RelationKind, source: str, target: str
) -> dict[str, Json]:
    """End the relation and answer `{status: removed, kind, from, to, to_state}`; raises MissingState when there is none."""
    raise AssertionError
