"""The fence of a caller's token, on everything that a recall says."""

import json
from typing import Any

import pytest

from recordance.domain.caller import Caller, Permission
from recordance.domain.vocabulary import Kind
from recordance.errors import MissingState, StateKind
from recordance.query.fence import LabelFence
from recordance.ranking.trimming import compact_json
from support.recalls import Recalls, below, fenced, only, shown
from support.truths import NOON, LabelField, entombed, labels, stands

INSIDE = ("tokio pin", "tokio", "serde pin at one", "tokio serde pin and more")
OUTSIDE = ("tokio tokio", "pin", "serde", "rare", "tokio " * 40)


def shared() -> Recalls:
    """Capsules of nott among those of others; some of either are excluded, some forgotten."""
    recalls = Recalls()
    for place in range(5):
        recalls.remember(*OUTSIDE[place : place + 1], labels=labels(kind=Kind.FACT, project_id=("nottx", "other")[place % 2]))
        recalls.remember(*INSIDE[place : place + 1], labels=labels(kind=Kind.FACT, project_id=("nott", "nott/x")[place % 2]))
    recalls.remember("tokio unstamped")
    return recalls


def alone() -> Recalls:
    """A store that holds what `shared` holds of nott, and nothing else."""
    recalls = Recalls()
    for place, content in enumerate(INSIDE):
        recalls.remember(content, labels=labels(kind=Kind.FACT, project_id=("nott", "nott/x")[place % 2]))
    return recalls


def without_names(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer without what names a place in the whole store: ids and receipt."""
    results = [{name: value for name, value in result.items() if name != "id"} for result in answer["results"]]
    return {name: value for name, value in answer.items() if name != "receipt"} | {"results": results}


@pytest.mark.parametrize(
    "asked", [{}, {"min_support": 0.6}, {"weight_blend": 1.0}, {"limit": 1}, {"token_budget": 0}, {"fences": [below("nott/x")]}]
)
@pytest.mark.parametrize(
    "terms", [("tokio",), ("pin serde",), ("tokio", "pin", "serde"), ("rare",), ("unstamped",), ("nothing",)]
)
def test_a_fenced_caller_is_answered_as_if_there_were_nothing_else(terms: tuple[str, ...], asked: dict[str, Any]) -> None:
    """F13, L17: results, counts, scores, support and reasons are those of a store that holds its part alone."""
    answer = shared().ask(*terms, caller=fenced("nott"), **asked)
    assert compact_json(without_names(answer)) == compact_json(without_names(alone().ask(*terms, caller=fenced("nott"), **asked)))


def test_the_excluded_outside_are_not_counted() -> None:
    """F13: a count would tell that there is something."""
    recalls = shared()
    recalls.write(*(stands(number, archived_at=NOON) for number in range(1, 11)))
    assert recalls.ask("tokio", caller=fenced("nott"))["excluded"] == {"archived": 3}
    assert recalls.ask("tokio")["excluded"] == {"archived": 6}
    assert recalls.ask("rare", caller=fenced("nott"))["outcome"] == "abstain"


def test_the_forgotten_outside_are_not_probed() -> None:
    """F13, F8: another project cannot learn that a tombstone exists."""
    recalls = shared()
    recalls.write(entombed(1), entombed(2), entombed(10))
    assert recalls.ask("cap-1", "cap-2", "cap-10", caller=fenced("nott"))["excluded"] == {"tombstoned": 1}
    assert recalls.ask("cap-1", caller=fenced("nott"))["outcome"] == "abstain"


def test_an_unstamped_capsule_is_inside_no_fence() -> None:
    """F13: what belongs to nobody is not everybody's."""
    assert shared().found("unstamped", caller=fenced("nott", "other", "nottx")) == []
    assert shared().found("unstamped") == [10]


def test_a_request_cannot_widen_the_callers_fence() -> None:
    """F13, F4: the two compose, whatever the request asks for."""
    recalls = shared()
    for fence in (
        below("other"),
        below("nottx"),
        only(LabelField.PROJECT, "other", None),
        LabelFence(LabelField.PROJECT, frozenset()),
    ):
        assert recalls.found("tokio", "pin", caller=fenced("nott"), fences=[fence]) == []
    assert recalls.found("tokio", caller=fenced("nott"), fences=[below("nott/x")]) != []


def test_a_caller_of_several_projects_sees_each_and_no_more() -> None:
    """F13: the union of its subtrees."""
    recalls = shared()
    both = set(recalls.found("tokio", "pin", caller=fenced("nott", "other")))
    assert both == {*recalls.found("tokio", "pin", caller=fenced("nott")), *recalls.found("tokio", "pin", caller=fenced("other"))}


def test_a_caller_of_no_project_sees_nothing() -> None:
    """F13: an empty fence is a fence."""
    answer = shared().ask("tokio", caller=fenced())
    assert (answer["outcome"], answer["matched"]) == ("abstain", 0)
    assert "There is no capsule to search." in answer["reason"]


def test_no_word_of_what_lies_outside_reaches_an_answer() -> None:
    """F13: on any outcome, in any field."""
    recalls = Recalls()
    recalls.remember(
        "tokio " + "s3cret", headline="s3cret", tags=("s3cret",), labels=labels(project_id="s3cret", session_id="s3cret")
    )
    recalls.remember("tokio", labels=labels(project_id="nott"))
    for terms in (("tokio",), ("nothing",), ("cap-1",)):
        assert "s3cret" not in json.dumps(recalls.ask(*terms, caller=fenced("nott")))


def test_the_receipt_of_a_fenced_caller_names_what_it_was_shown() -> None:
    """F13, O13: and nothing beside it."""
    recalls = shared()
    answer = recalls.ask("tokio", caller=fenced("nott"))
    assert recalls.receipt(answer).numbers == tuple(shown(answer))


def test_a_caller_without_leave_to_read_is_refused() -> None:
    """F13: before anything is read."""
    writer = Caller(actor="ann", permissions=frozenset({Permission.WRITE}))
    with pytest.raises(MissingState) as refused:
        shared().ask("tokio", caller=writer)
    assert refused.value.kind is StateKind.NOT_PERMITTED


def test_a_destination_outside_the_callers_fence_is_unknown() -> None:
    """F13: even the default one; the lesson lists those it may see, and no other."""
    elsewhere = Caller(actor="ann", destinations=frozenset({"elsewhere"}))
    for destination in (None, "main"):
        with pytest.raises(MissingState) as refused:
            shared().ask("tokio", caller=elsewhere, destination=destination)
        assert refused.value.kind is StateKind.UNKNOWN_DESTINATION
        assert refused.value.extra == {"available": []}
