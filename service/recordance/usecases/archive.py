"""Putting capsules away, and taking them back (W7)."""

from dataclasses import replace

from recordance.answer.settled import archived_view
from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule
from recordance.domain.change import AppendReview, ChangeSet, SetStanding
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry, Op
from recordance.domain.review import ReviewEvent, Ruling
from recordance.domain.storable import check_storable
from recordance.errors import Json, MissingState, StateKind
from recordance.query.exclusion import Eligibility
from recordance.usecases.addressing import place_of
from recordance.usecases.lookup import unforgotten
from recordance.usecases.store import Destinations


def archive(
    destinations: Destinations, caller: Caller, destination: str | None, id: str, reason: str | None = None
) -> dict[str, Json]:
    """Archive a capsule and answer `{id, status: archived | already, state}`.

    Its history keeps the `reason` (of what is archived already, the first one). Raises MissingState when the capsule is
    unknown or forgotten.
    """
    store = destinations.writing(caller, place_of(destinations, caller, destination, {"id": id}))
    _check(reason)
    now = Eligibility(at=store.clock.now())
    with store.truth.writing() as writer:
        capsule = unforgotten(writer, caller, store.naming, id)
        if capsule.standing.archived_at is not None:
            return archived_view("already", capsule, store.naming, now)
        event = ReviewEvent(capsule.number, Ruling.ARCHIVED, reason, caller.actor, now.at)
        writer.apply(_moved(capsule, Op.ARCHIVED, now.at, event), caller.actor, now.at)
        return archived_view("archived", writer.capsules([capsule.number])[capsule.number], store.naming, now)


def restore(
    destinations: Destinations, caller: Caller, destination: str | None, id: str, reason: str | None = None
) -> dict[str, Json]:
    """Take a capsule out of the archive and answer `{id, status: restored, state}`; raises MissingState if it is not there."""
    store = destinations.writing(caller, place_of(destinations, caller, destination, {"id": id}))
    _check(reason)
    now = Eligibility(at=store.clock.now())
    with store.truth.writing() as writer:
        capsule = unforgotten(writer, caller, store.naming, id)
        if capsule.standing.archived_at is None:
            shown = store.naming.shown(id)
            raise MissingState(StateKind.NOT_ARCHIVED, shown, "it is not in the archive, so there is nothing to restore")
        event = ReviewEvent(capsule.number, Ruling.RESTORED, reason, caller.actor, now.at)
        writer.apply(_moved(capsule, Op.RESTORED, None, event), caller.actor, now.at)
        return archived_view("restored", writer.capsules([capsule.number])[capsule.number], store.naming, now)


def _check(reason: str | None) -> None:
    if reason is not None:
        check_storable(reason, "reason")


def _moved(capsule: Capsule, op: Op, since: Instant | None, event: ReviewEvent) -> ChangeSet:
    standing = SetStanding(capsule.number, replace(capsule.standing, archived_at=since), event.at)
    entry = Entry(op, capsule.number, capsule.revision, {"archived_at": since})
    return ChangeSet((AppendReview(event), standing), (entry,))
