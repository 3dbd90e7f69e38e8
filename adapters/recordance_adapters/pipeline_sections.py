"""The table of the configuration file that says how recalls in natural language run and what ranks them (L10, L12)."""

from typing import Annotated

from pydantic import Field

from recordance.query.pipeline import (
    DEFAULT_TUNING,
    BlendWeights,
    PipelineDefaults,
    PipelineFusion,
    RecallMode,
    Tuning,
)
from recordance_adapters.section import Section

_BLEND = DEFAULT_TUNING.blend
_DIGITS = "0 to 1: "
Weight = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False, strict=True)]


class BlendSettings(Section):
    """What the score of a hit is made of: (Σ weight × factor) × (steady + decay × what has not decayed)."""

    similarity: Weight = Field(default=_BLEND.similarity, description=_DIGITS + "how well it fits beside the best")
    freshness: Weight = Field(default=_BLEND.freshness, description=_DIGITS + "how long it has held, 7 to 180 days")
    reinforcement: Weight = Field(default=_BLEND.reinforcement, description=_DIGITS + "how often it helped, five times at most")
    importance: Weight = Field(default=_BLEND.importance, description=_DIGITS + "its importance")
    steady: Weight = Field(default=_BLEND.steady, description=_DIGITS + "what age leaves of the score in any case")
    decay: Weight = Field(default=_BLEND.decay, description=_DIGITS + "what age takes away, half of it in 90 days")


class PipelineSettings(Section):
    """How recalls in natural language run."""

    recall_mode: RecallMode = Field(
        default=RecallMode.FULL, description="full, or fast: words and vectors alone, without near spellings and graph"
    )
    fusion: PipelineFusion = Field(default=DEFAULT_TUNING.fusion, description=f"one of {', '.join(PipelineFusion)}")
    balance: Weight = Field(default=DEFAULT_TUNING.balance, description=_DIGITS + "what diverse gives to relevance, 1 being all")
    blend: BlendSettings = Field(default=BlendSettings(), description="a table with the weights of a score's factors")


class PipelineSections(Section):
    """The table, as part of the settings."""

    pipeline: PipelineSettings = Field(
        default=PipelineSettings(), description="a table with recall_mode, fusion, balance and blend"
    )

    def pipeline_defaults(self) -> PipelineDefaults:
        """Return it as the core takes it."""
        said = self.pipeline
        blend = BlendWeights(**said.blend.model_dump())
        return PipelineDefaults(mode=said.recall_mode, tuning=Tuning(fusion=said.fusion, balance=said.balance, blend=blend))
