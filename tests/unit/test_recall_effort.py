"""Recalls that are fenced to an effort."""

import pytest

from recordance.domain.relation import RelationKind
from recordance.domain.vocabulary import Kind
from recordance.errors import MissingState, StateKind
from support.recalls import Recalls, below, fenced, shown
from support.truths import NOON, entombed, labels, stands


def effort() -> Recalls:
    """Epic 1 with the members 2, 3 and 4; 5 is of no effort, and all speak of tokio."""
    recalls = Recalls()
    recalls.remember("tokio", labels=labels(kind=Kind.EPIC, project_id="nott"))
    recalls.remember(*["tokio"] * 3, labels=labels(kind=Kind.TASK, project_id="nott/x"))
    recalls.remember("tokio serde", labels=labels(kind=Kind.FACT, project_id="nott"))
    for member in (2, 3, 4):
        recalls.relate(member, RelationKind.PART_OF, 1)
    return recalls


def test_a_recall_is_fenced_to_the_members_and_their_epic() -> None:
    """F5: and every row says which it is."""
    answer = effort().ask("tokio", effort_id="cap-1", token_budget=10_000)
    roles = {result["id"]: result["effort_role"] for result in answer["results"]}
    assert roles == {"cap-1": "epic", "cap-2": "member", "cap-3": "member", "cap-4": "member"}
    assert answer["effort"] == {"epic_id": "cap-1", "member_total": 3, "open": True}


def test_without_an_effort_no_row_has_a_role() -> None:
    """F5: left out, it leaves no trace."""
    answer = effort().ask("tokio", token_budget=10_000)
    assert "effort" not in answer
    assert not any("effort_role" in result for result in answer["results"])


def test_dead_members_are_counted_inside_the_fence() -> None:
    """F5: they stay members; what is dead outside is not counted."""
    recalls = effort()
    recalls.write(stands(2, archived_at=NOON), stands(3, falsified_at=NOON), stands(5, archived_at=NOON))
    answer = recalls.ask("tokio", effort_id="cap-1")
    assert (shown(answer), answer["excluded"]) == ([1, 4], {"falsified": 1, "archived": 1})
    assert answer["effort"]["member_total"] == 3


def test_no_match_in_an_effort_abstains_with_its_echo() -> None:
    """F5, O6: never filled up from outside."""
    answer = effort().ask("serde", effort_id="cap-1", stated=(("effort_id", "cap-1"),))
    assert (answer["outcome"], answer["results"], answer["effort"]["epic_id"]) == ("abstain", [], "cap-1")
    assert 'effort_id "cap-1"' in answer["reason"]


def test_a_closed_effort_is_still_recalled() -> None:
    """F5: for those who look back; the echo says that it is closed."""
    recalls = effort()
    recalls.relate(5, RelationKind.WITNESSES, 1)
    answer = recalls.ask("tokio", effort_id="cap-1")
    assert (answer["outcome"], answer["effort"]["open"]) == ("grounded", False)


def test_a_superseded_epic_still_fences() -> None:
    """F5: it is excluded itself, its members are not."""
    recalls = effort()
    recalls.write(stands(1, superseded_at=NOON, superseded_by=5))
    answer = recalls.ask("tokio", effort_id="cap-1")
    assert (shown(answer), answer["excluded"], answer["effort"]["open"]) == ([2, 3, 4], {"superseded": 1}, False)


def test_an_effort_composes_with_every_other_fence() -> None:
    """F5, F4: both must admit."""
    assert effort().found("tokio", effort_id="cap-1", fences=[below("nott/x")]) == [2, 3, 4]


def test_a_forgotten_member_is_probed_inside_the_effort_alone() -> None:
    """F5, F8: a tombstone outside of it is not told of."""
    recalls = effort()
    recalls.write(entombed(2), entombed(5))
    assert recalls.ask("cap-2", "cap-5", effort_id="cap-1")["excluded"] == {"tombstoned": 1}


@pytest.mark.parametrize(
    ("effort_id", "kind"),
    [
        ("release", StateKind.UNKNOWN_CAPSULE),
        ("cap-99", StateKind.UNKNOWN_CAPSULE),
        ("cap-5", StateKind.NOT_AN_EPIC),
        ("cap-6", StateKind.EFFORT_WITHOUT_MEMBERS),
        ("cap-7", StateKind.TOMBSTONED_CAPSULE),
    ],
)
def test_an_effort_that_cannot_fence_is_an_error_and_no_empty_answer(effort_id: str, kind: StateKind) -> None:
    """F5: each failing condition has its own, and none of them is a miss."""
    recalls = effort()
    recalls.remember("an epic", "another", labels=labels(kind=Kind.EPIC))
    recalls.write(entombed(7))
    with pytest.raises(MissingState) as refused:
        recalls.ask("nothing", effort_id=effort_id)
    assert (refused.value.kind, refused.value.id) == (kind, effort_id)
    assert recalls.misses.notes == []


def test_a_fenced_caller_sees_its_part_of_an_effort() -> None:
    """F13: neither the others' members nor how many they are."""
    recalls = effort()
    recalls.remember("tokio", labels=labels(kind=Kind.TASK, project_id="other"))
    recalls.relate(6, RelationKind.PART_OF, 1)
    answer = recalls.ask("tokio", effort_id="cap-1", caller=fenced("nott"))
    assert (shown(answer), answer["effort"]["member_total"]) == ([1, 2, 3, 4], 3)
    assert recalls.ask("tokio", effort_id="cap-1")["effort"]["member_total"] == 4
    with pytest.raises(MissingState) as refused:
        recalls.ask("tokio", effort_id="cap-1", caller=fenced("nott/x"))
    assert refused.value.kind is StateKind.UNKNOWN_CAPSULE
