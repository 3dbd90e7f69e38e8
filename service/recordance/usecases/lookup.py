"""Capsules by id, as far as a caller may see them (F13)."""

from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule, LabelField
from recordance.domain.identity import capsule_number
from recordance.errors import MissingState, StateKind
from recordance.ports.truth import TruthReader


def sees(caller: Caller, capsule: Capsule) -> bool:
    """Whether a capsule lies inside the caller's own fence; a forgotten one lies where it lay."""
    return caller.sees_project(capsule.labels.get(LabelField.PROJECT))


def visible(reader: TruthReader, caller: Caller, id: str) -> Capsule:
    """Return the capsule with exactly this id, a forgotten one as its skeleton.

    Raises MissingState when there is none, or none that the caller may see: both are the same to them.
    """
    number = capsule_number(id)
    capsule = None if number is None else reader.capsules([number]).get(number)
    if capsule is None or not sees(caller, capsule):
        lesson = "no capsule has exactly this id here; ids look like cap-12, and memory_list names those that there are"
        raise MissingState(StateKind.UNKNOWN_CAPSULE, id, lesson)
    return capsule


def unforgotten(reader: TruthReader, caller: Caller, id: str) -> Capsule:
    """Return the capsule with exactly this id; raises MissingState as `visible` does, and for a forgotten one."""
    capsule = visible(reader, caller, id)
    if capsule.standing.tombstoned_at is not None:
        raise MissingState(StateKind.TOMBSTONED_CAPSULE, id, "it was forgotten; all that is left of it is what memory_get shows")
    return capsule
