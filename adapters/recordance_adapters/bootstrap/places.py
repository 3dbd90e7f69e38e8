"""Opening one destination: its truth, the indexes of this process, and what keeps them behind the journal."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial

from recordance.ports.housing import Housing
from recordance.usecases.follow import TermFollower
from recordance.usecases.purging import Purger
from recordance_adapters.bootstrap.grounds import folder_premises
from recordance_adapters.bootstrap.indexes import adopt, follow_vectors, open_terms
from recordance_adapters.bootstrap.parts import Parts, store_of
from recordance_adapters.bootstrap.service import Opened, Service
from recordance_adapters.bootstrap.truths import REPLICAS_FOLDER, Absent, folder_of, open_truth
from recordance_adapters.driven.system.housing import FolderHousing
from recordance_adapters.driven.system.misses import QueuedMisses, UnkeptMisses
from recordance_adapters.driven.system.pacemaker import Background, Pacemaker, Timings, WakingTruth
from recordance_adapters.sections import DestinationSettings, FollowerSettings
from recordance_adapters.settings import Settings


@contextmanager
def open_service(settings: Settings, absent: Absent = Absent.MAKE) -> Iterator[Service]:
    """Return the service over the places of `settings`: SQLite in a folder or Postgres for the truth, tantivy for the terms.

    Where nothing can be written, writes are refused and misses are not kept; in a folder the terms are indexed in memory then.
    """
    with closing(Service(settings, partial(_open_place, absent))) as service:
        yield service


def _open_place(absent: Absent, settings: Settings, place: DestinationSettings) -> Opened:
    folder = folder_of(place)
    with ExitStack() as undoing:
        truth = open_truth(absent, settings, place)
        undoing.callback(truth.close)
        with truth.reading() as reader:
            store = reader.identity().store
        slot = adopt(folder / REPLICAS_FOLDER) if place.truth is not None or truth.obstacle is None else None
        if slot is not None:
            undoing.callback(slot.release)
        replica = open_terms(slot, store)
        undoing.callback(replica.close)
        terms = TermFollower(truth, replica, time.monotonic, settings.follower.deadline_ms / 1_000)
        vectors = follow_vectors(truth, slot, store)
        undoing.callback(vectors.close)
        background = Background()
        purger = Purger(truth, terms, vectors, folder_premises(settings, truth, slot, store), background.urge)
        timings = _timings(settings.follower)
        background.add(Pacemaker(terms, truth.data_version, timings, purger.catch_up))
        background.add(Pacemaker(vectors, lambda: (truth.data_version(), vectors.alarms), timings))
        watch = truth.watch(background.wake)
        if watch is not None:
            undoing.callback(watch.close)
        waking = WakingTruth(truth, background.wake)
        misses = QueuedMisses(waking) if truth.obstacle is None else UnkeptMisses(truth.obstacle)
        housing: Housing = FolderHousing(folder, truth.damage, lambda: replica.snapshot().document_count, truth.obstacle)
        background.start()
        held = undoing.pop_all()
    parts = Parts(waking, terms, vectors, purger, misses)
    return Opened(store_of(settings, place, parts), housing, partial(_let_go, background, misses, held))


def _let_go(background: Background, misses: QueuedMisses | UnkeptMisses, held: ExitStack) -> None:
    misses.close()
    if background.stop():
        held.close()
    # Else a commit is still under way: the process ends with it, and the next one goes on from what was durable.


def _timings(follower: FollowerSettings) -> Timings:
    return Timings(
        quiet=follower.quiet_ms / 1_000, longest=follower.longest_ms / 1_000, rows=follower.rows, poll=follower.poll_ms / 1_000
    )
