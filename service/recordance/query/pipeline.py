"""What a recall in natural language asks of the pipeline: its stages, how their rankings become one, and what that is weighed by.

L10, L11, L12, L16. Everything that was or may be measured stands here, in one place.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from recordance.query.lane import LaneChoice
from recordance.query.request import RecallRequest
from recordance.query.terms import Term, words_left_out


class Stage(StrEnum):
    """One step of the pipeline, in the order in which they run; each can be switched (L10)."""

    TERM = "term"
    """The question's words, by BM25."""
    SEMANTIC = "semantic"
    """What is near the question's embedding."""
    FUZZY = "fuzzy"
    """Near spellings of words that no capsule has."""
    GRAPH = "graph"
    """What the best hits are related to, and what shares an entity with them."""
    RERANK = "rerank"
    """A model that reads the question with each text."""
    MMR = "mmr"
    """What comes first also differs from what came before it (L11)."""


LANES = (Stage.TERM, Stage.SEMANTIC, Stage.FUZZY, Stage.GRAPH)
"""The stages that find something; the others reorder what was found."""
FAST_STAGES = frozenset({Stage.TERM, Stage.SEMANTIC})
"""What `memory_search_fast` runs, and every recall where the configuration says `recall_mode = "fast"`."""
DEFAULT_STAGES = frozenset(LANES)
"""What runs unless somebody asks for more."""


class RecallMode(StrEnum):
    """Which stages run by default: all that find something, or the first two alone (L10)."""

    FULL = "full"
    FAST = "fast"

    @property
    def stages(self) -> frozenset[Stage]:
        """The stages that run unless the caller switches some."""
        return FAST_STAGES if self is RecallMode.FAST else DEFAULT_STAGES


class PipelineFusion(StrEnum):
    """How the rankings of the lanes become one (L16)."""

    RRF = "rrf"
    """Σ weight ÷ (60 + rank)."""
    LEGACY = "legacy"
    """Σ weight × the lane's absolute score: the share of the question's words, the cosine."""
    CONVEX = "convex"
    """Σ weight × the lane's score between 0 and 1: the cosine, and of all else its part of the lane's highest."""

    @property
    def by_scores(self) -> bool:
        """Whether it asks words and meaning for everything that a lane brings in, and not for what they ranked alone."""
        return self is not PipelineFusion.RRF


@dataclass(frozen=True, slots=True)
class LaneShare:
    """With how many of its first ranks (≥ 1) a lane enters a fusion, and with what weight (above 0)."""

    depth: int
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BlendWeights:
    """What the blended score of a hit is made of (L12): (Σ weight × factor) × (steady + decay × what has not decayed)."""

    similarity: float = 0.55
    freshness: float = 0.15
    reinforcement: float = 0.10
    importance: float = 0.10
    steady: float = 0.7
    decay: float = 0.3


Shares = Mapping[Stage, LaneShare]


def _shares(semantic: float, fuzzy: float, graph: float) -> Shares:
    """Return the shares of the lanes beside words, which weigh 1."""
    return {
        Stage.TERM: LaneShare(30, 1.0),
        Stage.SEMANTIC: LaneShare(30, semantic),
        Stage.FUZZY: LaneShare(10, fuzzy),
        Stage.GRAPH: LaneShare(10, graph),
    }


DEFAULT_LANES: Mapping[PipelineFusion, Shares] = {
    PipelineFusion.RRF: _shares(semantic=0.35, fuzzy=0.05, graph=0.05),
    PipelineFusion.LEGACY: _shares(semantic=1.0, fuzzy=0.3, graph=0.2),
    PipelineFusion.CONVEX: _shares(semantic=1.0, fuzzy=0.3, graph=0.2),
}
"""Depths and weights, for each fusion its own: chosen on half of LoCoMo's conversations, by turns and by sessions, and reported
on the other half (`scripts/relevance`, L16). By ranks, vectors that weigh as much as words lose more sessions than turns gain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """How the pipeline fuses and blends; the defaults are measured, the blend's weights can be configured.

    `pool` bounds what each lane may find and what is ranked at all; `judged` is how many of the best a reranker reads;
    `balance` in 0..1 is what MMR gives to relevance, 1.0 being relevance alone (L11).
    """

    fusion: PipelineFusion = PipelineFusion.CONVEX
    lanes: Mapping[PipelineFusion, Shares] = field(default_factory=lambda: DEFAULT_LANES)
    pool: int = 60
    judged: int = 30
    balance: float = 0.7
    blend: BlendWeights = field(default_factory=BlendWeights)

    def share(self, stage: Stage) -> LaneShare:
        """Return how a lane enters the fusion that is chosen."""
        return self.lanes[self.fusion][stage]


DEFAULT_TUNING = Tuning()


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineDefaults:
    """What the configuration says of the pipeline: which stages run, and how it weighs."""

    mode: RecallMode = RecallMode.FULL
    tuning: Tuning = DEFAULT_TUNING


DEFAULT_PIPELINE = PipelineDefaults()
MOST_WANTED = 50
"""How many hits a recall shows at most (O10)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineQuery:
    """A checked question to the pipeline.

    `base` has the fences, the question's words as terms (`read_question`), and its embedding where there is one; `question` is
    its text as sent. `wanted` is how many of the hits somebody looks at: no order depends on it. `meaningless` is why there is no
    embedding, None where there is one or where nobody looked for one yet (`usecases.pipeline.with_embedding`).
    """

    base: RecallRequest
    question: str
    stages: frozenset[Stage] = DEFAULT_STAGES
    tuning: Tuning = DEFAULT_TUNING
    wanted: int = MOST_WANTED
    meaningless: str | None = None

    @property
    def terms(self) -> tuple[Term, ...]:
        """The distinct words of the question, each a term."""
        return self.base.terms

    @property
    def cut(self) -> str:
        """What to say of words that are not asked for being too many; empty where all are."""
        return words_left_out(self.question)

    @property
    def request(self) -> RecallRequest:
        """The base with the lanes that the stages need, as deep as the pool: what every destination is asked."""
        lane = LaneChoice.AUTO if Stage.SEMANTIC in self.stages else LaneChoice.TERM
        return replace(self.base, lane=lane, vector_k=self.tuning.pool)

    def showing(self, wanted: int) -> "PipelineQuery":
        """Return the same query of which so many hits are looked at."""
        return replace(self, wanted=wanted)
