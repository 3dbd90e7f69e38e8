"""The exclusion reasons as SQL, held to `first_exclusion` (F6). No condition is ever NULL, so that each can be negated."""

from sqlalchemy import and_, false, not_, or_
from sqlalchemy.sql import ColumnElement

from recordance.domain.instant import Instant
from recordance.domain.review import ReviewState
from recordance.domain.validity import TimeWindow
from recordance.query.exclusion import Eligibility, ExclusionReason
from recordance_adapters.driven.sql_truth.tables import capsule

Condition = ColumnElement[bool]
_PROPOSALS = (ReviewState.PROPOSED.value, ReviewState.REJECTED.value)


def excluding(eligibility: Eligibility) -> tuple[tuple[ExclusionReason, Condition], ...]:
    """Return, in F6's order, each reason that is not waived with the condition on rows of `capsule` under which it holds."""
    at = eligibility.at
    reasons = (
        (ExclusionReason.QUARANTINED, capsule.c.quarantined_at.is_not(None)),
        (ExclusionReason.FALSIFIED, capsule.c.falsified_at.is_not(None)),
        (ExclusionReason.ARCHIVED, capsule.c.archived_at.is_not(None)),
        (ExclusionReason.SUPERSEDED, _reached(capsule.c.superseded_at, at)),
        (ExclusionReason.EXPIRED, _reached(capsule.c.valid_to, at)),
        (ExclusionReason.NOT_YET_VALID, capsule.c.valid_from > at),
        *_untimely(eligibility.window),
        (ExclusionReason.PROPOSED, and_(capsule.c.review.is_not(None), capsule.c.review.in_(_PROPOSALS))),
    )
    return tuple((reason, holds) for reason, holds in reasons if reason not in eligibility.admit)


def may_ground(eligibility: Eligibility) -> list[Condition]:
    """Return the conditions that all hold of a row exactly when `first_exclusion` finds no reason."""
    return [not_(holds) for _, holds in excluding(eligibility)]


def _reached(column: ColumnElement[int], at: Instant) -> Condition:
    return and_(column.is_not(None), column <= at)


def _untimely(window: TimeWindow | None) -> tuple[tuple[ExclusionReason, Condition], ...]:
    if window is None:
        return ()
    dated = capsule.c.event_from.is_not(None)
    ended = false() if window.start is None else capsule.c.event_to < window.start
    unbegun = false() if window.end is None else capsule.c.event_from > window.end
    return (
        (ExclusionReason.OUTSIDE_TIME_WINDOW, and_(dated, or_(ended, unbegun))),
        (ExclusionReason.UNDATED, not_(dated)),
    )
