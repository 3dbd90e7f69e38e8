"""Moving a store from one place to another: every row, compared, and never a moment in which both places take writes (W10).

The order makes it safe to be killed at any moment. The target is marked before the first row arrives, and nobody can open it from
then on. The source is held from the first row to the last, and sealed before the target is opened: what is left in between
is one store that nobody can write, and the same command brings that to its end.
"""

from collections import Counter
from collections.abc import Callable
from enum import Enum

from recordance.errors import InvalidArgument, Json, StoreUnusable
from recordance.ports.moving import Hold, Home, Leaving, Moving, Progress, Standing
from recordance.usecases.congruence import disagreement


class Phase(Enum):
    """What a move is at."""

    CARRYING = "Carrying rows"
    COMPARING_ROWS = "Comparing rows"
    COMPARING = "Comparing capsules"


class Course(Enum):
    """What is to be done, as both places stand."""

    BEGIN = "begin"
    GO_ON = "go_on"
    NOTHING = "nothing"


Phases = Callable[[Phase], Progress]
"""Told of each phase as it begins; returns what hears how far it is."""


def move(moving: Moving, leaving: Leaving, phases: Phases) -> dict[str, Json]:
    """Move a store and answer `{status: moved | already_moved, store, from, to, source, …counts}`.

    Raises InvalidArgument where the two places do not fit together, StoreUnusable naming what differs when the comparison finds
    anything, and whatever the databases raise: the same command then goes on where it stopped.
    """
    source, target = moving.source(), moving.target()
    said = {"store": source.store, "from": source.place, "to": target.place}
    course = course_of(source, target)
    if course is Course.NOTHING:
        return {"status": "already_moved", **said, "source": Leaving.SEALED.value}
    if source.standing is Standing.MOVED_AWAY:
        leaving = Leaving.SEALED  # an earlier attempt came so far
    if course is Course.BEGIN:
        moving.begin()
    with moving.hold(leaving) as hold:
        counts = _brought(hold, phases)
        if leaving is Leaving.SEALED:
            hold.seal()
    moving.settle()
    return {"status": "moved", **said, "source": leaving.value, **counts}


def course_of(source: Home, target: Home) -> Course:
    """Return what a move between two places has to do; raises InvalidArgument where there is none between them."""
    if source.standing is Standing.ARRIVING:
        why = "only a part of a store has arrived there: let the move that brings it come to its end first"
        raise InvalidArgument("--from", source.place, "a place with a whole store", why)
    if source.standing is Standing.EMPTY:
        raise InvalidArgument("--from", source.place, "a place with a store", "nothing was ever stored there")
    same, gone = source.store == target.store, source.standing is Standing.MOVED_AWAY
    match target.standing:
        case Standing.ARRIVING if same and source.moved_to in (None, target.place):
            return Course.GO_ON
        case Standing.EMPTY if not gone:
            return Course.BEGIN
        case Standing.SETTLED if same and gone:
            return Course.NOTHING
    raise _unfit(source, target)


def _unfit(source: Home, target: Home) -> InvalidArgument:
    elsewhere = "a place where nothing is stored yet"
    if source.standing is Standing.MOVED_AWAY:
        why = f"this store was moved to {source.moved_to}; recordance move --reopen gives it back its use"
        return InvalidArgument("--from", source.place, "the place where it is now", why)
    match target.standing:
        case Standing.ARRIVING:
            why = "another store is being moved there"
        case Standing.MOVED_AWAY:
            why = "it holds a store that was moved away; nothing is ever written over"
        case _ if source.store == target.store:
            why = "it holds this very store already, and both are in use: a copy, or a move that left the source open"
        case _:
            why = "another store is there, and stores are not mixed: recordance import merges an export into it"
    return InvalidArgument("--to", target.place, elsewhere, why)


def _brought(hold: Hold, phases: Phases) -> dict[str, Json]:
    """Carry everything, compare it in two ways, and return the counts."""
    rows = hold.carry(phases(Phase.CARRYING))
    strange = hold.difference(phases(Phase.COMPARING_ROWS))
    compared = Counter[str]()
    if strange is None:
        heard = phases(Phase.COMPARING)
        with hold.target() as arrived:
            strange = disagreement(hold.source, arrived, compared, heard)
    if strange is not None:
        lesson = (
            "what has arrived is not what was sent, so the target stays closed and the source in use: run the same command "
            "again, which brings anew what differs; should that not help, one of the databases does not keep what it is given"
        )
        raise StoreUnusable(f"{lesson} ({strange})", lesson=lesson)
    corpus = hold.source.corpus()
    return {
        "seq": hold.source.head(),
        "capsules": corpus.capsules,
        "forgotten": hold.source.last_number() - corpus.capsules,
        "rows": {name: count for name, count in sorted(rows.items()) if count},
        "compared": {"rows": sum(rows.values()), **compared},
    }
