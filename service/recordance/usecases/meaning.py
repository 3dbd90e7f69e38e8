"""What a question means, by the service's models where there are any (decision 10).

No answer depends on a model. Where none is configured, or the one that is fails, its stage is skipped, and the answer says why in
the words that come back from here.
"""

from collections.abc import Sequence
from dataclasses import replace

from recordance.errors import ModelFailed
from recordance.ports.models import Models
from recordance.query.lane import LaneChoice
from recordance.query.request import RecallRequest

NO_EMBEDDER = "no embedder is configured and no query_embedding came"
"""Why nothing is compared by meaning where neither side brought a vector."""
NO_QUESTION = "there are no words to embed"
"""Why nothing is compared by meaning where nothing is asked, as when a caller browses."""
NO_RERANKER = "no reranker is configured"
"""Why nothing is judged in pairs."""


def with_meaning(models: Models, request: RecallRequest, question: str) -> tuple[RecallRequest, str | None]:
    """Return the request with the question's vector and the space that it is to be compared in, or as it was with the reason.

    Whatever the caller sent is left alone, and a request for the term lane alone needs no vector (L1): neither has a reason. Call
    it once for a question, before any destination is asked. The model's own failure is the reason, never an error.
    """
    if request.embedding is not None or request.lane is LaneChoice.TERM:
        return request, None
    if models.embedder is None:
        return request, NO_EMBEDDER
    if not question.strip():
        return request, NO_QUESTION
    try:
        vector = models.embedder.embed_question(question)
    except ModelFailed as failure:
        return request, f"the embedder {failure.why}"
    return replace(request, embedding=vector, space=models.embedder.model), None


def reranked(models: Models, question: str, texts: Sequence[str]) -> tuple[Sequence[float] | None, str | None]:
    """Return a score for each text, in order, the higher the better; or None with the reason why there are none."""
    if models.reranker is None:
        return None, NO_RERANKER
    if not texts:
        return (), None
    if not question.strip():
        return None, "there are no words to judge the texts by"
    try:
        return models.reranker.judge(question, texts), None
    except ModelFailed as failure:
        return None, f"the reranker {failure.why}"
