"""One destination with everything that a use case needs of it, and the registry of destinations (D1, F13)."""

from collections.abc import Mapping
from dataclasses import dataclass

from recordance.domain.caller import Caller, Permission
from recordance.domain.taint import TaintPolicy
from recordance.errors import MissingState, StateKind
from recordance.ports.anchors import AnchorProbe
from recordance.ports.clock import Clock
from recordance.ports.misses import MissRecorder
from recordance.ports.truth import Truth
from recordance.usecases.follow import TermFollower
from recordance.usecases.purging import Purger
from recordance.usecases.vector_follow import VectorFollower

DEFAULT_FUSION_DEPTH = 200
"""How many ranks of the term lane enter a fusion, and how many are ranked when `min_support` cuts them (L5, O12)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A destination: a named, self-contained store behind its ports."""

    name: str
    truth: Truth
    terms: TermFollower
    vectors: VectorFollower
    purger: Purger
    anchors: AnchorProbe
    clock: Clock
    misses: MissRecorder
    taint: TaintPolicy
    fusion_depth: int = DEFAULT_FUSION_DEPTH


class Destinations:
    """The destinations of this service by name; the first is the default."""

    def __init__(self, stores: Mapping[str, Store]) -> None:
        self._stores = dict(stores)

    @property
    def default(self) -> str:
        """The name of the default destination."""
        return next(iter(self._stores))

    def reading(self, caller: Caller, name: str | None) -> Store:
        """Return the destination that `caller` reads; None is the default. Raises MissingState with the names that exist."""
        return self._permitted(caller, name, Permission.READ)

    def writing(self, caller: Caller, name: str | None) -> Store:
        """Return the destination that `caller` writes to; None is the default. Raises MissingState as `reading` does."""
        return self._permitted(caller, name, Permission.WRITE)

    def visible(self, caller: Caller) -> tuple[str, ...]:
        """Return the names of the destinations that the caller may see."""
        return tuple(name for name in self._stores if caller.destinations is None or name in caller.destinations)

    def _permitted(self, caller: Caller, name: str | None, permission: Permission) -> Store:
        if permission not in caller.permissions:
            raise MissingState(
                StateKind.NOT_PERMITTED,
                permission.value,
                f"this caller may not {permission.value}; use a token that may",
            )
        visible = self.visible(caller)
        wanted = self.default if name is None else name
        if wanted not in visible:
            there = ", ".join(visible) or "none"
            raise MissingState(StateKind.UNKNOWN_DESTINATION, wanted, f"the destinations are: {there}", available=list(visible))
        return self._stores[wanted]
