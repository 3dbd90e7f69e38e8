"""Attaching a vector to a capsule: what a space admits, and what the journal says of it (W4, L2)."""

from dataclasses import dataclass, replace

from recordance.domain.capsule import Capsule
from recordance.domain.change import ChangeSet, PutEmbedding, PutSpace
from recordance.domain.embedding import DEFAULT_SPACE, Embedding, Space, Vector
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry, Op, Value
from recordance.errors import InvalidArgument, OtherDimension


def entered(space: Space | None, vector: Vector, model: str | None) -> Space:
    """Return the callers' space as it is once `vector`, made by `model` if that is known, lies in it.

    `space` None has no vectors: the first one decides its dimension, and the first model that is named is the one of all. Raises
    InvalidArgument for a vector of another dimension than the space's (`embedding`) and for a second model (`model`).
    """
    if space is None:
        return Space(DEFAULT_SPACE, vector.dimension, model)
    if vector.dimension != space.dimension:
        raise other_dimension(space, vector, "embedding")
    if model is None or model == space.model:
        return space
    if space.model is not None:
        why = f"the embeddings of this store come from {space.model!r}, and one from {model!r} cannot be compared with them"
        raise InvalidArgument("model", model, f"a vector made by {space.model!r}", why)
    return replace(space, model=model)


def other_dimension(space: Space, vector: Vector, field: str) -> OtherDimension:
    """Return the refusal of a vector whose dimension is not the space's; it names both (L2, case E1)."""
    made = "" if space.model is None else f" made by {space.model!r}"
    why = f"the embeddings of this store have dimension {space.dimension}, and this one has dimension {vector.dimension}"
    if space.name != DEFAULT_SPACE:
        why = f"the embedder {changed_model(space, vector)}"
    return OtherDimension(field, [round(value, 6) for value in vector.values], f"{space.dimension} numbers{made}", why)


def changed_model(space: Space, vector: Vector) -> str:
    """Return what a model does whose vectors are of another dimension than those that were made under its name before (W4)."""
    return f"gives vectors of {vector.dimension} components where those of its space have {space.dimension}"


def attached(
    capsule: Capsule, vector: Vector, before: Space | None, space: Space, at: Instant, model: str | None = None
) -> ChangeSet:
    """Return the write that puts the vector of a capsule's current content into `space`, which was `before` until now."""
    bound = () if space == before else (PutSpace(space, at),)
    embedding = Embedding(capsule.number, space.name, capsule.content_digest, vector, at)
    values: dict[str, Value] = {"space": space.name, "dimension": space.dimension}
    if model is not None:
        values["model"] = model
    return ChangeSet((*bound, PutEmbedding(embedding)), (Entry(Op.EMBEDDED, capsule.number, capsule.revision, values),))


@dataclass(frozen=True, slots=True)
class Attached:
    """A capsule with the vector that it has now; `before` is the one that it had, None if it had none."""

    capsule: Capsule
    before: Vector | None
    vector: Vector
