"""Fences, reasons and terms as queries of the engine. What each means is the predicate's business (decision 4)."""

from collections.abc import Collection, Iterable, Sequence

import tantivy

from recordance.domain.capsule import LabelField
from recordance.domain.instant import Instant
from recordance.domain.validity import TimeWindow
from recordance.query.document import TermQuery
from recordance.query.exclusion import JUDGED, Eligibility, ExclusionReason
from recordance.query.fence import (
    CreationFence,
    EitherFence,
    Fence,
    LabelBarrier,
    LabelFence,
    MarkFence,
    MemberFence,
    Scope,
    SubtreeFence,
)
from recordance.query.terms import TermGroup
from recordance_adapters.driven.tantivy_terms.fields import Spans, field_of, label_token, reason_token, subtree_token

Query, Occur = tantivy.Query, tantivy.Occur
FEW_KEYS = 400
"""Up to so many capsules are asked for one by one; more are quicker as a set, whose cost hardly depends on its size."""


class Questions:
    """Builds queries for one schema."""

    def __init__(self, schema: tantivy.Schema) -> None:
        self._schema = schema

    def word(self, word: str) -> tantivy.Query:
        """Contents that have a word, scored by it; of marked words stems alone are made to score."""
        field = field_of(word)
        if field == "extra":
            return unscored(Query.term_query(self._schema, field, word, "basic"))
        return Query.term_query(self._schema, field, word, "freq")

    def label(self, token: str) -> tantivy.Query:
        """Capsules that bear a token."""
        return Query.term_query(self._schema, "label", token, "basic")

    def numbers(self, numbers: Collection[int]) -> tantivy.Query:
        """Capsules by number."""
        keys = [str(number) for number in numbers]
        if len(keys) > FEW_KEYS:
            return Query.term_set_query(self._schema, "key", keys)
        return any_of([Query.term_query(self._schema, "key", key, "basic") for key in keys])

    def within(self, field: str, first: int | None, last: int | None) -> tantivy.Query:
        """Capsules whose number in `field` lies in this interval; both ends inclusive, None is open, not both."""
        return Query.range_query(self._schema, field, tantivy.FieldType.Integer, first, last)

    def words(self, words: Iterable[str]) -> tantivy.Query:
        """Contents that have all of these words."""
        return all_of([self.word(word) for word in words])

    def group(self, group: TermGroup) -> tantivy.Query:
        """Contents that a term matches in any of its ways (T2, T7)."""
        return any_of([self.words(way) for way in dict.fromkeys(frozenset(way.words) for way in group.alternatives)])

    def matching(self, query: TermQuery) -> tantivy.Query:
        """All matches of a query that its fences admit, eligible or not."""
        return Query.boolean_query([(Occur.Must, self.covered(query)), *self.scope(query.scope)])

    def covered(self, query: TermQuery) -> tantivy.Query:
        """Contents that at least as many terms match as the query asks for."""
        groups = [self.group(group) for group in query.groups]
        if query.least_coverage <= 1:
            return any_of(groups)
        return Query.boolean_query([(Occur.Should, group) for group in groups], minimum_number_should_match=query.least_coverage)

    def scope(self, scope: Scope) -> list[tuple[tantivy.Occur, tantivy.Query]]:
        """Every fence of a scope as a clause."""
        return [self._clause(fence) for fence in scope.fences]

    def _clause(self, fence: Fence) -> tuple[tantivy.Occur, tantivy.Query]:
        if isinstance(fence, LabelBarrier):
            return Occur.MustNot, self._labels(fence.field, fence.none_of)
        return Occur.Must, unscored(self._fence(fence))

    def _fence(self, fence: LabelFence | SubtreeFence | MarkFence | CreationFence | MemberFence | EitherFence) -> tantivy.Query:
        match fence:
            case LabelFence(field, labels):
                return self._labels(field, labels)
            case SubtreeFence(prefixes):
                return any_of([self.label(subtree_token(prefix)) for prefix in prefixes])
            case MarkFence(field, marks):
                return any_of([self.label(label_token(field, mark)) for mark in marks])
            case CreationFence(None, None):
                return Query.all_query()
            case CreationFence(since, until):
                return self.within("captured_at", since, until)
            case MemberFence(numbers):
                return self.numbers(numbers)
            case EitherFence(scopes):
                return any_of([self._inside(scope) for scope in scopes])

    def _inside(self, scope: Scope) -> tantivy.Query:
        """Capsules that every fence of a scope admits; a query of its own, so that barriers have something to keep out of."""
        return Query.boolean_query([(Occur.Must, Query.all_query()), *self.scope(scope)])

    def _labels(self, field: LabelField, labels: Collection[str | None]) -> tantivy.Query:
        return any_of([self.label(label_token(field, label)) for label in labels])

    def exclusions(self, eligibility: Eligibility, spans: Spans) -> dict[ExclusionReason, tantivy.Query]:
        """Every reason that is not waived and that some capsule may meet, in F6's order, as a query for those who meet it."""
        queries = {reason: self._reason(reason, eligibility, spans) for reason, _ in JUDGED if reason not in eligibility.admit}
        return {reason: query for reason, query in queries.items() if query is not None}

    def _reason(self, reason: ExclusionReason, eligibility: Eligibility, spans: Spans) -> tantivy.Query | None:
        at, window = eligibility.at, eligibility.window
        match reason:
            case ExclusionReason.SUPERSEDED if spans.may_be_superseded_after(at):
                return self.within("superseded_at", None, at)
            case ExclusionReason.EXPIRED:
                return self.within("valid_to", None, at) if spans.may_be_expired(at) else None
            case ExclusionReason.NOT_YET_VALID:
                return self.within("valid_from", Instant(at + 1), None) if spans.may_begin_after(at) else None
            case ExclusionReason.OUTSIDE_TIME_WINDOW:
                return self._outside(window) if window is not None else None
            case ExclusionReason.UNDATED if window is None:
                return None
            case _:
                return self.label(reason_token(reason))

    def _outside(self, window: TimeWindow) -> tantivy.Query:
        sides = []
        if window.start is not None:
            sides.append(self.within("event_to", None, window.start - 1))
        if window.end is not None:
            sides.append(self.within("event_from", window.end + 1, None))
        return any_of(sides)


def any_of(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    """What any of the queries finds; nothing if there are none."""
    if len(queries) == 1:
        return queries[0]
    return Query.boolean_query([(Occur.Should, query) for query in queries]) if queries else Query.empty_query()


def all_of(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    """What every one of the queries finds; nothing if there are none."""
    if len(queries) == 1:
        return queries[0]
    return Query.boolean_query([(Occur.Must, query) for query in queries]) if queries else Query.empty_query()


def unscored(query: tantivy.Query) -> tantivy.Query:
    """The query, adding nothing to any score; the engine has no clause that only filters."""
    return Query.const_score_query(query, 0.0)


def without(query: tantivy.Query, *unwanted: tantivy.Query) -> tantivy.Query:
    """The query less what any of the unwanted ones finds."""
    if not unwanted:
        return query
    return Query.boolean_query([(Occur.Must, query), *((Occur.MustNot, each) for each in unwanted)])
