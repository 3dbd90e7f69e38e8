"""A service over stores in memory: the oracle of golden answers."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

from recordance.domain.embedding import DEFAULT_SPACE
from recordance.usecases.follow import TermFollower
from recordance.usecases.purging import Purger
from recordance.usecases.vector_follow import VectorFollower
from recordance_adapters.bootstrap.models import embedder_of, places_beyond
from recordance_adapters.bootstrap.parts import Parts, store_of
from recordance_adapters.bootstrap.service import Opened, Service
from recordance_adapters.bootstrap.text import services_in
from recordance_adapters.bootstrap.truths import fixed_identity, identity_by_chance
from recordance_adapters.driven.system.housing import MemoryHousing
from recordance_adapters.driven.system.misses import QueuedMisses
from recordance_adapters.sections import DestinationSettings
from recordance_adapters.settings import Settings


@contextmanager
def open_memory_service(settings: Settings) -> Iterator[Service]:
    """Return the same service over stores in memory, which are new and gone at the end: the oracle of golden answers."""
    with closing(Service(settings, _open_memory)) as service:
        yield service


def _open_memory(settings: Settings, place: DestinationSettings) -> Opened:
    from recordance_adapters.driven.in_memory.premises import MemoryPremises
    from recordance_adapters.driven.in_memory.terms import MemoryReplica
    from recordance_adapters.driven.in_memory.truth import MemoryTruth
    from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica

    truth, replica = MemoryTruth(fixed_identity(settings) or identity_by_chance()), MemoryReplica()
    misses = QueuedMisses(truth)
    patience, services = settings.follower.deadline_ms / 1_000, services_in(settings, place)
    terms = TermFollower(truth, replica, time.monotonic, patience, services)
    vectors = VectorFollower(truth, DEFAULT_SPACE, MemoryVectorReplica, time.monotonic)
    embedder = embedder_of(settings.embedder)
    names = () if embedder is None else (embedder.model,)
    spaces = {name: VectorFollower(truth, name, MemoryVectorReplica, time.monotonic) for name in names}
    purger = Purger(truth, terms, vectors, MemoryPremises(), spaces=tuple(spaces.values()), beyond=places_beyond(settings))
    housing = MemoryHousing(lambda: replica.snapshot().document_count)
    return Opened(store_of(settings, place, Parts(truth, terms, vectors, purger, misses, spaces)), housing, misses.close)
