"""Reading pages, neighbours, projects and revisions (L8, L14, W11, W12)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from sqlalchemy import bindparam, select
from sqlalchemy.sql import ColumnElement

from recordance.domain.capsule import CapsuleText, LabelField
from recordance.domain.identity import StoreIdentity
from recordance.domain.instant import Instant
from recordance.domain.provenance import Anchor
from recordance.ports.truth import Attested, BrowseOrder, BrowseRequest, ListPage, ProjectCount
from recordance.query.exclusion import Eligibility
from recordance.query.fence import Fence, MarkFence, MarkField, Scope, SubtreeFence
from recordance_adapters.driven.sql_truth.browsing import (
    attested_by,
    by_project,
    how_many,
    in_order,
    in_session,
    neighbours,
    page_of,
    projects_of,
    seen,
)
from recordance_adapters.driven.sql_truth.capsule_rows import ANCHOR_COLUMNS, TEXT_COLUMNS, digest, text_of
from recordance_adapters.driven.sql_truth.fenced import FencedReading, large_fences, small_fences
from recordance_adapters.driven.sql_truth.fencing import bearing_one, walked
from recordance_adapters.driven.sql_truth.rows import Prepared, Rows
from recordance_adapters.driven.sql_truth.tables import anchor, capsule_revision

_EVERY_ROW = 2**31 - 1
_BROAD = 8
"""A subtree that holds more than one capsule in so many is walked: to look up each row costs several times what it saves."""
_TEXTS = (
    select(*TEXT_COLUMNS)
    .where(capsule_revision.c.capsule == bindparam("number"))
    .order_by(capsule_revision.c.revision)
)  # fmt: skip
_ANCHORS = (
    select(*ANCHOR_COLUMNS)
    .where(anchor.c.capsule == bindparam("number"))
    .order_by(anchor.c.revision, anchor.c.position)
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Asked:
    """The compiled statements for neighbours."""

    earlier: Prepared
    later: Prepared


@dataclass(frozen=True, slots=True)
class _Browsed:
    """The compiled statements for a page; `counted` is None where the store's own count says how many there are."""

    page: Prepared
    counted: Prepared | None


class PageReading(FencedReading):
    """The part of TruthReader that walks a store rather than looking capsules up."""

    def __init__(self, rows: Rows, identity: StoreIdentity, version: str) -> None:
        super().__init__(rows, identity, version)
        self._asked: dict[tuple[Scope, Eligibility | None, bool], _Asked] = {}
        self._browsed: dict[tuple[Scope, MarkField | None, Eligibility | None, BrowseOrder], _Browsed] = {}

    def browsed(self, request: BrowseRequest) -> ListPage:
        """See TruthReader."""
        asked, given = self._pages(request)
        beside = large_fences(request.scope)
        if beside:
            numbers = tuple(self.judged(self._numbers(asked.page, given, _EVERY_ROW, 0), beside))
            return ListPage(numbers[request.offset : request.offset + request.limit], len(numbers))
        total = self._counters.capsules if asked.counted is None else self._rows.run(asked.counted, **given)[0][0]
        wanted = request.limit and request.offset < total
        return ListPage(tuple(self._numbers(asked.page, given, request.limit, request.offset)) if wanted else (), total)

    def beside(self, number: int, before: int, after: int, scope: Scope, eligibility: Eligibility | None) -> Sequence[int]:
        """See TruthReader."""
        middle = self.capsules([number]).get(number)
        if middle is None or middle.standing.tombstoned_at is not None:
            return ()
        session = middle.labels.get(LabelField.SESSION)
        asked = self._neighbours(scope, eligibility, session)
        given = {} if session is None else {"session": session, "session_digest": digest(session)}
        judged = large_fences(scope)

        def nearest(prepared: Prepared, most: int) -> list[int]:
            """With fences that are judged here nobody knows how many rows it takes, so all are read."""
            rows = self._rows.run(prepared, number=number, most=_EVERY_ROW if judged else most, **given)
            return list(islice(self.judged([row[0] for row in rows], judged), most))

        return (*reversed(nearest(asked.earlier, before)), *nearest(asked.later, after))

    def projects(self, scope: Scope) -> Sequence[ProjectCount]:
        """See TruthReader."""
        conditions, judged = self._seen(scope, None), large_fences(scope)
        if judged:
            found = self._counted(self._rows.once(projects_of(conditions)), judged)
        else:
            found = (ProjectCount(*row) for row in self._rows.once(by_project(conditions)))
        return sorted(found, key=lambda each: (each.project is not None, each.project or ""))

    def attested(self, sources: Collection[str], signed: Collection[str]) -> Sequence[Attested]:
        """See TruthReader."""
        return [Attested(*row) for row in self._rows.once(attested_by(sources, signed))]

    def revisions(self, number: int) -> Sequence[CapsuleText]:
        """See TruthReader."""
        capsule = self.capsules([number]).get(number)
        if capsule is None or capsule.standing.tombstoned_at is not None:
            return ()
        anchors: dict[int, list[Anchor]] = {}
        for _, revision, _, *parts in self._rows.all(_ANCHORS, number=number):
            anchors.setdefault(revision, []).append(Anchor(*parts))
        return [text_of(row, tuple(anchors.get(row[1], ()))) for row in self._rows.all(_TEXTS, number=number)]

    def _seen(self, scope: Scope, eligibility: Eligibility | None) -> list[ColumnElement[bool]]:
        fences = small_fences(scope)
        broad = [fence for fence in fences if isinstance(fence, SubtreeFence) and self._is_broad(fence)]
        return [*seen([fence for fence in fences if fence not in broad], eligibility), *map(walked, broad)]

    def _is_broad(self, fence: SubtreeFence) -> bool:
        return self.corpus_within(fence.prefixes).capsules * _BROAD > self._counters.capsules

    def _neighbours(self, scope: Scope, eligibility: Eligibility | None, session: str | None) -> "_Asked":
        """Return the statements for neighbours; to compile them takes longer than to run them, and an answer has many hits."""
        key = (scope, eligibility, session is None)
        found = self._asked.get(key)
        if found is None:
            conditions = seen(small_fences(scope), eligibility)
            statements = neighbours(conditions if session is None else in_session(conditions))
            found = _Asked(self._rows.prepare(statements.earlier), self._rows.prepare(statements.later))
            self._asked[key] = found
        return found

    def _pages(self, request: BrowseRequest) -> tuple[_Browsed, Mapping[str, str]]:
        """Return the statements for a page with the mark that they are given: one recall browses by many marks in turn."""
        scope, mark = _mark_apart(request.scope)
        key = (scope, None if mark is None else mark.field, request.eligibility, request.order)
        found = self._browsed.get(key)
        if found is None:
            conditions = self._seen(scope, request.eligibility)
            if mark is not None:
                conditions.append(bearing_one(mark.field))
            page = self._rows.prepare(page_of(in_order(conditions, request.order)))
            found = _Browsed(page, self._rows.prepare(how_many(conditions)) if len(conditions) > 1 else None)
            self._browsed[key] = found
        return found, {} if mark is None else {"mark": digest(*mark.any_of)}

    def _numbers(self, page: Prepared, given: Mapping[str, str], most: int, skipped: int) -> list[int]:
        return [number for (number,) in self._rows.run(page, most=most, skipped=skipped, **given)]

    def _counted(self, rows: Sequence[tuple[int, str | None, int]], fences: Sequence[Fence]) -> Iterable[ProjectCount]:
        """Count the rows that these fences admit, by project."""
        admitted = set(self.judged([number for number, _, _ in rows], fences))
        captured: dict[str | None, list[int]] = {}
        for number, project, at in rows:
            if number in admitted:
                captured.setdefault(project, []).append(at)
        return [ProjectCount(project, len(each), Instant(max(each))) for project, each in captured.items()]


def _mark_apart(scope: Scope) -> tuple[Scope, MarkFence | None]:
    """Return a scope without its last fence where that is a single mark, and that fence."""
    match scope.fences:
        case (*others, MarkFence() as fence) if len(fence.any_of) == 1:
            return Scope(tuple(others)), fence
        case _:
            return scope, None
