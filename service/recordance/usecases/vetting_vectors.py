"""Whether spaces and embeddings of an import could have been written: what nobody may attach, no file may bring (L2, W4)."""

from collections.abc import Mapping
from itertools import pairwise

from recordance.answer.export_lines import CapsuleLine
from recordance.domain import limits
from recordance.domain.coherence import embedding_fault
from recordance.domain.embedding import Space
from recordance.errors import InvalidArgument

_AS_ATTACHED = "the embedding as it was exported, or the capsule without it"


def vet_space(space: Space, spaces: dict[str, Space], path: str) -> None:
    """Raise InvalidArgument below `path` if the space cannot be, or cannot follow the `spaces` before it."""
    for name, text in (("name", space.name), ("model", space.model)):
        if text is not None and not (text.strip() and len(text) <= limits.MODEL):
            raise InvalidArgument(f"{path}.{name}", text, f"a name of 1 to {limits.MODEL} characters", "nothing is called so")
    if not 1 <= space.dimension <= limits.DIMENSION:
        why = "no vector has so many components"
        raise InvalidArgument(f"{path}.dimension", space.dimension, f"1 to {limits.DIMENSION}", why)
    if space.name <= next(reversed(spaces), ""):
        raise InvalidArgument(f"{path}.name", space.name, "spaces in the order of their names", "spaces stand once each, by name")


def vet_embeddings(line: CapsuleLine, spaces: Mapping[str, Space], path: str) -> None:
    """Raise InvalidArgument below `path` if the capsule cannot have one of its embeddings; `spaces` are the file's."""
    for place, embedding in enumerate(line.embeddings):
        where = f"{path}.embeddings[{place}]"
        if embedding.capsule != line.capsule.number:
            why = "an embedding names another capsule"
            raise InvalidArgument(f"{where}.capsule", embedding.capsule, str(line.capsule.number), why)
        space = spaces.get(embedding.space)
        if fault := embedding_fault(line.capsule, embedding, None if space is None else space.dimension):
            raise InvalidArgument(where, embedding.space, _AS_ATTACHED, fault)
    for one, following in pairwise(line.embeddings):
        if following.space <= one.space:
            why = "embeddings stand once for each space, by its name"
            raise InvalidArgument(f"{path}.embeddings", following.space, _AS_ATTACHED, why)
