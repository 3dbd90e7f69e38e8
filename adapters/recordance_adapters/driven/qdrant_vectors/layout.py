"""What a collection of ours looks like, so that one of somebody else's is neither searched nor emptied."""

from qdrant_client import models

from recordance_adapters.driven.qdrant_vectors.encoding import EVENT, LABELS

SCHEMA = "2"
"""Names what the fields of a point hold; a collection of ours of another version is begun anew."""
EPOCH = "epoch"
"""The field of the position that says whose it is."""
FIELDS = {
    # Tokens have the form of UUIDs, which are indexed in half of the memory that texts take.
    LABELS: models.UuidIndexParams(type=models.UuidIndexType.UUID),
    EVENT: models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, lookup=False, range=True),
    EPOCH: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD),
}
"""The fields that are asked about, with how they are indexed: servers may refuse to be asked about others."""


def objection(made: models.CollectionInfo, space: str, dimension: int | None) -> str | None:
    """Return why a collection without a position of ours is not ours; None where it may be taken and made anew.

    That is one of our layout, as a writer leaves it that ended in between, and one without any points that was prepared.
    """
    vectors = made.config.params.vectors
    sizes = _sizes(vectors)
    if dimension is not None and sizes and set(sizes.values()) != {dimension}:
        there = ", ".join(map(str, sorted(set(sizes.values()))))
        return f"holds vectors of {there} components where those of this store have {dimension}; name another one in its place"
    if list(sizes) == [space] and (not made.points_count or FIELDS.keys() <= made.payload_schema.keys()):
        return None
    return "was not made by this program; name another one in its place"


def _sizes(vectors: object) -> dict[str, int]:
    """Return the dimension of each named vector; a vector without a name bears the empty one."""
    match vectors:
        case models.VectorParams():
            return {"": vectors.size}
        case dict():
            return {name: each.size for name, each in vectors.items()}
        case _:
            return {}
