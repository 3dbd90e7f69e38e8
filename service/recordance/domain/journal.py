"""The journal: the append-only list of writes that everything derived follows (decision 1, W12)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from recordance.domain.instant import Instant

Value = str | int | float | None
"""What a journal row may carry of a field: an enum's word, a number, an instant or a label. Never free text (W12)."""


ARRIVED = "arrived"
"""The value of a row that tells of a revision made elsewhere: its actor merged it in and did not write it."""


class Op(StrEnum):
    """What a journal row tells of."""

    CAPTURED = "captured"
    REVISED = "revised"
    SUPERSEDED = "superseded"
    REVIVED = "revived"
    FALSIFIED = "falsified"
    VINDICATED = "vindicated"
    ARCHIVED = "archived"
    RESTORED = "restored"
    QUARANTINED = "quarantined"
    RELEASED = "released"
    REVIEWED = "reviewed"
    TOMBSTONED = "tombstoned"
    RELATED = "related"
    UNRELATED = "unrelated"
    ALIASED = "aliased"
    UNALIASED = "unaliased"
    FED_BACK = "fed_back"
    CORROBORATED = "corroborated"
    EMBEDDED = "embedded"


INDEXED_OPS = frozenset(
    {
        Op.CAPTURED,
        Op.REVISED,
        Op.SUPERSEDED,
        Op.REVIVED,
        Op.FALSIFIED,
        Op.VINDICATED,
        Op.ARCHIVED,
        Op.RESTORED,
        Op.QUARANTINED,
        Op.RELEASED,
        Op.REVIEWED,
        Op.TOMBSTONED,
    }
)
"""The writes after which a term follower must look at the capsule again; the others leave its document as it was."""

VECTOR_OPS = frozenset({Op.REVISED, Op.TOMBSTONED, Op.EMBEDDED})
"""The writes after which a vector follower must look at the capsule again."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One write as it is about to be journalled: the store adds its seq."""

    op: Op
    capsule: int | None
    revision: int | None
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class JournalRow:
    """One write as the journal holds it. `seq` grows by one per row, in commit order, without gaps."""

    seq: int
    at: Instant
    actor: str
    op: Op
    capsule: int | None
    revision: int | None
    values: Mapping[str, Value]
