"""Pages of what a scope and an eligibility leave, neighbours and projects: fences and reasons as SQL, no text read (L8, L14)."""

from collections.abc import Collection, Sequence

from sqlalchemy import Select, and_, func, or_, select
from sqlalchemy.sql import ColumnElement

from recordance.domain.capsule import LabelField
from recordance.ports.truth import BrowseOrder
from recordance.query.exclusion import Eligibility
from recordance.query.fence import Fence, LabelFence
from recordance_adapters.driven.sql_truth.excluding import may_ground
from recordance_adapters.driven.sql_truth.fencing import admitted
from recordance_adapters.driven.sql_truth.tables import capsule, capsule_revision

Conditions = Sequence[ColumnElement[bool]]

_ORDERS: dict[BrowseOrder, tuple[ColumnElement[object], ...]] = {
    BrowseOrder.IMPORTANCE: (
        capsule.c.importance.desc(), capsule.c.confidence.desc(), capsule.c.updated_at.desc(), capsule.c.number,
    ),
    BrowseOrder.NEWEST: (capsule.c.captured_at.desc(), capsule.c.number.desc()),
    BrowseOrder.APPENDED: (capsule.c.number,),
}  # fmt: skip


def seen(fences: Sequence[Fence], eligibility: Eligibility | None) -> list[ColumnElement[bool]]:
    """Return the conditions on rows of `capsule`: unforgotten, inside each fence, and eligible where that is asked for."""
    judged = [] if eligibility is None else may_ground(eligibility)
    return [capsule.c.tombstoned_at.is_(None), *map(admitted, fences), *judged]


def in_order(conditions: Conditions, order: BrowseOrder) -> Select[tuple[int]]:
    """Return the statement for the numbers in this order."""
    return select(capsule.c.number).where(*conditions).order_by(*_ORDERS[order])


def how_many(conditions: Conditions) -> Select[int]:
    """Return the statement for how many there are."""
    return select(func.count()).select_from(capsule).where(*conditions)


def same_session(session: str | None) -> tuple[Fence, ...]:
    """Return the fence of a capsule's neighbours: its session, or none where it bears none."""
    return () if session is None else (LabelFence(LabelField.SESSION, frozenset({session})),)


def earlier(conditions: Conditions, number: int) -> Select[tuple[int]]:
    """Return the statement for the numbers below one, the nearest first."""
    return select(capsule.c.number).where(*conditions, capsule.c.number < number).order_by(capsule.c.number.desc())


def later(conditions: Conditions, number: int) -> Select[tuple[int]]:
    """Return the statement for the numbers above one, the nearest first."""
    return select(capsule.c.number).where(*conditions, capsule.c.number > number).order_by(capsule.c.number)


def by_project(conditions: Conditions) -> Select[tuple[str | None, int, int]]:
    """Return the statement for each project with how many capsules it has and when the last was captured."""
    project = capsule.c.project_id
    return select(project, func.count(), func.max(capsule.c.captured_at)).where(*conditions).group_by(project)


def projects_of(conditions: Conditions) -> Select[tuple[int, str | None, int]]:
    """Return the statement for each capsule's project and capture, for fences that are judged one by one."""
    return select(capsule.c.number, capsule.c.project_id, capsule.c.captured_at).where(*conditions)


def attested_by(sources: Collection[str], signed: Collection[str]) -> Select[tuple[int, str, str, str | None]]:
    """Return the statement for the unforgotten capsules with one of these sources or with so beginning signatures, by number."""
    text = capsule_revision.c
    current = and_(text.capsule == capsule.c.number, text.revision == capsule.c.revision)
    begins = [func.substr(text.signature, 1, len(each)) == each for each in sorted(signed)]
    return (
        select(capsule.c.number, capsule.c.content_digest, text.source, text.signature)
        .join(capsule_revision, current)
        .where(capsule.c.tombstoned_at.is_(None), or_(text.source.in_(sorted(sources)), *begins))
        .order_by(capsule.c.number)
    )
