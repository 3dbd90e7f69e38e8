"""How the one writer of a shared vector index brings it up to the truth (decision 2).

Before anything is put, the position says up to where the truth was read (`intent`); once it was put, it says so (`applied`).
Each write of the position takes the place of the one that this writer left there: where somebody else has written, or emptied the
index, nothing is overwritten and this run ends.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from recordance.errors import Fault, ReplicaDamaged
from recordance.ports.shared_vectors import Chance, SharedPosition, SharedVectorIndex
from recordance.ports.truth import Truth, TruthReader
from recordance.usecases.shared_vector_watch import Seen
from recordance.usecases.vector_steps import Place, Step, Written, next_step

STEP_POINTS = 500
"""How many capsules one step looks at: no recall waits for it, and each costs three requests."""
SETTLED_ROWS = 10_000
"""How many journal rows that tell nothing of vectors may pass before the position is written for their sake alone."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is to be done: bring `index` up to `space` of `truth`. `proven` is the epoch in which its points were counted."""

    truth: Truth
    space: str
    index: SharedVectorIndex
    chance: Chance
    progress: Progress
    proven: str = ""


@dataclass(frozen=True, slots=True)
class Arrived:
    """Where the index is now, the epoch in which its points were counted, and the position if this run has written it."""

    seen: Seen
    proven: str
    own: SharedPosition | None


def bring_up(task: Task, found: SharedPosition | None, own: SharedPosition | None) -> Arrived:
    """Bring the index from where it was found up to the truth's head; None begins it anew.

    `own` is what the last run of this process left there. Where anything else is found, another epoch begins: there was another
    writer, whose last words may arrive yet, or the server was put back to an earlier state. Raises ReplicaDamaged where the index
    turns out to be no good, and Fault where another writer has taken over.
    """
    with task.truth.reading() as reader:
        written, dimension = Written(reader), _dimension_in(reader, task.space)
        fits = found is not None and found.dimension == dimension and Place(found.applied, found.mark).lies_in(reader)
    if found is None or not fits:
        return _Run(task, _begun(task, dimension), written).arrive()
    run = _Run(task, found, written)
    if found != own:
        run.take_over()
    return run.arrive()


def _begun(task: Task, dimension: int) -> SharedPosition:
    position = SharedPosition(epoch=task.chance(), applied=0, mark="", intent=0, dimension=dimension)
    task.index.begin(position)
    return position


def _dimension_in(reader: TruthReader, space: str) -> int:
    occupied = reader.space(space)
    return 1 if occupied is None else occupied.space.dimension


class _Run:
    """One catch-up. `held` is the position that stands in the index, `place` is how far it is by now."""

    def __init__(self, task: Task, held: SharedPosition, written: Written) -> None:
        self._task = task
        self._held = held
        self._epoch = held.epoch
        self._place = Place(held.applied, held.mark)
        self._written = written
        self._counted = task.proven == held.epoch or not held.applied
        self._put = False

    def take_over(self) -> None:
        """Have another epoch begin with the next write."""
        self._epoch = self._task.chance()
        self._counted = False

    def arrive(self) -> Arrived:
        """Make steps to where the truth was at the beginning, or at whose head one arrives."""
        while True:
            step = self._make()
            self._written.add(step)
            self._task.progress(step.until.seq, max(step.until.seq, self._written.head))
            if step.vectors is not None or step.until.seq >= self._written.head:
                break
        if self._put or self._place.seq - self._held.applied > SETTLED_ROWS:
            self._advance(self._place.seq)
        own = self._held if self._held.epoch == self._epoch else None
        return Arrived(Seen(self._held, self._place), self._held.epoch if self._counted else "", own)

    def _make(self) -> Step:
        """Read the next step in a snapshot of its own, and put what it has."""
        with self._task.truth.reading() as reader:
            if not self._place.lies_in(reader):
                raise ReplicaDamaged("the truth was put back meanwhile")
            head, step = reader.head(), next_step(reader, self._task.space, self._place.seq, self._written, STEP_POINTS)
        if any(point.vector.dimension != self._held.dimension for point in step.points):
            raise ReplicaDamaged("the truth has vectors of another dimension by now")
        if not step.silent:
            self._advance(head)  # not `until`: what is put is read as of the snapshot's head
            self._put, self._counted = True, False
            self._task.index.put(step.points, step.dropped)
        self._place = step.until
        if step.vectors is not None and not self._counted:
            self._count(step.vectors)
        return step

    def _count(self, vectors: int) -> None:
        """Compare the index with the truth at the head to which it was just brought (case D5)."""
        held = self._task.index.count()
        if held != vectors:
            raise ReplicaDamaged(f"the index holds {held} points where the truth keeps {vectors} vectors")
        self._counted = True

    def _advance(self, intent: int) -> None:
        """Say in the index how far it is, and up to where the truth may be read before this is said again."""
        place = self._place
        wanted = replace(self._held, epoch=self._epoch, applied=place.seq, mark=place.mark, intent=max(self._held.intent, intent))
        if wanted != self._held and not self._task.index.advance(self._held.epoch, wanted):
            if self._task.index.position() is None:
                raise ReplicaDamaged("the vector index was emptied meanwhile")
            raise Fault("another process writes the vector index by now")
        self._held = wanted
