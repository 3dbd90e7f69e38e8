"""The follower of a vector index that several processes share: the face of VectorFollower over an index on a server (decision 2).

A recall asks the index without holding it, and proves afterwards that what it was told is what its snapshot has. Whoever has the
duty brings the index up; everybody else looks where it is. What a recall cannot prove, or cannot ask, it finds by a scan of the
truth: that is exact, and takes as long as the space is large.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from recordance.errors import Fault, ReplicaDamaged, StoreUnusable
from recordance.ports.shared_vectors import Chance, Duty, SharedPosition, SharedVectorIndex
from recordance.ports.truth import OccupiedSpace, Truth, TruthReader
from recordance.usecases.follow import FollowerStatus, Monotonic, Progress
from recordance.usecases.shared_vector_apply import SETTLED_ROWS, Task, bring_up
from recordance.usecases.shared_vector_view import SharedVectors, Sight, TooFar, masked_at
from recordance.usecases.shared_vector_watch import Watch, seen_at
from recordance.usecases.truce import Truce
from recordance.usecases.vector_follow import ALWAYS_OVERLAID, OVERLAY_SHARE, SCANNED_AT_ONCE
from recordance.usecases.vector_scan import scan_of_all
from recordance.usecases.vector_steps import changed_since, place_at
from recordance.usecases.vector_view import StillVectors, VectorView

PATIENCE_SECONDS = 1.0
"""How long a commit waits for the process that writes the index before it leaves it to that."""
REBUILD_TRIES = 60
"""How often a rebuild tries to get the duty, with that patience between."""


class SharedVectorFollower:
    """Follows the journal of one truth into an index that is shared (see FollowedVectors). Safe for threads.

    `opening` opens this process's client of the index, as soon as the space was ever used. Where the index does not answer, it is
    left alone for a while, longer each time; the background asks it again whenever it commits.
    """

    def __init__(
        self,
        truth: Truth,
        space: str,
        opening: Callable[[], SharedVectorIndex],
        duty: Duty,
        chance: Chance,
        monotonic: Monotonic,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self._truth = truth
        self._space = space
        self._duty = duty
        self._chance = chance
        self._patience = patience
        self._watch = Watch(opening, Truce(monotonic))
        self._commits, self._newer = threading.Lock(), threading.Lock()
        self._closing = threading.Event()
        self._proven = ""
        self._own: SharedPosition | None = None

    @property
    def alarms(self) -> int:
        """See FollowedVectors."""
        return self._watch.alarms

    def prove(self) -> None:
        """Raise StoreUnusable where the index is not this store's; a server that cannot be asked now is found out later.

        A space that was never used has no index that could be anybody's.
        """
        occupied = self._occupied()
        if occupied is None:
            return
        try:
            self._watch.prove(occupied.space.dimension if occupied.vectors else None)
        except StoreUnusable:
            raise
        except Fault:
            return

    @contextmanager
    def steady(self) -> Iterator[StillVectors]:
        """Let a recall search; nothing is held, what it finds is proven afterwards."""
        yield _Searchable(self._view)

    def commit(self) -> None:
        """Bring the index up where that is due and this process gets the duty, else see how far another one has brought it.

        Its points are counted before anything else is believed of it, once in each process.
        """
        if self._occupied() is None:
            return
        with self._commits:
            if self._proven and not self._is_behind():
                return
            with self._duty() as ours:
                if ours:
                    self._bring_up(_unwatched)
                    return
            if self._is_behind() and not self._closing.wait(self._patience):
                self._watch.position()

    def rebuild(self, progress: Progress) -> None:
        """Empty the index and fill it again; recalls, in every process, scan until most of it is there."""
        if self._occupied() is None:
            return
        with self._commits:
            for _ in range(REBUILD_TRIES):
                with self._duty() as ours:
                    if ours:
                        self._watch.distrusted = True
                        self._bring_up(progress)
                        return
                if self._closing.wait(self._patience):
                    break
        raise Fault("another process writes the vector index and does not end; ask again when it has")

    def open(self) -> None:
        """See FollowedVectors."""
        if self._occupied() is not None:
            self._watch.position()

    def held(self) -> int | None:
        """Return how many vectors the index holds; None where it cannot be asked or is no good."""
        if not self._watch.is_open or not self._watch.sound or self._watch.position() is None:
            return None
        return self._watch.count()

    def status(self) -> FollowerStatus:
        """Return how far the index was when it was last seen; nothing is applied in one that is no good or does not answer."""
        with self._truth.reading() as reader:
            seen, head = self._watch.seen, reader.head()
            if reader.space(self._space) is None:
                return FollowerStatus(head, head, 0)
            applied = seen.place.seq if seen is not None and self._watch.sound and seen.place.seq <= head else 0
            return FollowerStatus(head, applied, 0)

    def close(self) -> None:
        """See FollowedVectors."""
        self._closing.set()
        with self._commits:
            self._watch.close()

    # ── by a recall ───────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _view(self, reader: TruthReader) -> VectorView:
        try:
            view = self._searched(reader)
        except ReplicaDamaged:
            self._watch.alarm()
            view = None
        except (Fault, TooFar):
            view = None
        return scan_of_all(reader, self._space) if view is None else view

    def _searched(self, reader: TruthReader) -> VectorView | None:
        """Return the index as of the reader's head; None where a scan is all that can be done, or takes less time."""
        occupied = reader.space(self._space)
        if occupied is None or not occupied.vectors:
            return None
        if not self._watch.is_open and occupied.vectors <= SCANNED_AT_ONCE:
            return None  # the background opens it
        if not self._watch.lets():
            return None
        seen = self._watch.seen
        if seen is None or seen.position.dimension != occupied.space.dimension:
            position = self._watch.position()
            if position is None:
                raise ReplicaDamaged("there is no vector index")
            seen = seen_at(position)
        sight = Sight(
            reader=reader,
            space=self._space,
            bound=max(ALWAYS_OVERLAID, occupied.vectors // OVERLAY_SHARE),
            newer=self._truth.reading,
            turn=self._newer,
        )
        return SharedVectors(sight, self._watch, masked_at(sight, self._watch, seen))

    # ── by a commit ───────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _occupied(self) -> OccupiedSpace | None:
        with self._truth.reading() as reader:
            return reader.space(self._space)

    def _is_behind(self) -> bool:
        """Whether the index, as it is now, lacks anything, or had better be told how many rows it does not lack."""
        found, distrusted = self._watch.position(), self._watch.distrusted
        seen = self._watch.seen
        with self._truth.reading() as reader:
            if found is None or seen is None or distrusted or not seen.place.lies_in(reader):
                return True
            if changed_since(reader, seen.place.seq, 0) is None or reader.head() - found.applied > SETTLED_ROWS:
                return True
            self._watch.passed(found, place_at(reader, reader.head()))
            return False

    def _bring_up(self, progress: Progress) -> None:
        """Bring the index up to the head; begin anew, once, if it turns out to be no good."""
        try:
            self._follow(progress)
        except ReplicaDamaged:
            self._watch.distrusted = True
            self._follow(progress)

    def _follow(self, progress: Progress) -> None:
        found, own, self._own = self._watch.position(), self._own, None
        task = Task(
            truth=self._truth,
            space=self._space,
            index=self._watch,
            chance=self._chance,
            progress=progress,
            proven=self._proven,
        )
        arrived = bring_up(task, None if self._watch.distrusted else found, own)
        self._watch.seen, self._proven, self._own = arrived.seen, arrived.proven, arrived.own
        self._watch.distrusted = False


@dataclass(frozen=True, slots=True)
class _Searchable:
    """What a recall is given in the place of an index that is held still."""

    view: Callable[[TruthReader], VectorView]

    def at(self, reader: TruthReader) -> VectorView:
        """See StillVectors."""
        return self.view(reader)


def _unwatched(_done: int, _total: int) -> None:
    """Watch no progress."""
