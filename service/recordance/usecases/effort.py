"""Efforts: an epic with its direct members, as a fence for recalls (F5)."""

from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule, LabelField
from recordance.domain.destination import Naming
from recordance.domain.relation import Effort, EffortState, RelationKind
from recordance.domain.vocabulary import Kind
from recordance.errors import MissingState, StateKind
from recordance.ports.truth import TruthReader


def resolve_effort(reader: TruthReader, caller: Caller, naming: Naming, effort_id: str) -> Effort:
    """Return the effort whose epic has exactly this id, with the members that the caller may see (F13).

    Raises MissingState, with its own lesson each, when the id is not an exact capsule id or unknown to the caller, when the
    capsule is tombstoned, is no epic, or has no direct `part_of` member.
    """
    epic = _epic(reader, caller, naming, effort_id)
    members = _members(reader, caller, epic)
    if not members:
        raise MissingState(
            StateKind.EFFORT_WITHOUT_MEMBERS,
            effort_id,
            f"the epic has no member yet; relate one with memory_relate part_of to {effort_id}",
        )
    return Effort(epic.number, members, _state(reader, epic))


def _members(reader: TruthReader, caller: Caller, epic: Capsule) -> frozenset[int]:
    related = frozenset(relation.source for relation in reader.relations_to([epic.number], [RelationKind.PART_OF]))
    if caller.projects is None:
        return related
    capsules = reader.capsules(related).values()
    return frozenset(each.number for each in capsules if caller.sees_project(each.labels.get(LabelField.PROJECT)))


def _epic(reader: TruthReader, caller: Caller, naming: Naming, effort_id: str) -> Capsule:
    number = naming.number(effort_id)
    capsule = None if number is None else reader.capsules([number]).get(number)
    if capsule is None or not caller.sees_project(capsule.labels.get(LabelField.PROJECT)):
        raise MissingState(
            StateKind.UNKNOWN_CAPSULE,
            effort_id,
            "an effort is named by the exact id of its epic, such as cap-12, never by a slug",
        )
    if capsule.standing.tombstoned_at is not None:
        raise MissingState(StateKind.TOMBSTONED_CAPSULE, effort_id, "the epic was forgotten and can no longer fence a recall")
    kind = capsule.labels.get(LabelField.KIND)
    if kind != Kind.EPIC.value:
        has = f"is of kind {kind}" if kind else "has no kind"
        raise MissingState(
            StateKind.NOT_AN_EPIC, effort_id, f"{naming.id(capsule.number)} {has}; an effort is a capsule of kind epic"
        )
    return capsule


def _state(reader: TruthReader, epic: Capsule) -> EffortState:
    witnessed = reader.relations_to([epic.number], [RelationKind.WITNESSES])
    return EffortState.CLOSED if witnessed or epic.standing.superseded_at is not None else EffortState.OPEN
