"""A batch whose items belong to several destinations: each one's part is a write of its own, and none blocks another (D3, D6)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from recordance.answer.written import rejected
from recordance.errors import Json, Refusal
from recordance.usecases.failing import untaken
from recordance.usecases.store import Destinations

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """What of a call goes to one destination: its items by their place in the call, which has `size` items."""

    items: Mapping[int, T | Refusal]
    size: int

    def field(self, place: int) -> str:
        """Return what a lesson calls the item at a place; empty where it is the only one."""
        return f"items[{place}]" if self.size > 1 else ""


def parted(items: Sequence[T | Refusal], home: Callable[[int, T], str]) -> tuple[Mapping[str, Part[T]], Mapping[int, Refusal]]:
    """Return the part of each destination that `home` names for an item, and what is refused beforehand, by its place.

    Where one destination takes all that is taken, its part holds what is refused too.
    """
    refused, parts = dict[int, Refusal](), dict[str, dict[int, T | Refusal]]()
    for place, item in enumerate(items):
        if isinstance(item, Refusal):
            refused[place] = item
            continue
        try:
            parts.setdefault(home(place, item), {})[place] = item
        except Refusal as refusal:
            refused[place] = refusal
    if len(parts) == 1:
        ((name, taken),) = parts.items()
        return {name: Part(dict(sorted({**taken, **refused}.items())), len(items))}, {}
    return {name: Part(taken, len(items)) for name, taken in parts.items()}, refused


def stitched(
    destinations: Destinations,
    parts: Mapping[str, Part[T]],
    refused: Mapping[int, Refusal],
    write: Callable[[str, Part[T]], Mapping[str, Json]],
) -> tuple[list[dict[str, Json]], Mapping[str, Mapping[str, Json]]]:
    """Write part by part, and return the results in the order of the items, and the answer of each destination.

    The items of a destination that fails are rejected with the reason; what others have taken stays taken.
    """
    results = {place: rejected(refusal) for place, refusal in refused.items()}
    answers = dict[str, Mapping[str, Json]]()
    for name, part in parts.items():
        try:
            answers[name] = write(name, part)
        except Exception as problem:  # noqa: BLE001 - what others have taken must be told, whatever failed here
            lesson = untaken(destinations, name, problem)
            results |= {place: {"status": "rejected", "error": lesson} for place in part.items}
        else:
            results |= dict(zip(part.items, answers[name]["results"], strict=True))
    return [results[place] for place in sorted(results)], answers
