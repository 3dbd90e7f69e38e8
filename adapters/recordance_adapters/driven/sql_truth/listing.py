"""Pages of capsules: the fences and the state of a ListRequest as SQL, in the order of the pure predicates (F1, F6)."""

from sqlalchemy import Select, case, func, select
from sqlalchemy.sql import ColumnElement

from recordance.domain.instant import Instant
from recordance.ports.truth import ListedState, ListRequest
from recordance.query.exclusion import Eligibility
from recordance_adapters.driven.sql_truth.capsule_rows import digest
from recordance_adapters.driven.sql_truth.excluding import excluding
from recordance_adapters.driven.sql_truth.fencing import lies_in
from recordance_adapters.driven.sql_truth.tables import capsule


def page(request: ListRequest) -> Select[int]:
    """Return the statement for the numbers on a page, in append order."""
    chosen = select(capsule.c.number).where(*_conditions(request)).order_by(capsule.c.number)
    return chosen.limit(request.limit).offset(request.offset)


def counted(request: ListRequest) -> Select[int]:
    """Return the statement for how many numbers there are on all pages."""
    return select(func.count()).select_from(capsule).where(*_conditions(request))


def narrows(request: ListRequest) -> bool:
    """Whether the request leaves out any unforgotten capsule that there may be."""
    return len(_conditions(request)) > 1


def _conditions(request: ListRequest) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [capsule.c.tombstoned_at.is_(None)]
    if request.project_id is not None:
        conditions += [capsule.c.project_id_digest == digest(request.project_id), capsule.c.project_id == request.project_id]
    if request.kind is not None:
        conditions.append(capsule.c.kind == str(request.kind))
    conditions += [lies_in(capsule.c.project_id, subtrees) for subtrees in request.subtrees]
    if request.state is not None:
        conditions.append(_state(request.at) == request.state.value)
    return conditions


def _state(at: Instant) -> ColumnElement[str]:
    """The first reason that holds, as `first_exclusion` has it without a window, or LIVE."""
    reasons = ((holds, ListedState(reason.value).value) for reason, holds in excluding(Eligibility(at=at)))
    return case(*reasons, else_=ListedState.LIVE.value)
