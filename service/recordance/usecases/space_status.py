"""How each space of a store stands: its vectors, what waits for one, and the index that follows it (W4, decision 10)."""

from contextlib import suppress

from recordance.errors import Fault, Json
from recordance.ports.truth import OccupiedSpace
from recordance.usecases.embed_stored import waiting
from recordance.usecases.store import Store
from recordance.usecases.vector_view import FollowedVectors


def index_view(followed: FollowedVectors) -> dict[str, Json]:
    """Return how far an index is; one that cannot be opened has nothing applied, and the doctor says why."""
    with suppress(Fault):
        followed.open()
    status = followed.status()
    return {"applied": status.applied, "waiting": status.head - status.applied}


def space_views(store: Store, embedding: str | None) -> list[dict[str, Json]]:
    """Return `{name, dimension?, model?, vectors, waiting?, index?}` of every space; `embedding` is that of the embedder.

    `waiting` is how many capsules the embedder has yet to embed, `index` how far the index of a model's space is. A space with
    neither is one that a model has left which is no longer configured: nothing is embedded into it, nor compared with it.
    """
    with store.truth.reading() as reader:
        views = {each.space.name: _occupied(each) for each in reader.spaces()}
        if embedding is not None:
            views.setdefault(embedding, {"name": embedding, "model": embedding, "vectors": 0})
            views[embedding]["waiting"] = waiting(reader, embedding)
    for name, followed in store.spaces.items():
        if name in views:
            views[name]["index"] = index_view(followed)
    return list(views.values())


def _occupied(occupied: OccupiedSpace) -> dict[str, Json]:
    space = occupied.space
    model = {} if space.model is None else {"model": space.model}
    return {"name": space.name, "dimension": space.dimension, **model, "vectors": occupied.vectors}
