"""What is said of vectors that were attached: one wire object, fields in a fixed order, absent where they do not apply (W4)."""

from collections.abc import Sequence

from recordance.answer.state import LIVE, state_of
from recordance.answer.written import counted, rejected
from recordance.domain.attaching import Attached
from recordance.domain.destination import Naming
from recordance.domain.embedding import Space
from recordance.errors import Json, Refusal
from recordance.query.exclusion import Eligibility

_STATUSES = ("attached", "unchanged", "rejected")


def attached_view(
    results: Sequence[Attached | Refusal], space: Space | None, naming: Naming, now: Eligibility
) -> dict[str, Json]:
    """Return how each item ended, and the space as it is afterwards; None is one without vectors."""
    return {**attached_results([_result(result, naming, now) for result in results]), **_space(space)}


def attached_results(results: Sequence[dict[str, Json]]) -> dict[str, Json]:
    """Return these results as the answer to a batch."""
    return counted(results, _STATUSES)


def _result(result: Attached | Refusal, naming: Naming, now: Eligibility) -> dict[str, Json]:
    match result:
        case Refusal():
            return rejected(result)
        case Attached(capsule, before, vector):
            status = "unchanged" if before == vector else "attached"
            replaced = {} if before in (None, vector) else {"replaced": True}
            state = state_of(capsule, now)
            shown = {"status": status, "id": naming.id(capsule.number)}
            return {**shown, **replaced, **({} if state == LIVE else {"state": state})}


def _space(space: Space | None) -> dict[str, Json]:
    if space is None:
        return {}
    return {"space": {"dimension": space.dimension, **({} if space.model is None else {"model": space.model})}}
