"""One run of the pipeline as values: what became of each stage, the table of all candidates, the hits (L10, L12)."""

from dataclasses import dataclass
from enum import StrEnum

from recordance.domain.capsule import Capsule, CapsuleText
from recordance.query.pipeline import Stage
from recordance.ranking.blended import Factors
from recordance.ranking.claim import Claim
from recordance.ranking.pipeline import Fused, LaneHit


class StageState(StrEnum):
    """What became of a stage."""

    RAN = "ran"
    OFF = "off"
    """Nobody asked for it."""
    SKIPPED = "skipped"
    """It was asked for, and could not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRun:
    """One stage: what became of it, why, what it found or in which order it left things, and how long it took.

    `why` is empty where there is nothing to say; `seconds` is 0 unless a stopwatch was handed in.
    """

    stage: Stage
    state: StageState
    why: str = ""
    hits: tuple[LaneHit, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A capsule in the final order: its rank and score in the fusion, and what its own score is blended of (L12)."""

    capsule: Capsule
    fused: Fused
    fused_rank: int
    factors: Factors
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineHit:
    """A capsule that answers, with its text.

    `similarity` in 0..1 says how well it fits beside the one that fits best, `score` in which order it stands (L12); `via` are
    the lanes that found it; `matched` are the words, aliases and near spellings that did.
    """

    capsule: Capsule
    text: CapsuleText
    similarity: float
    score: float
    factors: Factors
    via: tuple[Stage, ...]
    matched: tuple[str, ...]
    claim: Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineRun:
    """What the pipeline made of a question in one store: its stages, all rows in their final order, the wanted ones as hits."""

    stages: tuple[StageRun, ...]
    rows: tuple[Row, ...]
    hits: tuple[PipelineHit, ...]
