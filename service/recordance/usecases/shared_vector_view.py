"""What a recall sees of a vector index that others may write while it searches (decision 1, decision 2).

Let H be the head of the recall's snapshot. In one epoch the index holds everything up to `applied`, of which any earlier reading
is a lower bound A, and nothing later than the `intent` I that is read once the search is over. So a capsule of which the journal
tells nothing in (A, H] and nothing in (H, I] lay in the index during the whole search as the snapshot has it. The others are
masked, and compared from the snapshot itself. Where the epoch has ended, or less is applied than was known, the search proves
nothing.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from recordance.errors import Fault, ReplicaDamaged
from recordance.ports.shared_vectors import SharedPosition
from recordance.ports.truth import TruthReader
from recordance.ports.vectors import Near, tolerance
from recordance.query.nearness import VectorQuery
from recordance.usecases.shared_vector_watch import Seen, Watch, seen_at
from recordance.usecases.vector_overlay import WIDENING
from recordance.usecases.vector_scan import SCAN_TOLERANCE, VectorScan, scan_of_all, scan_of_some
from recordance.usecases.vector_steps import Place, changed_since, place_at

LOOKS = 3
"""How often a recall searches again because a writer took over or began anew meanwhile, before it scans the truth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """From where a recall looks: its snapshot, and how to open one that is newer.

    `bound` is how many capsules may be masked. Newer snapshots are opened by one recall at a time (`turn`): each holds two then,
    and a truth whose connections are all held by such recalls would have none left for any of them.
    """

    reader: TruthReader
    space: str
    bound: int
    newer: Callable[[], AbstractContextManager[TruthReader]]
    turn: threading.Lock


@dataclass(frozen=True, slots=True)
class Masked:
    """What is masked over an index that was seen at a position, and up to which seq the journal was read for that."""

    seen: Seen
    numbers: frozenset[int]
    until: int


class TooFar(Exception):
    """The index and the snapshot are so far apart that to compare everything takes less time."""


def masked_at(sight: Sight, watch: Watch, seen: Seen) -> Masked:
    """Return what must be masked over an index that was seen there. Raises TooFar, or ReplicaDamaged for another history."""
    reader, head = sight.reader, sight.reader.head()
    if seen.place.seq > head:
        return Masked(seen, frozenset(), head)  # nothing before the head; what is behind it is told after the search
    _require_same_history(reader, seen.place)
    numbers = changed_since(reader, seen.place.seq, sight.bound)
    if numbers is None:
        raise TooFar
    if not numbers:
        watch.passed(seen.position, place_at(reader, head))
    return Masked(seen, numbers, head)


def _require_same_history(reader: TruthReader, place: Place) -> None:
    if not place.lies_in(reader):
        raise ReplicaDamaged("the vector index followed another history")


@dataclass(slots=True)
class SharedVectors:
    """The shared index but for what is masked, and what the snapshot has of that (see VectorView).

    Once the index fails, or tells what cannot be proven, the snapshot is scanned from there on.
    """

    sight: Sight
    watch: Watch
    masked: Masked
    _overlay: VectorScan = field(init=False)
    _instead: VectorScan | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._mask(self.masked)

    @property
    def tolerance(self) -> float:
        """By how much a score may be off: also one of the index's that was told before it failed."""
        return max(tolerance(self.masked.seen.position.dimension), SCAN_TOLERANCE)

    def nearest(self, query: VectorQuery, count: int) -> Sequence[Near]:
        """Return the `count` nearest that the query admits, the highest score first, or all that may have a cosine above zero."""
        below = self._below(query, count)
        if self._instead is not None:
            return self._instead.nearest(query, count)
        if not self.masked.numbers:
            return below
        above = self._overlay.nearest(query, count)
        return sorted([*below, *above], key=lambda near: (-near.score, near.number))[:count]

    def disprove(self) -> None:
        """Have the snapshot answer from here on; the index is begun anew by whoever may."""
        self.watch.distrust()
        self._scan()

    def _below(self, query: VectorQuery, count: int) -> Sequence[Near]:
        """Return the `count` nearest of the index that are not masked; nothing where the snapshot is scanned instead."""
        if self._instead is None and query.vector.dimension == self.masked.seen.position.dimension:
            try:
                return self._unmasked(query, count)
            except ReplicaDamaged:
                self.watch.alarm()
            except (Fault, TooFar):
                pass  # what is the matter was noted by the watch, or is nothing
        self._scan()
        return ()

    def _scan(self) -> None:
        if self._instead is None:
            self._instead = scan_of_all(self.sight.reader, self.sight.space)

    def _unmasked(self, query: VectorQuery, count: int) -> Sequence[Near]:
        asked, again = count + min(len(self.masked.numbers), count), LOOKS
        while again:
            near = self.watch.nearest(query, asked)
            if not self._proves():
                again -= 1
                continue
            kept = [each for each in near if each.number not in self.masked.numbers]
            if len(kept) >= count or len(near) < asked:
                return kept[:count]
            asked *= WIDENING
        raise TooFar

    def _proves(self) -> bool:
        """Whether a search that was just made is exact but for what is masked now; else another one may be."""
        known, found = self.masked.seen.position, self.watch.position()
        if found is None:
            raise ReplicaDamaged("the vector index was emptied")
        if found.dimension != known.dimension:
            raise TooFar
        if found.epoch != known.epoch or found.applied < known.applied:
            self._mask(masked_at(self.sight, self.watch, seen_at(found)))
            return False
        if found.intent > self.masked.until:
            self._mask(self._masked_up_to(found))
        return True

    def _masked_up_to(self, found: SharedPosition) -> Masked:
        """Return what is masked once everything up to the intent is as well; the snapshot is older than that."""
        masked = self.masked
        with self.sight.turn, self.sight.newer() as newer:
            if newer.head() < found.intent:
                raise ReplicaDamaged("the vector index is ahead of the truth")
            _require_same_history(newer, Place(found.applied, found.mark))
            more = changed_since(newer, masked.until, self.sight.bound)
            if more is None:
                raise TooFar
            return Masked(masked.seen, masked.numbers | more, newer.head())

    def _mask(self, masked: Masked) -> None:
        self.masked = masked
        self._overlay = scan_of_some(self.sight.reader, self.sight.space, masked.numbers)
