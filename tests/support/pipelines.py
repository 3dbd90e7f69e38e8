"""Runs of the pipeline against one store: what is needed to ask in one line and to look at every stage."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from recordance.domain.caller import Caller
from recordance.domain.embedding import Vector, vector_of
from recordance.errors import ModelFailed
from recordance.ports.models import NO_MODELS, Models
from recordance.query.fence import Fence, Scope
from recordance.query.pipeline import DEFAULT_TUNING, PipelineQuery, Stage, Tuning
from recordance.query.request import RecallRequest
from recordance.query.terms import read_question
from recordance.ranking.pipeline_run import PipelineRun, StageRun
from recordance.usecases.looking import look_at
from recordance.usecases.pipeline import run_pipeline, with_embedding
from recordance.usecases.store import Store
from support.recalls import ANYBODY


def asked(
    question: str, *, embedding: Sequence[float] | None = None, fences: Iterable[Fence] = (), base: Any = None, **given: Any
) -> PipelineQuery:
    """A query with these fields of PipelineQuery; `base` are further fields of its request."""
    request = RecallRequest(
        terms=read_question(question),
        embedding=None if embedding is None else vector_of(embedding),
        scope=Scope(tuple(fences)),
        **(base or {}),
    )
    return PipelineQuery(base=request, question=question, **given)


def run(store: Store, query: PipelineQuery, models: Models = NO_MODELS, caller: Caller = ANYBODY) -> PipelineRun:
    """Run a query on a store, its question embedded first if the models can."""
    query = with_embedding(models, query)
    with look_at(store, caller, query.request) as look:
        return run_pipeline(look, query, models)


def numbers(found: PipelineRun) -> list[int]:
    """Return the numbers of the hits, best first."""
    return [hit.capsule.number for hit in found.hits]


def stage(found: PipelineRun, which: Stage) -> StageRun:
    """Return what became of a stage."""
    return next(each for each in found.stages if each.stage is which)


def found_by(found: PipelineRun, which: Stage) -> list[int]:
    """Return the numbers that a stage found, or left in this order."""
    return [hit.number for hit in stage(found, which).hits]


def tuned(**given: Any) -> Tuning:
    """The default tuning with some of its fields changed."""
    return replace(DEFAULT_TUNING, **given)


@dataclass(frozen=True)
class ToyReranker:
    """Judges texts by a function of question and text; without one it fails."""

    judged: Callable[[str, str], float] | None = None
    model: str = "toy-reranker"

    def judge(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """See Reranker."""
        if self.judged is None:
            raise ModelFailed(self.model, why="did not answer within 1 s")
        return [self.judged(question, text) for text in texts]


@dataclass(frozen=True)
class ToyEmbedder:
    """Gives every question one vector; without one it fails."""

    vector: Vector | None = None
    model: str = "default"

    def embed_question(self, text: str) -> Vector:
        """See Embedder."""
        if self.vector is None:
            raise ModelFailed(text, why="did not answer within 1 s")
        return self.vector

    def embed_contents(self, texts: Sequence[str]) -> Sequence[Vector]:
        """See Embedder."""
        return [self.embed_question(text) for text in texts]
