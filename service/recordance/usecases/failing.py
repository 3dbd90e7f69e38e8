"""Why a destination could not do its part of a call, in words for every caller (D3)."""

from recordance.errors import Refusal, StateKind, StoreUnusable
from recordance.usecases.side_by_side import Unanswered
from recordance.usecases.store import Destinations


def why(destinations: Destinations, name: str, problem: BaseException | Unanswered) -> str:
    """Return the reason without a path, a statement or a driver's word; of a fault the log tells more, under the id told."""
    match problem:
        case Unanswered.LATE:
            return "it did not answer in time"
        case Unanswered.BUSY:
            return "it has not answered earlier calls yet"
        case Refusal():
            return problem.message
        case StoreUnusable(lesson=lesson):
            return f"{lesson} ({destinations.note_fault(name, problem)})"
        case _:
            return f"internal fault {destinations.note_fault(name, problem)}"


def untaken(destinations: Destinations, name: str, problem: Exception) -> str:
    """Return the lesson for an item whose destination failed: whether it is surely not there, and why."""
    surely = isinstance(problem, Refusal) or (
        isinstance(problem, StoreUnusable) and problem.kind is not StateKind.WRITE_UNCERTAIN
    )
    taken = "has taken nothing of this call" if surely else "may have taken its part of this call or not"
    return f"destination {name} {taken}: {why(destinations, name, problem)}"
