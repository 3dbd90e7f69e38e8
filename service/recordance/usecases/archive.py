"""Putting capsules away, and taking them back (W7)."""

from dataclasses import replace

from recordance.answer.settled import archived_view, unkept
from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule
from recordance.domain.change import ChangeSet, SetStanding
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry, Op
from recordance.domain.storable import check_storable
from recordance.errors import Json, MissingState, StateKind
from recordance.query.exclusion import Eligibility
from recordance.usecases.lookup import unforgotten
from recordance.usecases.store import Destinations


def archive(
    destinations: Destinations, caller: Caller, destination: str | None, id: str, reason: str | None = None
) -> dict[str, Json]:
    """Archive a capsule and answer `{id, status: archived | already, state, reason_kept?}`.

    A journal holds no free text (W12) and a standing has no place for it, so a `reason` is answered as not kept. Raises
    MissingState when the capsule is unknown or forgotten.
    """
    store = destinations.writing(caller, destination)
    if reason is not None:
        check_storable(reason, "reason")
    now = Eligibility(at=store.clock.now())
    with store.truth.writing() as writer:
        capsule = unforgotten(writer, caller, id)
        if capsule.standing.archived_at is not None:
            return archived_view("already", capsule, now) | unkept(reason)
        writer.apply(_archived(capsule, now.at, now.at), caller.actor, now.at)
        return archived_view("archived", writer.capsules([capsule.number])[capsule.number], now) | unkept(reason)


def restore(destinations: Destinations, caller: Caller, destination: str | None, id: str) -> dict[str, Json]:
    """Take a capsule out of the archive and answer `{id, status: restored, state}`; raises MissingState if it is not there."""
    store = destinations.writing(caller, destination)
    now = Eligibility(at=store.clock.now())
    with store.truth.writing() as writer:
        capsule = unforgotten(writer, caller, id)
        if capsule.standing.archived_at is None:
            raise MissingState(StateKind.NOT_ARCHIVED, id, "it is not in the archive, so there is nothing to restore")
        writer.apply(_archived(capsule, None, now.at), caller.actor, now.at)
        return archived_view("restored", writer.capsules([capsule.number])[capsule.number], now)


def _archived(capsule: Capsule, since: Instant | None, at: Instant) -> ChangeSet:
    op = Op.RESTORED if since is None else Op.ARCHIVED
    standing = SetStanding(capsule.number, replace(capsule.standing, archived_at=since), at)
    return ChangeSet((standing,), (Entry(op, capsule.number, capsule.revision, {"archived_at": since}),))
