"""The one request that every recall dialect translates into (decision 5)."""

from dataclasses import dataclass

from recordance.domain.destination import Traits
from recordance.domain.embedding import DEFAULT_SPACE, Vector
from recordance.domain.instant import Instant
from recordance.domain.validity import TimeWindow
from recordance.query.exclusion import ExclusionReason
from recordance.query.fence import Scope, traits_of
from recordance.query.lane import Fusion, Lane, LaneChoice
from recordance.query.terms import Term

EVERYWHERE = Scope()
"""No fence at all."""
DEFAULT_TOKEN_BUDGET = 1_500
"""What a recall may spend on results when the caller names no budget (O3)."""
DEFAULT_VECTOR_K = 10
"""How many of the nearest a recall considers when the caller does not say (L4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """A checked recall.

    `scope` are the caller's fences without the effort's, which needs the store (`effort_id`, F5). `stated` are the fences as
    the caller gave them, name → value, for the answer's `scope` and an abstention's reason (O1). `as_of` replaces the clock's
    reading where validity is judged (F9); `admit` are waived exclusion reasons. `limit` None is no cap, `token_budget` counts
    tokens of four characters (O3). Both blends lie in 0..1, 0 being none (L7); `min_support` in 0..1 or None (O12). `embedding`
    is finite and not all zero, and there whenever a lane needs it; the lanes that need none neither read nor judge it (L1, L2).
    `space` names the vectors that it is compared with (W4). `search_scope` are the names of what is searched, none being the
    configured default (D2).
    """

    terms: tuple[Term, ...]
    lane: LaneChoice = LaneChoice.AUTO
    embedding: Vector | None = None
    space: str = DEFAULT_SPACE
    vector_k: int = DEFAULT_VECTOR_K
    fusion: Fusion = Fusion.RRF
    scope: Scope = EVERYWHERE
    stated: tuple[tuple[str, object], ...] = ()
    effort_id: str | None = None
    window: TimeWindow | None = None
    as_of: Instant | None = None
    admit: frozenset[ExclusionReason] = frozenset()
    limit: int | None = None
    token_budget: int = DEFAULT_TOKEN_BUDGET
    weight_blend: float = 0.0
    corroboration_blend: float = 0.0
    min_support: float | None = None
    search_scope: tuple[str, ...] = ()

    @property
    def traits(self) -> Traits:
        """What the fences say of where the recall belongs (D1)."""
        return traits_of(self.scope)

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes that run (L1)."""
        match self.lane:
            case LaneChoice.TERM:
                return (Lane.TERM,)
            case LaneChoice.VECTOR:
                return (Lane.VECTOR,)
            case LaneChoice.FUSED:
                return (Lane.TERM, Lane.VECTOR)
            case LaneChoice.AUTO:
                return (Lane.TERM,) if self.embedding is None else (Lane.TERM, Lane.VECTOR)
