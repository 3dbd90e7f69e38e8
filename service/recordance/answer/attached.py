"""What is said of vectors that were attached: one wire object, fields in a fixed order, absent where they do not apply (W4)."""

from collections.abc import Sequence

from recordance.answer.state import LIVE, state_of
from recordance.domain.attaching import Attached
from recordance.domain.embedding import Space
from recordance.domain.identity import capsule_id
from recordance.errors import Json, Refusal
from recordance.query.exclusion import Eligibility

_STATUSES = ("attached", "unchanged", "rejected")


def attached_view(results: Sequence[Attached | Refusal], space: Space | None, now: Eligibility) -> dict[str, Json]:
    """Return how each item ended, and the space as it is afterwards; None is one without vectors."""
    shown = [_result(result, now) for result in results]
    counts = {status: sum(result["status"] == status for result in shown) for status in _STATUSES}
    return {"results": shown, **counts, **_space(space)}


def _result(result: Attached | Refusal, now: Eligibility) -> dict[str, Json]:
    match result:
        case Refusal():
            return {"status": "rejected", "error": result.message}
        case Attached(capsule, before, vector):
            status = "unchanged" if before == vector else "attached"
            replaced = {} if before in (None, vector) else {"replaced": True}
            state = state_of(capsule, now)
            return {"status": status, "id": capsule_id(capsule.number), **replaced, **({} if state == LIVE else {"state": state})}


def _space(space: Space | None) -> dict[str, Json]:
    if space is None:
        return {}
    return {"space": {"dimension": space.dimension, **({} if space.model is None else {"model": space.model})}}
