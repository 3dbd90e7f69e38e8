"""The composition root: settings become a running service, and nothing else builds an adapter.

A service opens its store when it is first asked for it, so that a server can shake hands at once. Engines are imported then too.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from recordance.domain.caller import Caller
from recordance.domain.embedding import DEFAULT_SPACE
from recordance.domain.identity import StoreIdentity
from recordance.domain.place import TERM_INDEX, VECTOR_INDEX
from recordance.errors import Fault, StoreUnusable
from recordance.ports.clock import Clock
from recordance.ports.housing import Housing
from recordance.ports.misses import MissRecorder
from recordance.ports.premises import Premises
from recordance.ports.terms import TermReplica
from recordance.ports.truth import Truth
from recordance.ports.vectors import VectorReplica
from recordance.usecases.follow import TermFollower
from recordance.usecases.history import lies_in
from recordance.usecases.purging import Purger
from recordance.usecases.side_by_side import SideBySide
from recordance.usecases.store import Destinations, Store
from recordance.usecases.vector_follow import VectorFollower
from recordance_adapters.driven.repository_anchors import RepositoryAnchors
from recordance_adapters.driven.system.clock import FixedClock, SystemClock
from recordance_adapters.driven.system.housing import FolderHousing, MemoryHousing
from recordance_adapters.driven.system.misses import QueuedMisses, UnkeptMisses
from recordance_adapters.driven.system.pacemaker import Background, Pacemaker, Timings, WakingTruth
from recordance_adapters.driven.system.premises import ClosedPremises, FolderPremises, Grounds
from recordance_adapters.sections import DestinationSettings, FollowerSettings
from recordance_adapters.settings import Settings
from recordance_adapters.wire.failure import new_fault_id

if TYPE_CHECKING:
    from recordance_adapters.driven.replica_slots import Slot
    from recordance_adapters.driven.sql_truth.truth import SqlTruth

_log = logging.getLogger(__name__)

TRUTH_FILE = "truth.sqlite"
REPLICAS_FOLDER = "replicas"


class Absent(Enum):
    """What is done where no store is."""

    MAKE = "make"
    """A new one is made."""
    REFUSE = "refuse"
    """StoreUnusable is raised, and nothing made: whoever only asks has named the wrong folder."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An open store, the place that it lives in, and how all of it is let go again."""

    store: Store
    housing: Housing
    close: Callable[[], None]


Opening = Callable[[Settings, DestinationSettings], Opened]
"""Opens the store of one destination."""


_CLOSING_SECONDS = 1.0
"""How long the end waits for a store that is just being opened, by a server that may never answer."""


class _Door:
    """One destination, opened when it is first asked for, by whoever asks first; the others wait for that one only."""

    def __init__(self, opening: Callable[[], Opened]) -> None:
        self._opening = opening
        self._turn = threading.Lock()
        self._opened: Opened | None = None
        self._closed = False

    def opened(self) -> Opened:
        opened = self._opened
        if opened is not None:
            return opened
        with self._turn:
            if self._opened is None:
                self._check_open()
                self._opened = self._opening()
                if self._closed:  # while it opened, nobody waited for it
                    self._let_go()
            self._check_open()
            return self._opened

    def close(self) -> None:
        """Let the store go, and open none any more; one that is only being opened is let go by whoever opens it."""
        self._closed = True
        if self._turn.acquire(timeout=_CLOSING_SECONDS):
            try:
                self._let_go()
            finally:
                self._turn.release()

    def _check_open(self) -> None:
        if self._closed:
            raise Fault("the service is closed")

    def _let_go(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()


class _Stores(Mapping[str, Store]):
    """The stores behind their doors."""

    def __init__(self, doors: Mapping[str, _Door]) -> None:
        self._doors = doors

    def __getitem__(self, name: str) -> Store:
        return self._doors[name].opened().store

    def __iter__(self) -> Iterator[str]:
        return iter(self._doors)

    def __len__(self) -> int:
        return len(self._doors)


def _note_fault(destination: str, problem: object) -> str:
    fault = new_fault_id()
    _log.error("%s in destination %s: %s", fault, destination, problem, exc_info=problem if _is_strange(problem) else None)
    return fault


def _is_strange(problem: object) -> TypeGuard[BaseException]:
    """Whether only its trace tells where it comes from."""
    return isinstance(problem, BaseException) and not isinstance(problem, StoreUnusable)


class Service:
    """The house. Safe for threads; whoever opened it closes it.

    Destinations open one by one, each when it is first asked for, so that one that cannot be opened leaves the others alone.
    """

    def __init__(self, settings: Settings, opening: Opening) -> None:
        self._settings = settings
        self._doors = {place.name: _Door(partial(opening, settings, place)) for place in settings.places()}
        self._destinations = Destinations(_Stores(self._doors), settings.catalogue(), SideBySide(time.monotonic), _note_fault)

    @property
    def destinations(self) -> Destinations:
        """The destinations. Where there is one alone, it is opened here; raises StoreUnusable or MissingState when that fails."""
        if len(self._doors) == 1:
            self._doors[self._destinations.default].opened()
        return self._destinations

    def housing(self, name: str | None = None) -> Housing:
        """Return the place that a destination lives in, None being the default; opens it as `destinations` does.

        Raises KeyError for an unknown name.
        """
        return self._doors[name or self._destinations.default].opened().housing

    def caller(self, hint: str) -> Caller:
        """Return who asks: the configured actor, else `hint`, which is the client's own name."""
        return Caller(actor=self._settings.actor or hint)

    def close(self) -> None:
        """Stop what runs in the background and release every store; a service that was closed opens no more."""
        for door in self._doors.values():
            door.close()


@contextmanager
def open_service(settings: Settings, absent: Absent = Absent.MAKE) -> Iterator[Service]:
    """Return the service over the places of `settings`: in a folder SQLite for the truth, tantivy for the terms.

    Where nothing can be written, the terms are indexed in memory, writes are refused, and misses are not kept.
    """
    with closing(Service(settings, partial(_open_folder, absent))) as service:
        yield service


@contextmanager
def open_memory_service(settings: Settings) -> Iterator[Service]:
    """Return the same service over stores in memory, which are new and gone at the end: the oracle of golden answers."""
    with closing(Service(settings, _open_memory)) as service:
        yield service


def _open_folder(absent: Absent, settings: Settings, place: DestinationSettings) -> Opened:
    folder = folder_of(place)
    with ExitStack() as undoing:
        truth = _open_truth(absent, settings, folder)
        undoing.callback(truth.close)
        with truth.reading() as reader:
            store = reader.identity().store
        slot = _adopt_slot(folder / REPLICAS_FOLDER) if truth.obstacle is None else None
        if slot is not None:
            undoing.callback(slot.release)
        replica = _open_terms(slot, store)
        undoing.callback(replica.close)
        terms = TermFollower(truth, replica, time.monotonic, settings.follower.deadline_ms / 1_000)
        vectors = VectorFollower(truth, DEFAULT_SPACE, partial(_open_vectors, slot, store), time.monotonic)
        undoing.callback(vectors.close)
        background = Background()
        purger = Purger(truth, terms, vectors, _premises(settings, truth, slot, store), background.urge)
        timings = _timings(settings.follower)
        background.add(Pacemaker(terms, truth.data_version, timings, purger.catch_up))
        background.add(Pacemaker(vectors, lambda: (truth.data_version(), vectors.alarms), timings))
        waking = WakingTruth(truth, background.wake)
        misses = QueuedMisses(waking) if truth.obstacle is None else UnkeptMisses(truth.obstacle)
        housing = FolderHousing(folder, truth.damage, lambda: replica.snapshot().document_count, truth.obstacle)
        background.start()
        held = undoing.pop_all()
    parts = _Parts(waking, terms, vectors, purger, misses)
    return Opened(_store(settings, place, parts), housing, partial(_let_go, background, misses, held))


def folder_of(place: DestinationSettings) -> Path:
    """Return the folder that a destination has here; `Settings.places` sees that there is one."""
    if place.store is None:
        raise ValueError(f"destination {place.name} has no folder")
    return place.store


def _open_truth(absent: Absent, settings: Settings, folder: Path) -> "SqlTruth":
    from recordance_adapters.driven.sql_truth.opening import open_sql_truth
    from recordance_adapters.driven.sql_truth.sqlite_file import require_store
    from recordance_adapters.driven.tantivy_terms import positions_in

    file, followers = folder / TRUTH_FILE, positions_in(folder / REPLICAS_FOLDER)
    if absent is Absent.REFUSE:
        require_store(file, followers)
    return open_sql_truth(file, identity=_fixed_identity(settings), followers=followers)


def _adopt_slot(folder: Path) -> "Slot":
    """Return the folder for the indexes of this process, which holds it until it releases it."""
    from recordance_adapters.driven.replica_slots import adopt_slot

    return adopt_slot(folder, time.time())


def _open_terms(slot: "Slot | None", store: str) -> TermReplica:
    """Return the term index of this process; in memory where no folder can hold it: one elsewhere would outlive the store."""
    from recordance_adapters.driven.in_memory.terms import MemoryReplica
    from recordance_adapters.driven.tantivy_terms import open_terms

    if slot is None:
        return MemoryReplica()
    try:
        return open_terms(slot.path, store, [other.path for other in slot.others()])
    except OSError as problem:
        lesson = "the folder of the term index cannot be used: see who owns what lies in it, and that its disk has room"
        raise StoreUnusable(f"{lesson} ({problem})", lesson=lesson) from problem


def _open_vectors(slot: "Slot | None", store: str) -> VectorReplica:
    """Return the vector index of this process, in memory where no folder can hold it; it loads the engine."""
    if slot is None:
        from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica

        return MemoryVectorReplica()
    try:
        from recordance_adapters.driven.qdrant_vectors.opening import open_vectors

        return open_vectors(slot.path, store, slot.others())
    except (ImportError, OSError) as problem:  # recalls go on without an index, and compare every vector
        raise Fault(f"the vector index cannot be opened: {problem}") from problem


def _premises(settings: Settings, truth: "SqlTruth", slot: "Slot | None", store: str) -> Premises:
    """Return what of the store's folder may hold bytes of what was forgotten."""
    from recordance_adapters.driven.qdrant_vectors.sidecar import settled_in
    from recordance_adapters.driven.tantivy_terms import clean_in

    if slot is None:
        return ClosedPremises()

    def erase_backups() -> Sequence[str]:
        with truth.reading() as reader:
            forgotten = reader.forgotten_after(0)
        return truth.erase_in_backups([each.number for each in forgotten])

    def follows(seq: int, mark: str) -> bool:
        with truth.reading() as reader:
            return lies_in(reader, seq, mark)

    grounds = Grounds(
        rewrite=truth.rewrite,
        truncate_log=truth.truncate_log,
        erase_backups=erase_backups,
        slot=slot.path,
        others=slot.others,
        indexes={
            TERM_INDEX: lambda path: clean_in(path, store, follows),
            VECTOR_INDEX: lambda path: settled_in(path, store, follows),
        },
    )
    return FolderPremises(grounds, settings.forget.deadline_ms / 1_000, time.monotonic, time.sleep)


def _let_go(background: Background, misses: QueuedMisses | UnkeptMisses, held: ExitStack) -> None:
    misses.close()
    if background.stop():
        held.close()
    # Else a commit is still under way: the process ends with it, and the next one goes on from what was durable.


def _open_memory(settings: Settings, place: DestinationSettings) -> Opened:
    from recordance_adapters.driven.in_memory.premises import MemoryPremises
    from recordance_adapters.driven.in_memory.terms import MemoryReplica
    from recordance_adapters.driven.in_memory.truth import MemoryTruth
    from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica

    truth, replica = MemoryTruth(_fixed_identity(settings) or _by_chance()), MemoryReplica()
    misses = QueuedMisses(truth)
    terms = TermFollower(truth, replica, time.monotonic, settings.follower.deadline_ms / 1_000)
    vectors = VectorFollower(truth, DEFAULT_SPACE, MemoryVectorReplica, time.monotonic)
    purger = Purger(truth, terms, vectors, MemoryPremises())
    housing = MemoryHousing(lambda: replica.snapshot().document_count)
    return Opened(_store(settings, place, _Parts(truth, terms, vectors, purger, misses)), housing, misses.close)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a store consists of that depends on where it is kept."""

    truth: Truth
    terms: TermFollower
    vectors: VectorFollower
    purger: Purger
    misses: MissRecorder


def _store(settings: Settings, place: DestinationSettings, parts: _Parts) -> Store:
    return Store(
        name=place.name,
        naming=settings.catalogue().naming(place.name),
        truth=parts.truth,
        terms=parts.terms,
        vectors=parts.vectors,
        purger=parts.purger,
        anchors=RepositoryAnchors(settings.root),
        clock=_clock(settings),
        misses=parts.misses,
        taint=settings.taint.policy(),
        fusion_depth=settings.fusion_depth,
    )


def _clock(settings: Settings) -> Clock:
    return SystemClock() if settings.fixed.clock is None else FixedClock(settings.fixed.clock)


def _timings(follower: FollowerSettings) -> Timings:
    return Timings(
        quiet=follower.quiet_ms / 1_000, longest=follower.longest_ms / 1_000, rows=follower.rows, poll=follower.poll_ms / 1_000
    )


def _fixed_identity(settings: Settings) -> StoreIdentity | None:
    """Return the identity of a store that is made new, where the settings give any of it."""
    store, key = settings.fixed.store_id, settings.fixed.store_key
    if store is None and key is None:
        return None
    drawn = _by_chance()
    return StoreIdentity(store or drawn.store, key or drawn.key)


def _by_chance() -> StoreIdentity:
    return StoreIdentity(secrets.token_hex(8), secrets.token_bytes(32))
