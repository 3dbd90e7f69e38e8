"""Embedding what is stored, in the background of a process that has an embedder (decision 10, W4).

What is new comes first, then what lies further back. Nothing is held while the model works: what it gives is judged again in the
transaction that writes it, so that what was forgotten, revised or embedded meanwhile is left as it is then.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from recordance.domain.attaching import attached, changed_model
from recordance.domain.capsule import Capsule
from recordance.domain.change import ChangeSet
from recordance.domain.embedding import Space, Vector
from recordance.errors import ModelFailed
from recordance.ports.clock import Clock
from recordance.ports.models import Embedder
from recordance.ports.truth import Truth, TruthReader, TruthWriter
from recordance.usecases.follow import FollowerStatus

ACTOR = "embedder"
"""Who attached a vector, in the journal, where no person did."""
_ABOVE_ALL = 2**62

Duty = Callable[[], AbstractContextManager[bool]]
"""Tries, without waiting, to become the one process that embeds for a store; whether it is, as long as the context lasts."""


def waiting(reader: TruthReader, space: str) -> int:
    """Return how many unforgotten capsules have no vector in a space; both counts are kept, so that nothing is read for it."""
    occupied = reader.space(space)
    return reader.corpus().capsules - (0 if occupied is None else occupied.vectors)


class StoredEmbedder:
    """Gives each capsule of a store a vector in the embedder's space, batch by batch. For one thread.

    A batch that fails is tried again with half as many, until the text that the model does not take stands alone; that one then
    waits behind all others. Each failure is raised, so that whoever calls waits longer from time to time.
    """

    def __init__(self, truth: Truth, embedder: Embedder, clock: Clock, duty: Duty, batch: int) -> None:
        self._truth = truth
        self._embedder = embedder
        self._clock = clock
        self._duty = duty
        self._batch = self._size = batch
        self._top, self._below = 0, _ABOVE_ALL
        self._refused: dict[int, int] = {}
        self._resting = False

    def status(self) -> FollowerStatus:
        """Return how many capsules wait, in the place of journal rows; none while nothing can be done about them here."""
        with self._truth.reading() as reader:
            return FollowerStatus(0 if self._resting else waiting(reader, self._embedder.model), 0, 0)

    def look_again(self) -> bool:
        """Let the next status count what waits even if another process was at it, which may have ended; whether it did anyway."""
        was, self._resting = self._resting, False
        return not was

    def commit(self) -> None:
        """Embed one batch. Raises ModelFailed where the model fails, and what the truth raises."""
        with self._duty() as ours:
            self._resting = not ours
            if ours:
                self._embed_some()

    def _embed_some(self) -> None:
        space = self._embedder.model
        with self._truth.reading() as reader:
            numbers = self._next(reader, space)
            capsules, texts = reader.capsules(numbers), reader.texts(numbers)
        numbers = [number for number in numbers if number in texts]
        if not numbers:  # whatever is counted there, nothing is to be read
            self._resting = True
            return
        try:
            vectors = self._embedder.embed_contents([texts[number].content for number in numbers])
        except ModelFailed:
            self._failed(numbers)
            raise
        with self._truth.writing() as writer:
            self._attach(writer, {number: capsules[number] for number in numbers}, dict(zip(numbers, vectors, strict=True)))
        self._size = min(self._batch, 2 * self._size)

    def _next(self, reader: TruthReader, space: str) -> Sequence[int]:
        """Return the next capsules to embed: new ones, then those further back, then those that the model did not take."""
        news, further, anew = (self._top, _ABOVE_ALL), (0, self._below), (0, _ABOVE_ALL)
        for course in (news, further, anew):
            found = reader.unembedded(space, *course, self._size + len(self._refused))
            numbers = [number for number in found if number not in self._refused][: self._size]
            if numbers:
                self._top = max(self._top, numbers[0])
                if course != news or course == anew:
                    self._below = numbers[-1]
                return numbers
        lacking = reader.unembedded(space, 0, _ABOVE_ALL, len(self._refused))
        self._refused = {number: count for number, count in self._refused.items() if number in lacking}
        return sorted(self._refused, key=lambda number: self._refused[number])[:1]

    def _failed(self, numbers: Sequence[int]) -> None:
        self._top, self._below = 0, _ABOVE_ALL
        if len(numbers) == 1:
            self._refused[numbers[0]] = self._refused.get(numbers[0], 0) + 1
        self._size = max(1, len(numbers) // 2)

    def _attach(self, writer: TruthWriter, read: Mapping[int, Capsule], vectors: Mapping[int, Vector]) -> None:
        """Write what still fits: of capsules that are not forgotten, say what was embedded, and have no vector yet."""
        name, at = self._embedder.model, self._clock.now()
        occupied, held = writer.space(name), writer.vectors(name, vectors.keys())
        before = None if occupied is None or not occupied.vectors else occupied.space
        now, gone = writer.capsules(vectors.keys()), writer.tombstones(list(vectors))
        changes = ChangeSet()
        for number, vector in vectors.items():
            self._refused.pop(number, None)
            said = number in now and now[number].content_digest == read[number].content_digest
            if not said or number in gone or number in held:
                continue
            space = before or Space(name, vector.dimension, name)
            if vector.dimension != space.dimension:
                self._size = 1  # a model that changed is asked on, but with no more than it takes to see that it changed back
                lesson = changed_model(space, vector)
                raise ModelFailed(f"the model {lesson}", why=lesson)
            changes = changes.then(attached(now[number], vector, before, space, at, name))
            before = space
        if changes.changes:
            writer.apply(changes, ACTOR, at)
