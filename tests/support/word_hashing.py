"""An embedder that hashes words into a vector: equal words, equal directions. It knows no meaning, and is the same everywhere."""

import hashlib
import math
from collections.abc import Callable, Sequence

from recordance.domain.embedding import Vector, vector_of
from recordance.query.folding import fold_words

DIMENSION = 64


def nothing_before(_: Sequence[str]) -> None:
    """Do nothing before a batch is embedded."""


class WordHashing:
    """See Embedder. `before` is called with the contents of each batch, and may raise in the model's place."""

    def __init__(self, model: str = "word-hashing", before: Callable[[Sequence[str]], None] = nothing_before) -> None:
        self.model = model
        self.batches: list[list[str]] = []
        self._before = before

    def embed_question(self, text: str) -> Vector:
        """See Embedder."""
        return hashed(text)

    def embed_contents(self, texts: Sequence[str]) -> Sequence[Vector]:
        """See Embedder."""
        self.batches.append(list(texts))
        self._before(texts)
        return [hashed(text) for text in texts]


def hashed(text: str) -> Vector:
    """Return the vector of a text's words, of length 1."""
    counts = [0.0] * DIMENSION
    for word in fold_words(text) or [text]:
        counts[int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big") % DIMENSION] += 1.0
    length = math.hypot(*counts)
    return vector_of([count / length for count in counts])
