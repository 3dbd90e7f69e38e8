"""How many matches may ground, and how many each reason claims first: one aggregation, no loop over matches (O2, F6)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recordance.query.exclusion import Eligibility, ExclusionReason
from recordance_adapters.driven.tantivy_terms.fields import STATE_BITS, STATES, Spans

EXACT_BOUND = 2**53
"""Beyond this an aggregation's bounds, which are double floats, no longer name every microsecond."""
_DECIDED = (ExclusionReason.QUARANTINED, ExclusionReason.FALSIFIED, ExclusionReason.ARCHIVED, ExclusionReason.SUPERSEDED)
"""The reasons that claim a match before any instant is looked at."""


@dataclass(frozen=True, slots=True)
class Level:
    """One field that splits matches in two at a bound: below it, and from it on. A reason claims one side, None the other."""

    field: str
    bound: int
    below: ExclusionReason | None
    beyond: ExclusionReason | None

    def claims(self) -> ExclusionReason | None:
        """Return the reason that claims one of its sides."""
        return self.below or self.beyond


def levels_of(eligibility: Eligibility, spans: Spans) -> tuple[Level, ...]:
    """Return the levels at which the reasons that depend on an instant claim matches, in F6's order."""
    at, window = eligibility.at, eligibility.window
    levels: list[Level] = []
    if spans.may_be_superseded_after(at):
        levels.append(Level("superseded_at", at + 1, ExclusionReason.SUPERSEDED, None))
    if spans.may_be_expired(at):
        levels.append(Level("valid_to", at + 1, ExclusionReason.EXPIRED, None))
    if spans.may_begin_after(at):
        levels.append(Level("valid_from", at + 1, None, ExclusionReason.NOT_YET_VALID))
    if window is not None and window.start is not None:
        levels.append(Level("event_to", window.start, ExclusionReason.OUTSIDE_TIME_WINDOW, None))
    if window is not None and window.end is not None:
        levels.append(Level("event_from", window.end + 1, None, ExclusionReason.OUTSIDE_TIME_WINDOW))
    return tuple(level for level in levels if level.claims() not in eligibility.admit)


def aggregation(levels: Sequence[Level]) -> dict[str, Any]:
    """Return what the engine is asked to count: matches by state, and within each state by the levels."""
    deeper: dict[str, Any] = {}
    for level in reversed(levels):
        split = {"field": level.field, "ranges": [{"to": level.bound}, {"from": level.bound}]}
        deeper = {"by": {"range": split, "aggs": deeper}}
    return {"by": {"terms": {"field": "state", "size": STATES}, "aggs": deeper}}


def counted(answer: Mapping[str, Any], levels: Sequence[Level], eligibility: Eligibility) -> Counter[ExclusionReason | None]:
    """Return how many matches each reason claims first, and under None how many may ground."""
    counts: Counter[ExclusionReason | None] = Counter()
    claiming = {level.claims() for level in levels}
    decided = [reason for reason in _DECIDED if reason not in eligibility.admit and reason not in claiming]
    settled = [ExclusionReason.UNDATED] if eligibility.window is not None else []
    settled = [reason for reason in (*settled, ExclusionReason.PROPOSED) if reason not in eligibility.admit]
    for bucket in answer["by"]["buckets"]:
        first = _first(decided, bucket)
        if first is not None:
            counts[first] += bucket["doc_count"]
        else:
            _count_levels(bucket, levels, _first(settled, bucket), counts)
    return counts


def _first(reasons: Sequence[ExclusionReason], bucket: Mapping[str, Any]) -> ExclusionReason | None:
    return next((reason for reason in reasons if int(bucket["key"]) & STATE_BITS[reason]), None)


def _count_levels(
    bucket: Mapping[str, Any],
    levels: Sequence[Level],
    settled: ExclusionReason | None,
    counts: Counter[ExclusionReason | None],
) -> None:
    if not levels:
        counts[settled] += bucket["doc_count"]
        return
    for side in bucket["by"]["buckets"]:
        claimed = levels[0].beyond if "from" in side else levels[0].below
        if claimed is not None:
            counts[claimed] += side["doc_count"]
        else:
            _count_levels(side, levels[1:], settled, counts)
