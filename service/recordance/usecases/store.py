"""One destination with everything that a use case needs of it, and the registry of destinations (D1, F13)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from recordance.domain.caller import Caller, Permission
from recordance.domain.destination import ALL, BARE, ROUTED, Catalogue, Naming, Profile, Traits
from recordance.domain.embedding import DEFAULT_SPACE
from recordance.domain.taint import TaintPolicy
from recordance.errors import MissingState, StateKind
from recordance.ports.anchors import AnchorProbe
from recordance.ports.clock import Clock, Stopwatch, standing_stopwatch
from recordance.ports.misses import MissRecorder
from recordance.ports.models import NO_MODELS, Models
from recordance.ports.truth import Truth
from recordance.query.pipeline import DEFAULT_PIPELINE, PipelineDefaults
from recordance.usecases.follow import TermFollower
from recordance.usecases.purging import Purger
from recordance.usecases.reliance import NO_RELIANCE, Reliance, TrustedMembers
from recordance.usecases.side_by_side import Gatherer, OneByOne
from recordance.usecases.vector_view import FollowedVectors, ScannedSpace, SteadyVectors

NoteFault = Callable[[str, object], str]
"""Called with a destination's name and what was raised there; returns the id under which that is in the log."""
NAMELESS = "default"
"""How the default destination is called before somebody who sees none, and may not learn its name (F13)."""
DEFAULT_FUSION_DEPTH = 200
"""How many ranks of the term lane enter a fusion, and how many are ranked when `min_support` cuts them (L5, O12)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A destination: a named, self-contained store behind its ports.

    `vectors` follow the space of those that callers bring; `spaces` follow the others by their names, an embedder's (W4).
    `trusted` keeps what is trusted here, for recalls that want nothing else (F11).
    """

    name: str
    truth: Truth
    terms: TermFollower
    vectors: FollowedVectors
    purger: Purger
    anchors: AnchorProbe
    clock: Clock
    misses: MissRecorder
    taint: TaintPolicy
    naming: Naming = BARE
    fusion_depth: int = DEFAULT_FUSION_DEPTH
    spaces: Mapping[str, FollowedVectors] = field(default_factory=dict)
    trusted: TrustedMembers = field(default_factory=TrustedMembers, repr=False, compare=False)

    def vectors_in(self, space: str) -> SteadyVectors:
        """Return the vectors of a space for a recall; where nobody follows it, they are compared one by one."""
        if space == DEFAULT_SPACE:
            return self.vectors
        return self.spaces.get(space) or ScannedSpace(space)

    def followed(self) -> Mapping[str, FollowedVectors]:
        """Return every space that is followed, the callers' first."""
        return {DEFAULT_SPACE: self.vectors, **self.spaces}


class Destinations:
    """The destinations of this service by name.

    `stores` may open a store when it is asked for it, and raises then what opening does. Left out, the `catalogue` has them in
    their order, without rules and scopes, the first as the default. `gatherer` asks several; `note_fault` takes note of a fault
    in one of them, and returns the id under which the log tells more. `models` are those that the service may use, `reliance` is
    whom it trusts, `pipeline` what recalls in natural language do unless they say otherwise, `stopwatch` how long that takes.
    """

    def __init__(
        self,
        stores: Mapping[str, Store],
        catalogue: Catalogue | None = None,
        gatherer: Gatherer | None = None,
        note_fault: NoteFault | None = None,
        models: Models = NO_MODELS,
        reliance: Reliance = NO_RELIANCE,
        pipeline: PipelineDefaults = DEFAULT_PIPELINE,
        stopwatch: Stopwatch = standing_stopwatch,
    ) -> None:
        self.models = models
        self.reliance = reliance
        self.pipeline = pipeline
        self.stopwatch = stopwatch
        self._stores = stores
        self._catalogue = catalogue or _plain(tuple(stores))
        self.gatherer = gatherer or OneByOne()
        self.note_fault = note_fault or _unnoted

    @property
    def default(self) -> str:
        """The name of the default destination."""
        return self._catalogue.default

    def reading(self, caller: Caller, name: str | None) -> Store:
        """Return the destination that `caller` reads; None is the default. Raises MissingState with the names that exist."""
        check_permission(caller, Permission.READ)
        return self._opened(caller, name)

    def writing(self, caller: Caller, name: str | None) -> Store:
        """Return the destination that `caller` writes to; None is the default. Raises MissingState as `reading` does."""
        check_permission(caller, Permission.WRITE)
        return self._opened(caller, name)

    def named(self, caller: Caller, name: str | None) -> str:
        """Return the name of a destination that the caller sees; None is the default. Raises MissingState, opens nothing."""
        wanted = self.catalogue(caller).default if name is None else name
        if wanted not in self.visible(caller):
            raise self._unknown(caller, wanted)
        return wanted

    def visible(self, caller: Caller) -> tuple[str, ...]:
        """Return the names of the destinations that the caller may see."""
        return tuple(name for name in self._catalogue.names() if caller.destinations is None or name in caller.destinations)

    def catalogue(self, caller: Caller) -> Catalogue:
        """Return the catalogue as far as the caller may see it (F13); raises MissingState where that is nothing."""
        try:
            return self._catalogue.seen(caller.destinations)
        except ValueError:
            raise self._unknown(caller, NAMELESS) from None

    def routed(self, caller: Caller, traits: Traits) -> str:
        """Return where, of what the caller may see, something with these traits belongs (D6)."""
        return self.catalogue(caller).route(traits)

    def searched(self, caller: Caller, words: Sequence[str], traits: Traits) -> tuple[Profile, ...]:
        """Return the destinations that a search scope means, of those that the caller may see (D2).

        Without any word the configured default scope is meant. Raises MissingState for a name that is none, with those that are.
        """
        catalogue = self.catalogue(caller)
        try:
            return tuple(catalogue.profile(name) for name in catalogue.resolve(words, traits))
        except KeyError as unknown:
            raise self._unknown(caller, str(unknown.args[0])) from None

    def _opened(self, caller: Caller, name: str | None) -> Store:
        wanted = self.named(caller, name)
        store, naming = self._stores[wanted], self._catalogue.naming(wanted)
        return store if store.naming == naming else replace(store, naming=naming)

    def _unknown(self, caller: Caller, name: str) -> MissingState:
        visible = self.visible(caller)
        lesson = f"the destinations are: {', '.join(visible) or 'none'}"
        if len(visible) < 2:
            return MissingState(StateKind.UNKNOWN_DESTINATION, name, lesson, available=list(visible))
        scopes = [ROUTED, ALL, *(group.name for group in self._catalogue.seen(visible).groups)]
        lesson += f"; the search scopes: {', '.join(scopes)}"
        return MissingState(StateKind.UNKNOWN_DESTINATION, name, lesson, available=list(visible), scopes=scopes)


def _unnoted(_destination: str, _problem: object) -> str:
    return "that nobody took note of"


def check_permission(caller: Caller, permission: Permission) -> None:
    """Raise MissingState when the caller may not do this (F13)."""
    if permission not in caller.permissions:
        lesson = f"this caller may not {permission.value}; use a token that may"
        raise MissingState(StateKind.NOT_PERMITTED, permission.value, lesson)


def _plain(names: tuple[str, ...]) -> Catalogue:
    return Catalogue(tuple(Profile(name=name) for name in names), names[0] if names else "")
