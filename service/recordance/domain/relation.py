"""Relations: typed, directed edges between capsules (W3)."""

from dataclasses import dataclass
from enum import StrEnum

from recordance.domain.instant import Instant


class RelationKind(StrEnum):
    """What one capsule is to another, read from → to (closed set, W3)."""

    SUPERSEDES = "supersedes"
    FALSIFIES = "falsifies"
    PART_OF = "part_of"
    DERIVED_FROM = "derived_from"
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    RELATES_TO = "relates_to"
    MENTIONS = "mentions"
    ABOUT = "about"
    GROUNDED_IN = "grounded_in"
    BLOCKS = "blocks"
    WITNESSES = "witnesses"
    PROPOSES = "proposes"


ACYCLIC = frozenset({RelationKind.SUPERSEDES, RelationKind.PART_OF, RelationKind.BLOCKS})
"""The kinds in which following the edges must come to an end (W3)."""


@dataclass(frozen=True, slots=True)
class Relation:
    """`source` stands in `kind` to `target`; both are capsule numbers. Idempotent by these three."""

    kind: RelationKind
    source: int
    target: int
    at: Instant


@dataclass(frozen=True, slots=True)
class Effort:
    """An epic with its direct members (F5, W9). `open` ends when the epic is witnessed or superseded."""

    epic: int
    members: frozenset[int]
    state: "EffortState"


class EffortState(StrEnum):
    """Whether an effort is still being worked on; a closed one stays recallable."""

    OPEN = "open"
    CLOSED = "closed"


class EffortRole(StrEnum):
    """What a result is to the effort that the recall is fenced to."""

    EPIC = "epic"
    MEMBER = "member"
