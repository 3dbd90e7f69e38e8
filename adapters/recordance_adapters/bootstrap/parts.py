"""What a store consists of, wherever it is kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from recordance.ports.clock import Clock
from recordance.ports.misses import MissRecorder
from recordance.ports.truth import Truth
from recordance.usecases.follow import TermFollower
from recordance.usecases.purging import Purger
from recordance.usecases.store import Store
from recordance.usecases.vector_view import FollowedVectors
from recordance_adapters.driven.repository_anchors import RepositoryAnchors
from recordance_adapters.driven.system.clock import FixedClock, SystemClock
from recordance_adapters.sections import DestinationSettings
from recordance_adapters.settings import Settings


@dataclass(frozen=True, slots=True)
class Parts:
    """What depends on where a store is kept."""

    truth: Truth
    terms: TermFollower
    vectors: FollowedVectors
    purger: Purger
    misses: MissRecorder
    spaces: Mapping[str, FollowedVectors] = field(default_factory=dict)


def store_of(settings: Settings, place: DestinationSettings, parts: Parts) -> Store:
    """Return the store of a destination, made of its parts."""
    return Store(
        name=place.name,
        naming=settings.catalogue().naming(place.name),
        truth=parts.truth,
        terms=parts.terms,
        vectors=parts.vectors,
        spaces=parts.spaces,
        purger=parts.purger,
        anchors=RepositoryAnchors(settings.root),
        clock=clock_of(settings),
        misses=parts.misses,
        taint=settings.taint.policy(),
        fusion_depth=settings.fusion_depth,
    )


def clock_of(settings: Settings) -> Clock:
    """Return the clock, which stands still where the settings say so."""
    return SystemClock() if settings.fixed.clock is None else FixedClock(settings.fixed.clock)
