"""The vector follower: keeps an index of one space behind the truth, and lets a recall search it as of the recall's snapshot.

A recall holds the index still and opens its snapshot; capsules of which the journal tells since the index was written are
masked there and compared from the truth (decision 1). Only the background writes the index. Where no index can be asked, the
truth is scanned; a recall never fails for an index, and never waits longer than its patience for one.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial

from recordance.errors import Fault, ReplicaDamaged
from recordance.ports.truth import OccupiedSpace, Truth, TruthReader
from recordance.ports.vectors import VectorReplica
from recordance.usecases.follow import FollowerStatus, Monotonic, Progress
from recordance.usecases.turns import FOREVER, Turns
from recordance.usecases.vector_overlay import OverlaidVectors, held_of
from recordance.usecases.vector_scan import VectorScan, scan_of_all, scan_of_some
from recordance.usecases.vector_stand import Stand, stand_of
from recordance.usecases.vector_steps import Step, Written, changed_since, next_step, place_at
from recordance.usecases.vector_view import Hold, Steady, VectorView

PATIENCE_SECONDS = 1.0
"""How long a recall waits for the index before it scans the truth instead."""
OVERLAY_SHARE = 2
"""What part of a space's vectors may have changed, as a divisor, before a recall scans them all rather than those."""
ALWAYS_OVERLAID = 500
"""How many may have changed even so."""
SCANNED_AT_ONCE = 1_000
"""In spaces of more vectors it takes less time to open the index than to scan them."""
SETTLED_POINTS = 10_000
"""How many capsules a long catch-up puts before it settles them, so that a sudden end does not begin anew."""
SETTLED_ROWS = 10_000
"""How many journal rows that tell nothing of vectors may pass before the position is written for their sake alone.

It costs a flush, and saves whoever opens the index next no more than the reading of these rows.
"""


class VectorFollower:
    """Follows the journal of one truth into one replica of the vector index of one space. Safe for threads.

    `opening` opens this process's replica; it is called once, as soon as the space was ever used, by a commit or by the first
    recall that would have to scan many vectors. A replica that is damaged, has another dimension, does not hold as many points as
    the truth, or followed another history is emptied and filled again by the next commit; until then recalls scan. Every method
    raises what the truth raises; `commit`, `rebuild` and `open` raise Fault when the index cannot be opened or written.
    """

    def __init__(
        self,
        truth: Truth,
        space: str,
        opening: Callable[[], VectorReplica],
        monotonic: Monotonic,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self._truth = truth
        self._space = space
        self._opening = opening
        self._monotonic = monotonic
        self._patience = patience
        # Always taken in this order: by whoever brings the index up for its own sake, opens it, touches it.
        self._duty, self._opens, self._turns = threading.Lock(), threading.Lock(), Turns()
        self._replica: VectorReplica | None = None
        self._stand = Stand()
        self._alarms = 0
        self._openable = True  # until it failed
        self._closed = False

    @property
    def alarms(self) -> int:
        """How often a recall found the index no good; a commit is due whenever this has grown."""
        return self._alarms

    @contextmanager
    def steady(self) -> Iterator[Steady]:
        """Hold the index still until the end, or until it turns out that it cannot be used; open the snapshot inside."""
        deadline = self._monotonic() + self._patience
        self._open_rather_than_scan()
        hold = Hold(self._turns, max(0.0, deadline - self._monotonic()))

        def indexed(reader: TruthReader) -> VectorView | None:
            return self._look(reader, partial(failed, reader))

        def failed(reader: TruthReader, fault: Fault) -> VectorScan:
            if isinstance(fault, ReplicaDamaged):
                self._alarm()
            hold.let_go()
            return scan_of_all(reader, self._space)

        try:
            yield Steady(hold, indexed, self._space)
        finally:
            hold.let_go()

    def commit(self) -> None:
        """Open the replica when that is due, bring it up to the truth's head, and settle what was put."""
        with self._duty:
            replica = self._opened()
            if replica is not None:
                self._bring_up(replica, _unwatched)

    def rebuild(self, progress: Progress) -> None:
        """Empty the index and fill it again from the truth; recalls scan until most of it is there."""
        with self._duty:
            replica = self._opened()
            if replica is not None:
                self._distrust()
                self._bring_up(replica, progress)

    def open(self) -> None:
        """Open the replica when that is due, for whoever asks how far it is; waits no longer than the patience for another."""
        self._opened(self._patience)

    def held(self) -> int | None:
        """Return how many vectors the index holds, for upkeep; None where none is open or it is no good."""
        with self._turns.turn():
            return self._replica.count if self._replica is not None and self._stand.sound else None

    def status(self) -> FollowerStatus:
        """Return how far the index durably is; rows that change nothing in it count as applied.

        A space that was never used needs no index, and one whose index is not open yet, or no good, has nothing applied.
        """
        with self._truth.reading() as reader:
            replica, stand, head = self._replica, self._stand, reader.head()
            if replica is None:
                applied = head if reader.space(self._space) is None else 0
            else:
                applied = stand.durable if stand.sound and stand.place.seq <= head else 0
            return FollowerStatus(head, applied, 0)

    def close(self) -> None:
        """Close the replica, once nobody uses it any more; from then on recalls scan."""
        with self._duty, self._opens, self._turns.turn():
            replica, self._replica, self._closed = self._replica, None, True
        if replica is not None:
            replica.close()

    # ── by whoever comes first ────────────────────────────────────────────────────────────────────────────────────────────────

    def _opened(self, patience: float = FOREVER) -> VectorReplica | None:
        """Return the replica, opened if that is due; None also if somebody else takes longer to open it than the patience."""
        if self._replica is None and self._opens.acquire(timeout=patience):
            try:
                self._open()
            finally:
                self._opens.release()
        return self._replica

    def _open(self) -> None:
        """Open the replica if that is due; recalls that scan do not wait for it."""
        if self._replica is not None or self._closed or self._occupied() is None:
            return
        try:
            replica = self._opening()
        except Fault:
            self._openable = False
            raise
        stand = stand_of(replica)
        with self._turns.turn():
            self._replica, self._stand = replica, stand

    def _open_rather_than_scan(self) -> None:
        """Have a recall open the index where that is shorter; where it fails it is left to the background, which tells."""
        if self._replica is not None or self._closed or not self._openable:
            return
        occupied = self._occupied()
        if occupied is not None and occupied.vectors > SCANNED_AT_ONCE:
            with suppress(Fault):
                self._opened(self._patience)

    def _occupied(self) -> OccupiedSpace | None:
        with self._truth.reading() as reader:
            return reader.space(self._space)

    # ── by a recall, in its turn ──────────────────────────────────────────────────────────────────────────────────────────────

    def _look(self, reader: TruthReader, failed: Callable[[Fault], VectorScan]) -> VectorView | None:
        """Return the index as of exactly the reader's head; None if the truth must be scanned instead."""
        replica = self._replica
        if replica is None or not self._stand.sound:
            return None
        changed = self._changed(reader)
        if changed is None or not self._is_whole(replica, reader, changed):
            return None
        overlay = scan_of_some(reader, self._space, changed)
        return OverlaidVectors(replica, self._stand.dimension, changed, overlay, failed)

    def _changed(self, reader: TruthReader) -> frozenset[int] | None:
        """Return the capsules to be masked; None if there are too many, or the index followed another history."""
        stand, head = self._stand, reader.head()
        if stand.proven and stand.place.seq == head:
            return frozenset()
        if not stand.place.lies_in(reader):
            self._alarm()
            return None
        changed = changed_since(reader, stand.place.seq, max(ALWAYS_OVERLAID, self._kept(reader) // OVERLAY_SHARE))
        if changed is not None and not changed:
            self._stand = stand.moved(place_at(reader, head))
        return changed

    def _is_whole(self, replica: VectorReplica, reader: TruthReader, changed: frozenset[int]) -> bool:
        """Whether the index holds as many points as it should beside those that changed (case D5); compared once."""
        if self._stand.proven:
            return True
        kept = self._kept(reader) - len(reader.vectors(self._space, changed))
        try:
            held = replica.count - held_of(replica, self._stand.dimension, changed)
        except ReplicaDamaged:
            held = -1
        except Fault:
            return False
        if held != kept:
            self._alarm()
            return False
        self._stand = replace(self._stand, proven=True)
        return True

    def _kept(self, reader: TruthReader) -> int:
        occupied = reader.space(self._space)
        return 0 if occupied is None else occupied.vectors

    def _alarm(self) -> None:
        """Leave the index alone until a commit has made it anew."""
        self._stand = replace(self._stand, sound=False)
        self._alarms += 1

    # ── by the background, in its duty ────────────────────────────────────────────────────────────────────────────────────────

    def _bring_up(self, replica: VectorReplica, progress: Progress) -> None:
        """Bring the index up to the head and settle it; start from nothing, once, if it turns out to be no good."""
        try:
            self._follow(replica, progress)
            self._settle(replica)
        except ReplicaDamaged:
            self._distrust()
            self._follow(replica, progress)
            self._settle(replica)

    def _distrust(self) -> None:
        with self._turns.turn():
            self._stand = replace(self._stand, sound=False)

    def _follow(self, replica: VectorReplica, progress: Progress) -> None:
        """Make steps to where the truth was at the beginning, or at whose head one arrives. Recalls get in between them.

        What a step puts is read outside the turn. A recall may meanwhile pass rows that tell nothing of vectors, which the step
        takes back, or find the index no good, which is then begun anew.
        """
        written, unsettled = self._written(), 0
        while True:
            move = self._next_move(self._stand, written)
            with self._turns.turn():
                self._carry_out(replica, move)
            if isinstance(move, _Clearing):
                written = self._written()
                continue
            written.add(move)
            progress(move.until.seq, max(move.until.seq, written.head))
            if self._stand.sound and (move.vectors is not None or move.until.seq >= written.head):
                return
            unsettled = self._settled_on_the_way(replica, unsettled + len(move.points))

    def _settled_on_the_way(self, replica: VectorReplica, unsettled: int) -> int:
        """Settle if that many points are too many to be lost; return how many are unsettled now."""
        if unsettled < SETTLED_POINTS:
            return unsettled
        self._settle(replica)
        return 0

    def _written(self) -> Written:
        with self._truth.reading() as reader:
            return Written(reader)

    def _next_move(self, stand: Stand, written: Written) -> "Step | _Clearing":
        """Return what leads on from where the index stands, read in a snapshot of its own."""
        with self._truth.reading() as reader:
            if stand.dimension and stand.sound and stand.place.lies_in(reader):
                step = next_step(reader, self._space, stand.place.seq, written)
                if stand.takes(step):
                    return step
                if stand.dimension == self._dimension_in(reader):  # to begin anew would lead here again, for ever
                    raise Fault(f"the truth has vectors of another dimension in space {self._space!r} than the space has")
            return _Clearing(self._dimension_in(reader))

    def _dimension_in(self, reader: TruthReader) -> int:
        occupied = reader.space(self._space)
        return _ANY_DIMENSION if occupied is None else occupied.space.dimension

    def _carry_out(self, replica: VectorReplica, move: "Step | _Clearing") -> None:
        match move:
            case Step():
                self._make(replica, move)
            case _Clearing(dimension):
                self._stand = replace(self._stand, sound=False)
                replica.clear(dimension)
                self._stand = Stand(dimension=dimension, proven=True)

    def _settle(self, replica: VectorReplica) -> None:
        """Make durable what was put. Rows that tell nothing of vectors are worth a write only where there are many."""
        with self._turns.turn():
            stand = self._stand
            put = stand.durable < stand.place.seq
            if stand.sound and (put or stand.place.seq - replica.applied > SETTLED_ROWS):
                replica.settle(stand.place.seq, stand.place.mark)
                self._stand = replace(stand, durable=stand.place.seq)

    def _make(self, replica: VectorReplica, step: Step) -> None:
        """Put what a step has, and compare the index with the truth where it has arrived at its head (case D5)."""
        if not step.silent:
            replica.put(step.points, step.dropped)
        if step.vectors is not None and not (step.silent and self._stand.proven):
            held = replica.count
            if held != step.vectors:
                raise ReplicaDamaged(f"the index holds {held} points where the truth keeps {step.vectors} vectors")
            self._stand = replace(self._stand, proven=True)
        self._stand = self._stand.after(step)


_ANY_DIMENSION = 1
"""The dimension of an index that has nothing to hold."""


@dataclass(frozen=True, slots=True)
class _Clearing:
    """The index begins anew with this dimension."""

    dimension: int


def _unwatched(_done: int, _total: int) -> None:
    """Watch no progress."""
