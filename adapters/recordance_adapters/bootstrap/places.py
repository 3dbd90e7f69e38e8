"""Opening one destination: its truth, the indexes of this process, and what keeps them behind the journal."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from recordance.domain.embedding import DEFAULT_SPACE
from recordance.ports.housing import Housing
from recordance.ports.models import Embedder
from recordance.ports.premises import Premises
from recordance.ports.terms import TermReplica
from recordance.usecases.embed_stored import StoredEmbedder
from recordance.usecases.follow import TermFollower
from recordance.usecases.purging import Purger
from recordance.usecases.vector_view import FollowedVectors
from recordance_adapters.bootstrap.grounds import Further, cleanness, folder_premises, in_collection, server_premises
from recordance_adapters.bootstrap.indexes import adopt, follow_vectors, leave_unfollowed, on_duty, open_terms, served_otherwise
from recordance_adapters.bootstrap.models import embedder_of, places_beyond
from recordance_adapters.bootstrap.parts import Parts, clock_of, store_of
from recordance_adapters.bootstrap.service import Opened, Service
from recordance_adapters.bootstrap.text import services_in
from recordance_adapters.bootstrap.truths import REPLICAS_FOLDER, Absent, address_of, folder_of, open_truth, report
from recordance_adapters.driven.system.housing import FolderHousing, ServerHousing
from recordance_adapters.driven.system.misses import QueuedMisses, UnkeptMisses
from recordance_adapters.driven.system.pacemaker import Background, Pacemaker, Timings, WakingTruth
from recordance_adapters.driven.system.premises import nothing_further
from recordance_adapters.sections import DestinationSettings, FollowerSettings
from recordance_adapters.settings import Settings

if TYPE_CHECKING:
    from recordance_adapters.bootstrap.neighbours import Neighbours
    from recordance_adapters.driven.replica_slots import Slot
    from recordance_adapters.driven.sql_truth.truth import SqlTruth

_SELDOM = 20
"""How much less often a truth is asked for writes that tells of them by itself: that is to be safe, and not to be quick."""


@contextmanager
def open_service(settings: Settings, absent: Absent = Absent.MAKE) -> Iterator[Service]:
    """Return the service over the places of `settings`: SQLite in a folder or Postgres for the truth, tantivy for the terms.

    Where nothing can be written, writes are refused and misses are not kept; in a folder the terms are indexed in memory then.
    """
    with closing(Service(settings, partial(_open_place, absent))) as service:
        yield service


def _open_place(absent: Absent, settings: Settings, place: DestinationSettings) -> Opened:
    with ExitStack() as undoing:
        services = services_in(settings, place)
        site = _site(undoing, absent, settings, place, services.version)
        replica = open_terms(site.slot, site.store, services.version)
        undoing.callback(replica.close)
        terms = TermFollower(site.truth, replica, time.monotonic, settings.follower.deadline_ms / 1_000, services)
        embedder = embedder_of(settings.embedder)
        names = _followed_spaces(place, site, embedder)
        leave_unfollowed(place, site.slot, names)
        vectors = follow_vectors(place, site.truth, site.slot, site.store)
        undoing.callback(vectors.close)
        spaces = {name: follow_vectors(place, site.truth, site.slot, site.store, name) for name in names}
        for each in spaces.values():
            undoing.callback(each.close)
        talking = undoing.enter_context(ExitStack())
        neighbours = _neighbours(talking, site, place)
        further = nothing_further if place.vectors is None else in_collection((vectors, *spaces.values()))
        background = Background()
        premises, beyond = _premises(settings, site, neighbours, further), places_beyond(settings)
        purger = Purger(site.truth, terms, vectors, premises, background.urge, beyond=beyond)
        timings = _watched(talking, site.truth, background, _timings(settings.follower))
        background.add(Pacemaker(terms, site.truth.data_version, timings, purger.catch_up))
        for each in (vectors, *spaces.values()):
            background.add(Pacemaker(each, partial(_changes, site.truth, each), timings))
        others = partial(served_otherwise, site.slot, site.store, services.version)
        housing = _housing(site, place, neighbours, partial(_documents_in, replica), others)
        waking = WakingTruth(site.truth, background.wake)
        misses = QueuedMisses(waking) if site.truth.obstacle is None else UnkeptMisses(site.truth.obstacle)
        if embedder is not None and site.truth.obstacle is None:
            background.add(_embedding(settings, site.truth, waking, embedder, timings))
        background.start()
        held = undoing.pop_all()
    parts = Parts(waking, terms, vectors, purger, misses, spaces)
    return Opened(store_of(settings, place, parts), housing, partial(_let_go, background, misses, talking, held))


def _followed_spaces(place: DestinationSettings, site: "_Site", embedder: Embedder | None) -> Sequence[str]:
    """Return which spaces are followed beside the callers': the embedder's, and on a vector server each that the truth has.

    What a model left on a server that is no longer configured nobody else would drop when it is forgotten (W6).
    """
    own = () if embedder is None else (embedder.model,)
    if place.vectors is None:
        return own
    with site.truth.reading() as reader:
        there = [each.space.name for each in reader.spaces()]
    return tuple(dict.fromkeys((*own, *(name for name in there if name != DEFAULT_SPACE))))


def _changes(truth: "SqlTruth", vectors: FollowedVectors) -> tuple[object, int]:
    return truth.data_version(), vectors.alarms


def _embedding(settings: Settings, truth: "SqlTruth", waking: WakingTruth, embedder: Embedder, timings: Timings) -> Pacemaker:
    """Return what embeds the contents that the embedder's space lacks."""
    duty = partial(on_duty, truth.duty(f"embedding {embedder.model}"))
    stored = StoredEmbedder(waking, embedder, clock_of(settings), duty, settings.embedder.batch)
    return Pacemaker(stored, truth.data_version, timings, stored.look_again)


@dataclass(frozen=True, slots=True)
class _Site:
    """Where one store is: its truth, the slot of this process, None where it has none, and the id of the store."""

    truth: "SqlTruth"
    slot: "Slot | None"
    store: str
    folder: Path


def _site(undoing: ExitStack, absent: Absent, settings: Settings, place: DestinationSettings, text: str) -> _Site:
    """Open the truth and take a slot for an index with these text services.

    Without one go on where nothing can be written into the folder of a store.
    """
    folder = folder_of(place)
    truth = open_truth(absent, settings, place)
    undoing.callback(truth.close)
    with truth.reading() as reader:
        store = reader.identity().store
    if place.truth is None and truth.obstacle is not None:
        return _Site(truth, None, store, folder)
    slot = adopt(folder / REPLICAS_FOLDER, store, text)
    undoing.callback(slot.release)
    return _Site(truth, slot, store, folder)


def _neighbours(talking: ExitStack, site: _Site, place: DestinationSettings) -> "Neighbours | None":
    """Say to those who follow the same truth on a server that this process does, too; None where nobody else can."""
    if place.truth is None or site.slot is None:
        return None
    from recordance_adapters.bootstrap.neighbours import Neighbours

    neighbours = Neighbours(site.truth, site.slot, cleanness(site.truth, site.store))
    if site.truth.obstacle is None:
        neighbours.tidy()
    neighbours.presence.start()
    talking.callback(neighbours.presence.close)
    return neighbours


def _premises(settings: Settings, site: _Site, neighbours: "Neighbours | None", further: Further) -> Premises:
    if neighbours is None:
        return folder_premises(settings, site.truth, site.slot, site.store, further)
    return server_premises(settings, site.truth, neighbours, further)


def _watched(talking: ExitStack, truth: "SqlTruth", background: Background, timings: Timings) -> Timings:
    """Let a truth that tells of others' writes wake the background, and return timings by which it is asked for them seldom."""
    watch = truth.watch(background.hear)
    if watch is None:
        return timings
    talking.callback(watch.close)
    return replace(timings, poll=_SELDOM * timings.poll, again=timings.poll)


def _let_go(background: Background, misses: QueuedMisses | UnkeptMisses, talking: ExitStack, held: ExitStack) -> None:
    misses.close()
    talking.close()
    if background.stop():
        held.close()
    else:  # a commit is still under way: the process ends with it, or it ends first, and the next goes on from what was durable
        background.outlast(held.close)


def _timings(follower: FollowerSettings) -> Timings:
    return Timings(
        quiet=follower.quiet_ms / 1_000, longest=follower.longest_ms / 1_000, rows=follower.rows, poll=follower.poll_ms / 1_000
    )


def _housing(
    site: _Site,
    place: DestinationSettings,
    neighbours: "Neighbours | None",
    indexed: Callable[[], int],
    others: Callable[[], int],
) -> Housing:
    local = FolderHousing(site.folder, site.truth.damage, indexed, site.truth.obstacle, others)
    if neighbours is None:
        return local
    return ServerHousing(address_of(place), local, partial(report, place), neighbours.seen)


def _documents_in(replica: TermReplica) -> int:
    return replica.snapshot().document_count
