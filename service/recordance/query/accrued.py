"""What `recall` asks: a question, how many of the best, and what is wanted beside them (L11, L13, L18, O8, O9, O10)."""

from dataclasses import dataclass
from enum import StrEnum

from recordance.query.request import RecallRequest

DEFAULT_K = 10
"""How many hits when the caller does not say (O10)."""
MOST_K = 50
"""How many at most; whoever asks for more is told so (O10)."""
LEAST_POOL = 50
"""How many candidates of each lane are weighed by their value at least (L12)."""
_POOL_FACTOR = 4


class RerankBy(StrEnum):
    """By what the hits found are ordered (L18)."""

    RELEVANCE = "relevance"
    VALUE = "value"
    RECENCY = "recency"
    CONFIDENCE = "confidence"


class Detail(StrEnum):
    """How much of a hit is shown (O10)."""

    COMPACT = "compact"
    FULL = "full"


class Wish(StrEnum):
    """What a caller may want beside the hits."""

    TRUSTED_ONLY = "trusted_only"
    """Only what a trusted key or source stands behind (F11)."""
    WARRANT = "with_warrant"
    """A tier with every hit (O8)."""
    RESOLVED = "resolve_conflicts"
    """What restates a retired value falls below its correction (O9)."""
    PROJECT = "all_projects"
    """Every hit names its project (F10)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccruedRequest:
    """A checked `recall`.

    `base` holds the question's words, every fence, what is waived, and the embedding. `k` is 1 to 50, `asked_k` what the caller
    sent. `balance` in 0..1 asks for diversity, None for none (L11). `snippet` is how many characters of a text are shown, 0 being
    all. `project` is what the recall is fenced to beside the unstamped, None meaning every project (F10).
    """

    base: RecallRequest
    question: str
    k: int = DEFAULT_K
    asked_k: int = DEFAULT_K
    balance: float | None = None
    rerank: RerankBy = RerankBy.RELEVANCE
    detail: Detail = Detail.COMPACT
    snippet: int = 0
    wishes: frozenset[Wish] = frozenset()
    project: str | None = None

    @property
    def pool(self) -> int:
        """How many candidates of each lane are weighed: max(4 k, 50)."""
        return max(_POOL_FACTOR * self.k, LEAST_POOL)
