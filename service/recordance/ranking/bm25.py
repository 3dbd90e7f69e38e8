"""BM25 as the store's own content defines it (L17), in double precision.

k1 = 1.2, b = 0.75, idf(w) = ln(1 + (N − df + ½) / (df + ½)), and
score = Σ over w of idf(w) · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / mean length)).
Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf that never goes below zero.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

K1 = 1.2
B = 0.75
MILD_B = 0.3
"""What the length of a content weighs where words are added to cosines: measured, as B is the rule (L16)."""


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """How many unforgotten capsules there are, and how many words their contents have together (L17)."""

    capsules: int
    words: int

    @property
    def mean_length(self) -> float:
        """Words per capsule; 1.0 for an empty corpus, where nothing is scored."""
        return self.words / self.capsules if self.capsules and self.words else 1.0


def idf(document_frequency: int, capsules: int) -> float:
    """Return the weight of a word that `document_frequency` of `capsules` contents have."""
    return math.log1p((capsules - document_frequency + 0.5) / (document_frequency + 0.5))


class Bm25:
    """The scores of contents for words of these weights (word → idf), in one corpus; `b` in 0..1 is what their lengths weigh."""

    def __init__(self, weights: Mapping[str, float], corpus: CorpusStatistics, b: float = B) -> None:
        self._weights = weights
        self._b = b
        self._mean_length = corpus.mean_length

    def score(self, frequencies: Mapping[str, int], length: int) -> float:
        """Return the score, 0 or above, of a content of `length` words.

        `frequencies` maps each word that counts to how often the content has it (each at least once). The sum is rounded once, so
        the order of the words does not change a bit of it.
        """
        weights, norm = self._weights, K1 * (1.0 - self._b + self._b * length / self._mean_length)
        return math.fsum([weights[word] * count * (K1 + 1.0) / (count + norm) for word, count in frequencies.items()])
