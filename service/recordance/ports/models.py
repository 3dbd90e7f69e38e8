"""Models: a place for one that embeds and one that judges pairs, off unless somebody configures it (decision 10).

No rule depends on a model. Where one fails, is late or is not there, its stage is skipped, and the answer says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from recordance.domain.embedding import Vector


class Embedder(Protocol):
    """Turns texts into vectors of one space, which bears the model's name (W4). Safe for threads."""

    @property
    def model(self) -> str:
        """The model's name, which names its space."""
        ...

    def embed_question(self, text: str) -> Vector:
        """Return the vector of what is asked. Raises ModelFailed, within the time that was configured for a call."""
        ...

    def embed_contents(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return the vectors of contents, in order. Raises ModelFailed, within the time that was configured for a call."""
        ...


class Reranker(Protocol):
    """Judges how well each text answers a question, reading both together. Safe for threads."""

    @property
    def model(self) -> str:
        """The model's name."""
        ...

    def judge(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return a score for each text, in order, the higher the better. Raises ModelFailed, within the time for a call."""
        ...


@dataclass(frozen=True, slots=True)
class Models:
    """The models of this service; None where none is configured."""

    embedder: Embedder | None = None
    reranker: Reranker | None = None

    @property
    def embedding(self) -> str | None:
        """The name of the space that the embedder embeds into; None where there is no embedder."""
        return None if self.embedder is None else self.embedder.model


NO_MODELS = Models()
