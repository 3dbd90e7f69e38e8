"""What callers say to the pipeline: a question and its embedding, which stages run, how rankings become one (L10, L11, L16)."""

from collections.abc import Mapping
from dataclasses import replace

from recordance.errors import Json
from recordance.query.fence import LabelBarrier, Scope
from recordance.query.pipeline import MOST_WANTED, PipelineDefaults, PipelineFusion, PipelineQuery, Stage
from recordance.query.request import RecallRequest
from recordance.query.terms import read_question
from recordance.usecases.absence import NamedFence
from recordance_adapters.wire import limits
from recordance_adapters.wire.declaration import Parameter, Presence, Values
from recordance_adapters.wire.filters import fences_of, stated_of
from recordance_adapters.wire.kinds import distinct, flag, list_of, question, whole, word
from recordance_adapters.wire.scopes import searched
from recordance_adapters.wire.vectors import vector

DEFAULT_LIMIT = 10
"""How many hits are shown where the caller does not say."""

QUERY = Parameter(
    name="query",
    kind=question(),
    description="What you want to know, in your own words.",
    presence=Presence.REQUIRED,
    example="which tokio version do we pin",
    missing="a recall needs something to look for",
    mistaken_for=("terms", "q", "text", "question", "search"),
)
QUERY_EMBEDDING = Parameter(name="query_embedding", kind=vector(), mistaken_for=("embedding", "vector", "query_vector"))
LIMIT = Parameter(
    name="limit",
    kind=whole(1, limits.COUNT),
    description=f"At most {MOST_WANTED}.",
    default=DEFAULT_LIMIT,
    mistaken_for=("k", "top_k", "n"),
)
FUSION = Parameter(name="fusion", kind=word(PipelineFusion))
RERANK = Parameter(name="rerank", kind=flag(), description="A configured model rereads the best.", default=False)
DIVERSE = Parameter(name="diverse", kind=flag(), description="Fewer near repetitions.", default=False, mistaken_for=("mmr",))
STAGES = Parameter(
    name="stages",
    kind=distinct(list_of(word(Stage), len(Stage), 1)),
    description="Only these run.",
    mistaken_for=("stage", "tiers"),
)


def pipeline_query(raw: Mapping[str, Json], given: Values, defaults: PipelineDefaults) -> PipelineQuery:
    """Return the checked question that read arguments ask the pipeline; raises InvalidArgument.

    Of the parameters above and the filters, each counts that the tool declares; `stages` says which run, else the configuration
    does, and `rerank` and `diverse` add theirs.
    """
    base = RecallRequest(
        terms=read_question(given["query"]),
        embedding=given.get("query_embedding"),
        scope=Scope(fences_of(given)),
        stated=stated_of(raw, given),
        search_scope=searched(given),
    )
    asked = {Stage.RERANK: given.get("rerank"), Stage.MMR: given.get("diverse")}
    stages = frozenset(given.get("stages", defaults.mode.stages)) | {stage for stage, wanted in asked.items() if wanted}
    return PipelineQuery(
        base=base,
        question=given["query"],
        stages=stages,
        tuning=replace(defaults.tuning, fusion=given.get("fusion", defaults.tuning.fusion)),
        wanted=min(given.get("limit", DEFAULT_LIMIT), MOST_WANTED),
    )


def named_fences(raw: Mapping[str, Json], given: Values) -> tuple[NamedFence, ...]:
    """Return the caller's fences one by one, each by its name as they wrote it; what fences telemetry out is not theirs."""
    return tuple(
        NamedFence(name, value, tuple(fence for fence in fences_of({name: given[name]}) if not isinstance(fence, LabelBarrier)))
        for name, value in stated_of(raw, given)
    )
