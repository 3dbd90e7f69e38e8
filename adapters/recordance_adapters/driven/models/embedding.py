"""An embedder behind an endpoint of the kind that OpenAI's API made common: Ollama, vLLM, llama.cpp and others speak it."""

from collections.abc import Sequence
from dataclasses import dataclass

from recordance.domain.embedding import Vector
from recordance.domain.vector_reading import read_vector
from recordance.errors import InvalidArgument, Json, ModelFailed
from recordance_adapters.driven.models.endpoint import Endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointEmbedder:
    """See Embedder. `name` is the model's for the endpoint, `model` the one that the space bears.

    A call takes `seconds`, one with contents `batch_seconds` at most. Of a text the first `characters` are sent, behind the
    prefix of its kind. `dimensions` is asked for where it is given, and must come back.
    """

    endpoint: Endpoint
    name: str
    seconds: float
    batch_seconds: float
    characters: int
    dimensions: int | None = None
    question_prefix: str = ""
    content_prefix: str = ""

    @property
    def model(self) -> str:
        """See Embedder: vectors that were cut to other dimensions are of another space."""
        return self.name if self.dimensions is None else f"{self.name}@{self.dimensions}"

    def embed_question(self, text: str) -> Vector:
        """See Embedder."""
        return self._embedded([self.question_prefix + text[: self.characters]], self.seconds)[0]

    def embed_contents(self, texts: Sequence[str]) -> Sequence[Vector]:
        """See Embedder."""
        return self._embedded([self.content_prefix + text[: self.characters] for text in texts], self.batch_seconds)

    def _embedded(self, texts: Sequence[str], seconds: float) -> Sequence[Vector]:
        if not texts:
            return ()
        cut = {} if self.dimensions is None else {"dimensions": self.dimensions}
        answer = self.endpoint.ask({"model": self.name, "input": list(texts), **cut}, seconds)
        vectors = [_vector(each) for each in _in_order(answer, len(texts))]
        dimensions = {vector.dimension for vector in vectors}
        wanted = self.dimensions
        if len(dimensions) != 1 or wanted not in (None, *dimensions):
            found = ", ".join(map(str, sorted(dimensions)))
            expected = "" if wanted is None else f" where {wanted} were asked for"
            raise ModelFailed(f"dimensions {found}", why=f"answered vectors of {found} components{expected}")
        return vectors


def _in_order(answer: Json, count: int) -> Sequence[Json]:
    """Return the entries of an answer in the order of what was sent."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not all(isinstance(each, dict) for each in data):
        raise ModelFailed("no list under `data`", why="answered without any vectors")
    if len(data) != count:
        raise ModelFailed(f"{len(data)} of {count}", why=f"answered {len(data)} vectors for {count} texts")
    places = [each.get("index", place) for place, each in enumerate(data)]
    if sorted(places, key=str) != sorted(range(count), key=str):
        raise ModelFailed("indexes that do not fit", why="answered vectors that do not tell for which text each is")
    return [each for _, each in sorted(zip(places, data, strict=True), key=lambda pair: int(pair[0]))]


def _vector(entry: Json) -> Vector:
    numbers = entry.get("embedding")
    try:
        return read_vector(numbers if isinstance(numbers, list) else [], "embedding")
    except InvalidArgument as refusal:
        raise ModelFailed(f"no usable vector: {refusal.why}", why="answered what is no vector with a direction") from None
