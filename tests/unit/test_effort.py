"""Efforts as fences: what may name one, what it holds, and whether it is open."""

from collections.abc import Sequence
from typing import Any

import pytest

from recordance.domain.caller import Caller
from recordance.domain.change import AddRelation, RemoveRelation
from recordance.domain.destination import BARE
from recordance.domain.journal import Op
from recordance.domain.relation import Effort, EffortState, Relation, RelationKind
from recordance.domain.vocabulary import Kind
from recordance.errors import MissingState, StateKind
from recordance.usecases.effort import resolve_effort
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from support.truths import IDENTITY, NOON, entombed, labels, remember, stands, told, write

ANYBODY = Caller(actor="ann")
EPIC = {"labels": labels(kind=Kind.EPIC, project_id="nott")}


def store_with(epic: dict[str, Any] = EPIC, members: Sequence[dict[str, Any]] = ({},)) -> MemoryTruth:
    """A truth whose first capsule is an epic, and the others its members."""
    truth = MemoryTruth(IDENTITY)
    remember(truth, "the effort", **epic)
    for given in members:
        (member,) = remember(truth, f"a step {given}", **given)
        relate(truth, RelationKind.PART_OF, member, 1)
    return truth


def relate(truth: MemoryTruth, kind: RelationKind, source: int, target: int) -> None:
    write(truth, told(Op.RELATED, source, AddRelation(Relation(kind, source, target, NOON))))


def resolved(truth: MemoryTruth, effort_id: str = "cap-1", caller: Caller = ANYBODY) -> Effort:
    with truth.reading() as reader:
        return resolve_effort(reader, caller, BARE, effort_id)


def refusal(truth: MemoryTruth, effort_id: str = "cap-1", caller: Caller = ANYBODY) -> MissingState:
    with pytest.raises(MissingState) as refused:
        resolved(truth, effort_id, caller)
    assert refused.value.id == effort_id
    return refused.value


def test_an_effort_is_its_epic_with_its_direct_members() -> None:
    """F5: direct ones only; a member's own members belong to the member."""
    truth = store_with(members=[{}, {}])
    remember(truth, "a step of a step")
    relate(truth, RelationKind.PART_OF, 4, 2)
    assert resolved(truth) == Effort(1, frozenset({2, 3}), EffortState.OPEN)


@pytest.mark.parametrize("kind", [kind for kind in RelationKind if kind is not RelationKind.PART_OF])
def test_no_other_relation_makes_a_member(kind: RelationKind) -> None:
    """F5: part_of, and towards the epic."""
    truth = store_with()
    remember(truth, "another", "epic's own target")
    relate(truth, kind, 3, 1)
    relate(truth, RelationKind.PART_OF, 1, 4)
    assert resolved(truth).members == {2}


@pytest.mark.parametrize(
    "effort_id", ["release-2", "cap-2x", "CAP-1", "cap-01", "cap-0", "cap-", "cap-1 ", "1", "cap-99", "cap-9" * 40, "", "cap-²"]
)
def test_only_the_exact_id_of_a_capsule_names_an_effort(effort_id: str) -> None:
    """F5: a slug, a number or a capsule that is not there is unknown, and the lesson shows an id."""
    refused = refusal(store_with(), effort_id)
    assert refused.kind is StateKind.UNKNOWN_CAPSULE
    assert "cap-12" in refused.message
    assert "slug" in refused.message


def test_a_forgotten_epic_is_refused_by_its_tombstone() -> None:
    """F5: it is known, and it can no longer fence."""
    truth = store_with()
    write(truth, entombed(1))
    refused = refusal(truth)
    assert refused.kind is StateKind.TOMBSTONED_CAPSULE
    assert "forgotten" in refused.message


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.EPIC])
def test_a_capsule_of_another_kind_is_refused_by_what_it_is(kind: Kind) -> None:
    """F5: the lesson names the actual kind."""
    refused = refusal(store_with({"labels": labels(kind=kind)}))
    assert refused.kind is StateKind.NOT_AN_EPIC
    assert f"of kind {kind}" in refused.message


def test_a_capsule_without_kind_is_no_epic() -> None:
    """F5: unclassified is not enough."""
    refused = refusal(store_with({"labels": {}}))
    assert refused.kind is StateKind.NOT_AN_EPIC
    assert "no kind" in refused.message


def test_an_epic_without_members_is_refused_with_how_to_add_one() -> None:
    """F5: an empty fence would only ever answer empty."""
    refused = refusal(store_with(members=()))
    assert refused.kind is StateKind.EFFORT_WITHOUT_MEMBERS
    assert "memory_relate" in refused.message


def test_a_member_whose_relation_was_removed_is_none() -> None:
    """F5, W3: relations end."""
    truth = store_with()
    write(truth, told(Op.UNRELATED, 2, RemoveRelation(RelationKind.PART_OF, 2, 1, NOON)))
    assert refusal(truth).kind is StateKind.EFFORT_WITHOUT_MEMBERS


def test_a_dead_member_is_a_member_still() -> None:
    """F5: it stays inside the fence, where it is counted as excluded."""
    truth = store_with(members=[{}, {}])
    write(truth, stands(2, archived_at=NOON), entombed(3))
    assert resolved(truth).members == {2, 3}


def test_an_effort_is_open_until_its_epic_is_witnessed() -> None:
    """F5: and stays recallable afterwards."""
    truth = store_with()
    remember(truth, "it is done")
    relate(truth, RelationKind.WITNESSES, 2, 3)
    assert resolved(truth).state is EffortState.OPEN
    relate(truth, RelationKind.WITNESSES, 3, 1)
    assert resolved(truth).state is EffortState.CLOSED


def test_an_effort_closes_when_its_epic_is_superseded() -> None:
    """F5: and not when it expires, is archived or questioned."""
    truth = store_with()
    write(truth, stands(1, archived_at=NOON, falsified_at=NOON))
    assert resolved(truth).state is EffortState.OPEN
    write(truth, stands(1, superseded_at=NOON, superseded_by=2))
    assert resolved(truth).state is EffortState.CLOSED


def test_an_epic_outside_the_callers_projects_is_unknown() -> None:
    """F13: an error tells no more than any other unknown id, whatever is wrong with the epic."""
    stranger = Caller(actor="bob", projects=frozenset({"other"}))
    for truth in (store_with(), store_with(members=()), store_with({"labels": labels(kind=Kind.FACT, project_id="nott")})):
        inside, unknown = refusal(truth, caller=stranger), refusal(truth, "cap-99", stranger)
        assert (inside.kind, inside.lesson, inside.extra) == (unknown.kind, unknown.lesson, unknown.extra)


def test_a_forgotten_epic_outside_the_callers_projects_is_unknown() -> None:
    """F13: not even its tombstone is told of."""
    truth = store_with()
    write(truth, entombed(1))
    assert refusal(truth, caller=Caller(actor="bob", projects=frozenset({"other"}))).kind is StateKind.UNKNOWN_CAPSULE


def test_members_outside_the_callers_projects_are_not_counted() -> None:
    """F13: `member_total` would tell how many there are."""
    inside, outside = ({"labels": labels(kind=Kind.TASK, project_id=project)} for project in ("nott/x", "other"))
    fenced = Caller(actor="bob", projects=frozenset({"nott"}))
    truth = store_with(members=[inside, outside, {}])
    assert resolved(truth, caller=fenced).members == {2}
    assert resolved(truth).members == {2, 3, 4}
    assert refusal(store_with(members=[outside]), caller=fenced).kind is StateKind.EFFORT_WITHOUT_MEMBERS
