"""Capsules of one destination by id, as far as a caller may see them (F13).

Ids may name the destination or not: by now it is known to be this one (see `addressing`). Lessons name it as callers see it (D4).
"""

from collections.abc import Collection, Mapping

from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule, LabelField
from recordance.domain.destination import Naming, number_there
from recordance.errors import MissingState, StateKind
from recordance.ports.truth import TruthReader


def sees(caller: Caller, capsule: Capsule) -> bool:
    """Whether a capsule lies inside the caller's own fence; a forgotten one lies where it lay."""
    return caller.sees_project(capsule.labels.get(LabelField.PROJECT))


def visible(reader: TruthReader, caller: Caller, naming: Naming, id: str) -> Capsule:
    """Return the capsule with exactly this id, a forgotten one as its skeleton.

    Raises MissingState when there is none, or none that the caller may see: both are the same to them.
    """
    return visible_among(named(reader, [id]), caller, naming, id)


def unforgotten(reader: TruthReader, caller: Caller, naming: Naming, id: str) -> Capsule:
    """Return the capsule with exactly this id; raises MissingState as `visible` does, and for a forgotten one."""
    return unforgotten_among(named(reader, [id]), caller, naming, id)


def named(reader: TruthReader, ids: Collection[str]) -> Mapping[int, Capsule]:
    """Return the capsules that these ids name, read at once, whoever may see them."""
    return reader.capsules({number for id in ids if (number := number_there(id)) is not None})


def visible_among(capsules: Mapping[int, Capsule], caller: Caller, naming: Naming, id: str) -> Capsule:
    """Return one of `capsules` as `visible` does."""
    number = number_there(id)
    capsule = None if number is None else capsules.get(number)
    if capsule is None or not sees(caller, capsule):
        raise unknown(naming, id)
    return capsule


def unknown(naming: Naming, id: str) -> MissingState:
    """Return the lesson that no capsule has this id, or none that the caller may see."""
    lesson = f"no capsule has exactly this id here; ids look like {naming.id(12)}, and memory_list names those that there are"
    return MissingState(StateKind.UNKNOWN_CAPSULE, naming.shown(id), lesson)


def unforgotten_among(capsules: Mapping[int, Capsule], caller: Caller, naming: Naming, id: str) -> Capsule:
    """Return one of `capsules` as `unforgotten` does."""
    capsule = visible_among(capsules, caller, naming, id)
    if capsule.standing.tombstoned_at is not None:
        lesson = "it was forgotten; all that is left of it is what memory_get shows"
        raise MissingState(StateKind.TOMBSTONED_CAPSULE, naming.shown(id), lesson)
    return capsule
