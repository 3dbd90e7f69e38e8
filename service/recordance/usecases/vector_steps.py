"""The steps in which a vector index is brought up to the truth: what to read next, as values (decision 1, decision 3)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from recordance.domain.journal import VECTOR_OPS
from recordance.ports.truth import IndexedChange, TruthReader
from recordance.query.nearness import VectorPoint, vector_point
from recordance.usecases.history import lies_in, mark_at

STEP_POINTS = 100
"""How many capsules one step looks at: so long a recall waits for its turn, some 10 ms, and so much is in memory."""
ROWS_READ = 500
"""How many journal rows are read at once; most tell nothing of vectors."""


@dataclass(frozen=True, slots=True)
class Place:
    """How far an index has been brought: a journal seq, with what tells its journal from one with another history."""

    seq: int = 0
    mark: str = ""

    def lies_in(self, reader: TruthReader) -> bool:
        """Whether the reader's journal is the one in which this place is."""
        return lies_in(reader, self.seq, self.mark)


def place_at(reader: TruthReader, seq: int) -> Place:
    """Return the place at a journal row."""
    return Place(seq, mark_at(reader, seq))


@dataclass(frozen=True, slots=True)
class Step:
    """What leads an index from one place to a later one: capsules as the truth has them now, and those without a vector.

    Where `until` is the head of the truth that it was read from, `vectors` is how many are in the space there; else None.
    `rows` is how many capsules its journal rows tell of, those included that were put before.
    """

    points: Sequence[VectorPoint]
    dropped: Collection[int]
    until: Place
    vectors: int | None
    rows: int

    @property
    def silent(self) -> bool:
        """Whether its journal rows tell nothing of vectors, so that it changes nothing but the place."""
        return self.rows == 0


class Written:
    """Which capsules a long catch-up has put already: their further rows up to where it began from tell nothing new."""

    def __init__(self, reader: TruthReader) -> None:
        self.head = reader.head()
        self._flags = bytearray(reader.last_number() + 1)

    def tells_more(self, change: IndexedChange) -> bool:
        """Whether the capsule has yet to be looked at for this row."""
        return change.seq > self.head or not self._flags[change.number]

    def add(self, step: Step) -> None:
        """Note what a step has put; it must have been read no earlier than this catch-up began."""
        for number in (*(point.number for point in step.points), *step.dropped):
            if number < len(self._flags):
                self._flags[number] = 1


def next_step(reader: TruthReader, space: str, after: int, written: Written | None = None, points: int = STEP_POINTS) -> Step:
    """Return the step that follows the journal row `after`, of so many capsules at most."""
    head = reader.head()
    changes = reader.changes_after(after, ROWS_READ, VECTOR_OPS)
    # A capsule that has another row further on is met there again, so that the first ones may be taken alone.
    until = changes[points - 1].seq if len(changes) > points else min(after + ROWS_READ, head)
    taken = changes[:points]
    numbers = [change.number for change in taken if written is None or written.tells_more(change)]
    vectors = reader.vectors(space, numbers)
    capsules = reader.capsules(vectors.keys())
    return Step(
        points=[vector_point(capsules[number], vector) for number, vector in vectors.items()],
        dropped=[number for number in numbers if number not in vectors],
        until=place_at(reader, until),
        vectors=_held(reader, space) if until == head else None,
        rows=len(taken),
    )


def changed_since(reader: TruthReader, after: int, bound: int) -> frozenset[int] | None:
    """Return the capsules that must be looked at since the journal row `after`; None if those are more than `bound`."""
    found: set[int] = set()
    while after < reader.head():
        found.update(change.number for change in reader.changes_after(after, ROWS_READ, VECTOR_OPS))
        if len(found) > bound:
            return None
        after += ROWS_READ
    return frozenset(found)


def _held(reader: TruthReader, space: str) -> int:
    occupied = reader.space(space)
    return 0 if occupied is None else occupied.vectors
