"""Whether what was forgotten is gone from every place that can be reached (`doctor`; W6)."""

from recordance.domain.place import PlaceState
from recordance.usecases.examining import Finding, Verdict, shortly
from recordance.usecases.store import Store

_ADVICE = (
    "Each is purged as soon as that can be: start what ended in its midst, or remove its folder; verify-receipt tells how a "
    "forget stands by now."
)


def purged(store: Store) -> Finding:
    """No place may be pending; whoever runs is given the time that a forget has to purge its own."""
    with store.truth.reading() as reader:
        forgotten = reader.forgotten_after(0)
    if not forgotten:
        return Finding("purged", Verdict.OK, "nothing was forgotten yet")
    waiting = [place for place in store.purger.purge(forgotten[-1].seq) if place.state is PlaceState.PENDING]
    if waiting:
        named = shortly([place.name if place.note is None else f"{place.name}: {place.note}" for place in waiting])
        return Finding("purged", Verdict.WARN, f"what was forgotten may still be in {named}", _ADVICE)
    return Finding("purged", Verdict.OK, "no place that can be reached holds anything of what was forgotten")
