"""Embeddings that a merge brings into a store which may have its own (W4, W10).

A store keeps what it has: a capsule its vector, a space its dimension and its model. What was made by another model cannot be
compared with what is there, so it stays outside; its capsule comes in all the same, since a file may be all that is left of a
store, and a capsule without a vector can be given another. How many were left out, and of which space, is answered.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recordance.domain.change import ChangeSet, PutSpace
from recordance.domain.embedding import Embedding, Space
from recordance.domain.instant import Instant
from recordance.errors import Json
from recordance.ports.truth import TruthWriter
from recordance.usecases.arrival import reattached


@dataclass(frozen=True, slots=True)
class Latecomer:
    """What a file has for a capsule that is here already."""

    number: int
    embeddings: tuple[Embedding, ...]


class Joining:
    """One merge's embeddings: which are taken, which were here already, and which stay outside."""

    def __init__(self, spaces: Mapping[str, Space], actor: str) -> None:
        """`spaces` are the file's."""
        self._there = spaces
        self._actor = actor
        self._here: dict[str, Space | None] = {}
        self._outside: Counter[str] = Counter()
        self.attached = 0
        self.already = 0

    def begin(self, writer: TruthWriter) -> None:
        """Look at the store's spaces as they are in this transaction; one without vectors takes any."""
        found = {name: writer.space(name) for name in self._there}
        self._here = {name: each.space if each and each.vectors else None for name, each in found.items()}

    def fitting(self, writer: TruthWriter, embeddings: Sequence[Embedding], at: Instant) -> tuple[Embedding, ...]:
        """Return those that their space takes, which is made or named for them if need be; the others are counted."""
        taken = tuple(each for each in embeddings if self._takes(writer, each, at))
        self.attached += len(taken)
        return taken

    def join(self, writer: TruthWriter, latecomers: Sequence[Latecomer], at: Instant) -> None:
        """Attach what capsules that were here already did not have a vector for."""
        numbers = {each.number for each in latecomers}
        capsules = writer.capsules(numbers)
        held = {(name, number) for name in self._there for number in writer.vectors(name, numbers)}
        changes = ChangeSet()
        for each in latecomers:
            new = [embedding for embedding in each.embeddings if (embedding.space, each.number) not in held]
            self.already += len(each.embeddings) - len(new)
            for embedding in self.fitting(writer, new, at):
                held.add((embedding.space, each.number))
                changes = changes.then(reattached(capsules[each.number], embedding))
        if changes.changes:
            writer.apply(changes, self._actor, at)

    def view(self) -> dict[str, Json]:
        """Return what became of the embeddings; `left_out` names each space whose vectors do not fit, if there are any."""
        outside = {"left_out": [self._outcome(name, count) for name, count in self._outside.items()]} if self._outside else {}
        return {
            "embeddings": self.attached,
            "already_embedded": self.already,
            "embeddings_left_out": self._outside.total(),
            **outside,
        }

    def _takes(self, writer: TruthWriter, embedding: Embedding, at: Instant) -> bool:
        there, here = self._there[embedding.space], self._here[embedding.space]
        space = there if here is None else _united(here, there)
        if space is None:
            self._outside[there.name] += 1
            return False
        if space != here:
            writer.apply(ChangeSet((PutSpace(space, at),)), self._actor, at)
            self._here[there.name] = space
        return True

    def _outcome(self, name: str, count: int) -> dict[str, Json]:
        here = self._here[name]
        own = "" if here is None else f" here it has {_told(here)}, there {_told(self._there[name])};"
        why = f"vectors of another dimension or model cannot be compared;{own} embed these capsules anew and attach that"
        return {"space": name, "embeddings": count, "why": why}


def _united(here: Space, there: Space) -> Space | None:
    """Return the store's space once vectors of the file's lie in it; None where they cannot be compared with its own."""
    if here.dimension != there.dimension:
        return None
    if here.model is None or there.model is None or here.model == there.model:
        return replace(here, model=here.model or there.model)
    return None


def _told(space: Space) -> str:
    return f"{space.dimension} dimensions" + (f" of {space.model!r}" if space.model else "")
