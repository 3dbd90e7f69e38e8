"""How a recall ends, and what an empty answer says of itself."""

import json
from typing import Any

import pytest

from recordance.domain.capsule import LabelField, Standing
from support.recalls import Recalls, below, fenced, only
from support.truths import IDENTITY, NOON, entombed, labels, stands

FIELDS = (
    "outcome", "results", "matched", "returned", "trimmed_by_limit", "trimmed_by_budget", "token_budget", "excluded", "reason",
    "effort", "receipt", "support", "searched", "scope",
)  # fmt: skip


def holding(*contents: str, **given: Any) -> Recalls:
    recalls = Recalls()
    recalls.remember(*contents, **given)
    return recalls


def test_evidence_grounds_an_answer() -> None:
    """O1: with a receipt and without a reason."""
    answer = holding("tokio").ask("tokio")
    assert answer["outcome"] == "grounded"
    assert "receipt" in answer
    assert "reason" not in answer


def test_matches_that_may_not_ground_are_missing_evidence() -> None:
    """O1: counted by reason, and neither shown nor explained away."""
    answer = holding("tokio", standing=Standing(quarantined_at=NOON)).ask("tokio")
    assert (answer["outcome"], answer["results"], answer["excluded"]) == ("missing_evidence", [], {"quarantined": 1})
    assert not {"receipt", "support"} & answer.keys()


def test_nothing_that_matches_is_an_abstention() -> None:
    """O1: with a reason, and without a count."""
    answer = holding("tokio").ask("serde")
    assert (answer["outcome"], answer["results"], answer["matched"]) == ("abstain", [], 0)
    assert answer["reason"].startswith("Nothing matched in the term lane.")
    assert not {"excluded", "receipt", "support"} & answer.keys()


def test_a_grounded_answer_says_what_it_excluded_too() -> None:
    """O2: a reader of good evidence may want to know that there is more."""
    recalls = holding("tokio", "tokio")
    recalls.write(stands(2, superseded_at=NOON, superseded_by=1))
    answer = recalls.ask("tokio")
    assert (answer["outcome"], answer["matched"], answer["excluded"]) == ("grounded", 1, {"superseded": 1})


def test_an_empty_answer_is_never_padded() -> None:
    """O6: not with the newest, not with the nearest, not with what is excluded."""
    recalls = holding("tokio", "token", "tokens of tokio's kind")
    recalls.write(stands(1, archived_at=NOON))
    assert recalls.ask("tok")["results"] == []
    assert recalls.ask("tokio", fences=[only(LabelField.SESSION, "s")])["results"] == []


def test_an_abstention_names_the_fences_and_echoes_them() -> None:
    """O1, case F8: looking in a scope that holds nothing reads otherwise than a miss."""
    stated = (("project_id", "nott"), ("session_id", "sess-1"))
    fences = [only(LabelField.PROJECT, "nott"), only(LabelField.SESSION, "sess-1")]
    answer = holding("tokio").ask("tokio", fences=fences, stated=stated)
    assert answer["scope"] == {"project_id": "nott", "session_id": "sess-1"}
    assert 'Fences: project_id "nott", session_id "sess-1".' in answer["reason"]
    assert "Fences" not in holding("tokio").ask("serde")["reason"]


def test_an_abstention_tells_what_aliases_were_tried() -> None:
    """O1, T7: whether any is taught or not."""
    recalls = holding("tokio")
    assert "no alias is taught" in recalls.ask("runtime")["reason"]
    recalls.teach("runtime", "executor")
    assert '"executor"' in recalls.ask("runtime")["reason"]


def test_an_empty_store_says_that_there_is_nothing_to_search() -> None:
    """O1: and a store from which everything was forgotten says no more."""
    recalls = Recalls()
    assert "There is no capsule to search." in recalls.ask("tokio")["reason"]
    recalls.remember("tokio")
    assert "no capsule to search" not in recalls.ask("serde")["reason"]
    recalls.write(entombed(1))
    assert "There is no capsule to search." in recalls.ask("tokio")["reason"]


def test_a_caller_that_sees_nothing_is_told_nothing_of_the_store() -> None:
    """O1, F13: "nothing to search" holds for this caller, and claims nothing for others."""
    answer = holding("tokio", labels=labels(project_id="nott")).ask("tokio", caller=fenced("other"))
    assert "There is no capsule to search." in answer["reason"]
    assert "store" not in answer["reason"]
    assert "nott" not in json.dumps(answer)


@pytest.mark.parametrize("asked", [{}, {"limit": 0}, {"token_budget": 0}, {"weight_blend": 1.0}, {"min_support": 0.5}])
def test_every_answer_is_one_object_of_known_fields_in_order(asked: dict[str, Any]) -> None:
    """O4, O11: whatever the outcome."""
    recalls = holding("tokio", "serde")
    recalls.write(stands(2, archived_at=NOON))
    for term in ("tokio", "serde", "nothing"):
        answer = recalls.ask(term, stated=(("project_id", "x"),), **asked)
        assert [*answer] == [name for name in FIELDS if name in answer]
        assert None not in answer.values()
        assert json.loads(json.dumps(answer)) == answer


def test_the_receipt_names_what_was_shown_when() -> None:
    """O13: this store, this seq, these ids in this order."""
    recalls = holding(*["tokio"] * 5)
    recalls.write(stands(1, archived_at=NOON))
    receipt = recalls.receipt(recalls.ask("tokio", limit=2))
    assert (receipt.store, receipt.seq, receipt.numbers) == (IDENTITY.store, 6, (2, 3))
    assert recalls.receipt(recalls.ask("tokio", limit=0)).numbers == ()


def test_a_receipt_of_a_blended_page_names_the_page() -> None:
    """O13, L7: as it was shown, not as it was ranked before."""
    recalls = holding(*["tokio"] * 30)
    answer = recalls.ask("tokio", token_budget=700, corroboration_blend=1.0)
    assert recalls.receipt(answer).numbers == tuple(int(result["id"][4:]) for result in answer["results"])


def test_a_scope_is_echoed_on_every_outcome() -> None:
    """O1, case F8: a caller sees what its request was understood as."""
    recalls = holding("tokio", labels=labels(project_id="nott"))
    for term in ("tokio", "nothing"):
        answer = recalls.ask(term, fences=[below("nott")], stated=(("project_prefix", "nott"),))
        assert answer["scope"] == {"project_prefix": "nott"}
