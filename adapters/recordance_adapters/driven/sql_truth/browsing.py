"""Pages of what a scope and an eligibility leave, neighbours and projects: fences and reasons as SQL, no text read (L8, L14)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import BigInteger, Integer, Select, and_, bindparam, case, func, or_, select
from sqlalchemy.sql import ColumnElement

from recordance.ports.truth import BrowseOrder
from recordance.query.exclusion import Eligibility
from recordance.query.fence import Fence
from recordance_adapters.driven.sql_truth.excluding import may_ground
from recordance_adapters.driven.sql_truth.fencing import admitted
from recordance_adapters.driven.sql_truth.tables import capsule, capsule_revision

Conditions = Sequence[ColumnElement[bool]]

IN_SESSION: Conditions = (
    capsule.c.session_id_digest == bindparam("session_digest", ""),
    capsule.c.session_id == bindparam("session", ""),
)
"""The conditions that a capsule bears the label `:session` with its `:session_digest`; each has a value until it is given one."""

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


def page_of(chosen: Select[tuple[int]]) -> Select[tuple[int]]:
    """Return the statement for `:most` of the numbers after `:skipped` of them."""
    return chosen.limit(bindparam("most", 0, Integer)).offset(bindparam("skipped", 0, Integer))


def how_many(conditions: Conditions) -> Select[int]:
    """Return the statement for how many there are."""
    return select(func.count()).select_from(capsule).where(*conditions)


def in_session(conditions: Conditions) -> Conditions:
    """Return the conditions for capsules of one session.

    It is few rows where a project may be all of them; so the others are put where no database takes an index for them.
    """
    return [*IN_SESSION, case((and_(*conditions), 1), else_=0) == 1]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The statements for the numbers below and above `:number`, the nearest first, `:most` at most."""

    earlier: Select[tuple[int]]
    later: Select[tuple[int]]


def neighbours(conditions: Conditions) -> Neighbours:
    """Return the statements for the capsules beside one."""
    number, most = bindparam("number", 0, BigInteger), bindparam("most", 0, Integer)
    chosen = select(capsule.c.number).where(*conditions)
    below = chosen.where(capsule.c.number < number).order_by(capsule.c.number.desc())
    above = chosen.where(capsule.c.number > number).order_by(capsule.c.number)
    return Neighbours(below.limit(most), above.limit(most))


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
