"""A reranker behind an endpoint of the kind that Cohere's API made common: Jina, vLLM, llama.cpp and others speak it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from recordance.errors import Json, ModelFailed
from recordance_adapters.driven.models.endpoint import Endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointReranker:
    """See Reranker. A call takes `seconds` at most; of a text the first `characters` are sent, under the name `texts_field`."""

    endpoint: Endpoint
    model: str
    seconds: float
    characters: int
    texts_field: str = "documents"

    def judge(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """See Reranker."""
        if not texts:
            return ()
        sent = {"model": self.model, "query": question[: self.characters]}
        answer = self.endpoint.ask({**sent, self.texts_field: [text[: self.characters] for text in texts]}, self.seconds)
        return _scores(answer, len(texts))


def _scores(answer: Json, count: int) -> Sequence[float]:
    """Return the scores in the order of what was sent; they come the best first."""
    results = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(results, list) or not all(isinstance(each, dict) for each in results):
        raise ModelFailed("no list of results", why="answered without any scores")
    found = {each.get("index"): each.get("relevance_score", each.get("score")) for each in results}
    if len(results) == count and len(found) < count:
        raise ModelFailed(f"{len(found)} of {count}", why="answered several scores for one text")
    if found.keys() != set(range(count)) or len(results) != count:
        raise ModelFailed(f"{len(results)} of {count}", why=f"answered {len(results)} scores for {count} texts")
    scores = [found[place] for place in range(count)]
    if not all(type(score) in (int, float) and math.isfinite(score) for score in scores):
        raise ModelFailed("a score that is no number", why="answered what is no score")
    return [float(score) for score in scores]
