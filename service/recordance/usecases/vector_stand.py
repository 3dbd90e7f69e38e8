"""Where an open vector index stands in its journal, and what can be said of it there (decision 1)."""

from dataclasses import dataclass, field, replace

from recordance.domain.embedding import COMPONENT_BYTES
from recordance.errors import ReplicaDamaged
from recordance.ports.vectors import VectorReplica
from recordance.usecases.vector_steps import Place, Step


@dataclass(frozen=True, slots=True)
class Stand:
    """Where the open replica stands.

    `durable` is up to where a restart would find everything: what was settled, and the rows after it that changed nothing.
    `proven` says that it was found whole since it was opened or emptied; without `sound` it is worth nothing at all.
    """

    place: Place = field(default_factory=Place)
    durable: int = 0
    dimension: int = 0
    proven: bool = False
    sound: bool = True

    def moved(self, place: Place) -> "Stand":
        """Return where it stands once journal rows that tell nothing of vectors have passed."""
        durable = place.seq if self.durable == self.place.seq else self.durable
        return replace(self, place=place, durable=durable)

    def after(self, step: Step) -> "Stand":
        """Return where it stands once a step was made."""
        return self.moved(step.until) if step.silent else replace(self, place=step.until)

    def takes(self, step: Step) -> bool:
        """Whether the step's vectors have the index's dimension, to the byte."""
        size = self.dimension * COMPONENT_BYTES
        return all(len(point.vector.packed) == size for point in step.points)


def stand_of(replica: VectorReplica) -> Stand:
    """Return where a replica stands that was just opened."""
    try:
        return Stand(Place(replica.applied, replica.mark), replica.applied, replica.dimension)
    except ReplicaDamaged:
        return Stand(sound=False)
