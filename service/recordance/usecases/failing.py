"""Why a destination could not do its part of a call, in words for every caller (D3)."""

from recordance.errors import RecordanceError, Refusal, StoreUnusable
from recordance.usecases.store import Destinations


def why(destinations: Destinations, name: str, problem: RecordanceError) -> str:
    """Return the reason without a path, a statement or a driver's word; of a fault the log tells more, under the id told."""
    match problem:
        case Refusal():
            return problem.message
        case StoreUnusable(lesson=lesson):
            return f"{lesson} ({destinations.note_fault(name, problem)})"
        case _:
            return f"internal fault {destinations.note_fault(name, problem)}"
