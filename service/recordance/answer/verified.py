"""What is said of a receipt that somebody brings back: whether it is this store's, what it stated, and how that stands now."""

from collections.abc import Collection, Sequence

from recordance.answer.erasure import Erasure, places_view
from recordance.answer.receipt import Receipt
from recordance.domain.destination import Naming
from recordance.domain.instant import format_instant
from recordance.domain.place import Place
from recordance.errors import Json

RECALL, ERASURE = "recall", "erasure"
HOLDS, BROKEN = "holds", "broken"


def broken_view(stated: Receipt | Erasure) -> dict[str, Json]:
    """Return that a receipt is not as this store gave it; nothing of what it states is repeated."""
    return {"kind": RECALL if isinstance(stated, Receipt) else ERASURE, "signature": BROKEN}


def joint_view(parts: Sequence[dict[str, Json]]) -> dict[str, Json]:
    """Return what a receipt of several destinations comes to: it holds if every part does."""
    holds = all(part["signature"] == HOLDS for part in parts)
    return {"kind": RECALL, "signature": HOLDS if holds else BROKEN, "parts": list(parts)}


def recall_view(stated: Receipt, naming: Naming, seen: Collection[int]) -> dict[str, Json]:
    """Return what a recall showed of what its reader may see."""
    ids = [naming.id(number) for number in stated.numbers if number in seen]
    return {"kind": RECALL, "signature": HOLDS, "store": stated.store, "seq": stated.seq, "ids": ids}


def erasure_view(stated: Erasure, naming: Naming, state: str, now: Sequence[Place]) -> dict[str, Json]:
    """Return what was forgotten when, each place as it was by then and as it is now, and in which state the capsule is."""
    return {
        "kind": ERASURE,
        "signature": HOLDS,
        "store": stated.store,
        "seq": stated.seq,
        "id": naming.id(stated.number),
        "forgotten_at": format_instant(stated.at),
        "state": state,
        "stated": places_view(stated.places),
        "now": places_view(now),
    }
