"""Checking receipts: whether this store gave one, what it said, and of an erasure how its places are by now (O13, W6, F13)."""

from recordance.answer.erasure import Erasure, open_erasure
from recordance.answer.receipt import Receipt, open_receipt
from recordance.answer.state import state_of
from recordance.answer.verified import broken_view, erasure_view, joint_view, recall_view
from recordance.domain.caller import Caller, Permission
from recordance.errors import InvalidArgument, Json, MissingState, StateKind
from recordance.ports.truth import TruthReader
from recordance.query.exclusion import Eligibility
from recordance.usecases.addressing import receipts_of
from recordance.usecases.lookup import sees, visible
from recordance.usecases.store import Destinations, Store, check_permission


def verify_receipt(destinations: Destinations, caller: Caller, destination: str | None, receipt: str) -> dict[str, Json]:
    """Say whether a receipt is as this store gave it, what it stated, and of an erasure what has been purged by now.

    Answers `{kind: recall | erasure, signature: holds | broken, …}`; of what several destinations showed together `{kind,
    signature, parts}`, each part so, with its `destination`. An erasure whose capsule is not `tombstoned` was undone by putting
    an older copy of the store back; nothing is purged then. Raises InvalidArgument for what was never a receipt, MissingState for
    another store's, and for one of a capsule that the caller cannot see.
    """
    check_permission(caller, Permission.READ)
    parts = receipts_of(destinations, caller, destination, receipt)
    views = [_verified(destinations.reading(caller, name), caller, part) for name, part in parts]
    if len(views) == 1:
        return views[0]
    return joint_view([{"destination": name, **view} for (name, _), view in zip(parts, views, strict=True)])


def _verified(store: Store, caller: Caller, receipt: str) -> dict[str, Json]:
    with store.truth.reading() as reader:
        stated, holds = _opened(reader, receipt)
        if not holds:
            return broken_view(stated)
        if isinstance(stated, Receipt):
            capsules = reader.capsules(stated.numbers)
            seen = [number for number, capsule in capsules.items() if sees(caller, capsule)]
            return recall_view(stated, store.naming, seen)
        capsule = visible(reader, caller, store.naming, store.naming.id(stated.number))
    state = state_of(capsule, Eligibility(at=store.clock.now()))
    # Waited for like a forget: a process that starts for this alone has yet to look at its own index.
    now = () if capsule.standing.tombstoned_at is None else store.purger.purge(stated.seq)
    return erasure_view(stated, store.naming, state, now)


def _opened(reader: TruthReader, text: str) -> tuple[Receipt | Erasure, bool]:
    identity = reader.identity()
    opened = open_receipt(text, identity.key) or open_erasure(text, identity.key)
    if opened is None:
        expected = "a receipt exactly as a recall (rcpt-…) or a forget (ersr-…) gave it"
        raise InvalidArgument("receipt", text, expected, "it is no receipt")
    if opened[0].store != identity.store:
        raise MissingState(StateKind.UNKNOWN_RECEIPT, text, "another store gave this receipt; verify it there")
    return opened
