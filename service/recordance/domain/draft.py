"""A capsule as a caller would have it: typed and within limits, not yet numbered, hashed, or weighed against the store."""

from dataclasses import dataclass, field
from enum import StrEnum

from recordance.domain.capsule import LabelField, Labels
from recordance.domain.embedding import Vector
from recordance.domain.instant import Instant
from recordance.domain.provenance import Anchor
from recordance.domain.validity import EventRange


class Staging(StrEnum):
    """Whether a draft becomes a capsule at once, or a proposal that waits for a verdict (W5, F7)."""

    DIRECT = "direct"
    STAGED = "staged"


DEFAULT_CONFIDENCE = 0.6
DEFAULT_IMPORTANCE = 0.5
DEFAULT_VALUE = 1.0
DEFAULT_SOURCE = "unstated"


@dataclass(frozen=True, slots=True, kw_only=True)
class CapsuleDraft:
    """What `memory_store` takes for one capsule (W1, WIRE.md "Writing"); None means left out.

    `supersedes` are capsule numbers, and `named_in` the destinations that their ids named, None for a bare one; left out, all are
    of the draft's own. `destination` is where the caller wants it, None leaves that to the routing rules (D6). `labels` hold
    closed vocabularies already checked; what is left out of them gets its default when the capsule is made (authority_class
    agent-inferred; origin_interface and agent are never guessed). `embedding` is finite and not all zero (L2).
    """

    content: str
    headline: str | None = None
    source: str = DEFAULT_SOURCE
    labels: Labels = field(default_factory=dict[LabelField, str])
    anchors: tuple[Anchor, ...] = ()
    confidence: float = DEFAULT_CONFIDENCE
    importance: float = DEFAULT_IMPORTANCE
    value: float = DEFAULT_VALUE
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    event: EventRange | None = None
    proof_hint: str | None = None
    stale_if: str | None = None
    signature: str | None = None
    tags: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    supersedes: tuple[int, ...] = ()
    named_in: tuple[str | None, ...] = ()
    destination: str | None = None
    staging: Staging = Staging.DIRECT
    embedding: Vector | None = None
