"""Remember: capsules are stored, collapsed onto equal ones, or rejected one by one (W1, W2, W5, W7)."""

from collections.abc import Sequence
from dataclasses import dataclass

from recordance.domain.caller import Caller
from recordance.domain.draft import CapsuleDraft
from recordance.errors import Json, Refusal
from recordance.usecases.store import Destinations


@dataclass(frozen=True, slots=True)
class Idempotency:
    """A caller's word that a write is one and the same: `items_digest` tells its items, as they came, from others (W1)."""

    key: str
    items_digest: str


def remember(
    destinations: Destinations,
    caller: Caller,
    destination: str | None,
    items: Sequence[CapsuleDraft | Refusal],
    idempotency: Idempotency | None,
) -> dict[str, Json]:
    """Store a batch in one transaction and answer `{results, captured, deduplicated, rejected}`, results in order.

    An item that is a Refusal was refused before it came here: it is `rejected` with its lesson and blocks nobody. Raises
    MissingState for an unknown destination, a caller who may not write, or an idempotency key that came with other items.
    """
    raise AssertionError
