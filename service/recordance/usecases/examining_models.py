"""Whether the models that are configured answer, and still fit what they made before (`doctor`; decision 10, W4).

Each is asked about one word of this program's own; nothing that anybody stored is sent.
"""

from collections.abc import Iterator

from recordance.domain.attaching import changed_model
from recordance.errors import ModelFailed
from recordance.ports.models import Embedder, Models
from recordance.usecases.examining import Finding, Verdict
from recordance.usecases.store import Store

_ASKED = "recordance"
_WITHOUT = "Recalls go on without that stage and say so; what is stored waits to be embedded."
_CHANGED = (
    "Bring the model back that made them, or begin a space of its own: by another name, or at an endpoint by `dimensions`. "
    "Recalls go on without that stage and say so."
)


def answering(store: Store, models: Models) -> Finding:
    """Each must answer, and the embedder give vectors of the dimension that its space has; none is needed for anything."""
    wrong = list(_faults(store, models))
    if wrong:
        told, advice = zip(*wrong, strict=True)
        return Finding("models", Verdict.WARN, "; ".join(told), " ".join(dict.fromkeys(advice)))
    named = [each.model for each in (models.embedder, models.reranker) if each is not None]
    return Finding("models", Verdict.OK, f"{' and '.join(named)} answer" if len(named) > 1 else f"{named[0]} answers")


def _faults(store: Store, models: Models) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with each model, and what to do."""
    try:
        if models.embedder is not None and (changed := _changed(store, models.embedder)) is not None:
            yield f"the embedder {changed}", _CHANGED
    except ModelFailed as failure:
        yield f"the embedder {failure.why}", _WITHOUT
    try:
        if models.reranker is not None:
            models.reranker.judge(_ASKED, [_ASKED])
    except ModelFailed as failure:
        yield f"the reranker {failure.why}", _WITHOUT


def _changed(store: Store, embedder: Embedder) -> str | None:
    vector = embedder.embed_question(_ASKED)
    with store.truth.reading() as reader:
        held = reader.space(embedder.model)
    if held is None or not held.vectors or held.space.dimension == vector.dimension:
        return None
    return changed_model(held.space, vector)
