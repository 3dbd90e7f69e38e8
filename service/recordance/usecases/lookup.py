"""Capsules by id, as far as a caller may see them (F13)."""

from collections.abc import Collection, Mapping

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
    return visible_among(named(reader, [id]), caller, id)


def unforgotten(reader: TruthReader, caller: Caller, id: str) -> Capsule:
    """Return the capsule with exactly this id; raises MissingState as `visible` does, and for a forgotten one."""
    return unforgotten_among(named(reader, [id]), caller, id)


def named(reader: TruthReader, ids: Collection[str]) -> Mapping[int, Capsule]:
    """Return the capsules that these ids name, read at once, whoever may see them."""
    return reader.capsules({number for id in ids if (number := capsule_number(id)) is not None})


def visible_among(capsules: Mapping[int, Capsule], caller: Caller, id: str) -> Capsule:
    """Return one of `capsules` as `visible` does."""
    number = capsule_number(id)
    capsule = None if number is None else capsules.get(number)
    if capsule is None or not sees(caller, capsule):
        lesson = "no capsule has exactly this id here; ids look like cap-12, and memory_list names those that there are"
        raise MissingState(StateKind.UNKNOWN_CAPSULE, id, lesson)
    return capsule


def unforgotten_among(capsules: Mapping[int, Capsule], caller: Caller, id: str) -> Capsule:
    """Return one of `capsules` as `unforgotten` does."""
    capsule = visible_among(capsules, caller, id)
    if capsule.standing.tombstoned_at is not None:
        raise MissingState(StateKind.TOMBSTONED_CAPSULE, id, "it was forgotten; all that is left of it is what memory_get shows")
    return capsule
