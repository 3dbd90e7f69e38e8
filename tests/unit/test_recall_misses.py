"""What a recall tells the miss ledger."""

from typing import Any

import pytest

from recordance.domain.caller import projects_of
from recordance.domain.instant import Instant
from support.recalls import ANYBODY, Missed, Recalls, fenced
from support.truths import NOON, entombed, labels, stands


def holding() -> Recalls:
    """One capsule that grounds for tokio, and an archived one for serde."""
    recalls = Recalls()
    recalls.remember("tokio", "serde", labels=labels(project_id="nott"))
    recalls.write(stands(2, archived_at=NOON))
    return recalls


def test_an_abstention_notes_every_folded_term() -> None:
    """T8: as it would be looked up, once each, with how and when it ended."""
    recalls = holding()
    recalls.clock.set(Instant(NOON + 7))
    recalls.ask("Configuração", "pin, Tokio", "CONFIGURACAO")
    assert recalls.misses.notes == [Missed(("configuracao", "pin tokio"), "abstain", "", Instant(NOON + 7))]


def test_missing_evidence_is_noted_as_that() -> None:
    """T8: the word is known, and nothing that bears it may ground."""
    recalls = holding()
    recalls.ask("serde", "nothing")
    assert recalls.misses.notes == [Missed(("serde", "nothing"), "missing_evidence", "", NOON)]


def test_one_hit_silences_every_term() -> None:
    """T8: a recall that was helped teaches nothing about its other terms."""
    recalls = holding()
    recalls.ask("tokio", "serde", "nothing")
    assert recalls.misses.notes == []


@pytest.mark.parametrize("given", [{"limit": 0}, {"token_budget": 0}, {"limit": 0, "token_budget": 0}])
def test_what_trimming_hides_is_no_miss(given: dict[str, Any]) -> None:
    """T8: the ledger hears of the lane as it was before any trimming."""
    recalls = holding()
    assert recalls.ask("tokio", **given)["results"] == []
    assert recalls.misses.notes == []


def test_a_term_found_by_alias_is_no_miss() -> None:
    """T8, T7: the lesson was learned already."""
    recalls = holding()
    recalls.teach("runtime", "tokio")
    recalls.ask("runtime")
    assert recalls.misses.notes == []


def test_aliases_that_were_tried_are_not_noted() -> None:
    """T8: the caller's terms alone."""
    recalls = holding()
    recalls.teach("runtime", "nowhere to be found")
    recalls.ask("runtime")
    assert [note.term_keys for note in recalls.misses.notes] == [("runtime",)]


def test_a_forgotten_id_is_missing_evidence() -> None:
    """T8, F8: the id was known."""
    recalls = holding()
    recalls.write(entombed(1))
    recalls.ask("cap-1")
    assert [(note.term_keys, note.outcome) for note in recalls.misses.notes] == [(("cap 1",), "missing_evidence")]


def test_a_miss_behind_a_fence_is_noted_under_it() -> None:
    """T8, F13: who sees a part of the store reads a part of its ledger."""
    recalls = holding()
    recalls.ask("tokio", caller=fenced("other", "elsewhere"))
    assert [note.fence for note in recalls.misses.notes] == ['["elsewhere", "other"]']


def test_only_equal_fences_share_a_part_of_the_ledger() -> None:
    """F13: no fence at all, a fence that admits nothing, and a project whose name holds what separates others."""
    callers = [ANYBODY, fenced(), fenced(""), fenced("a", "b"), fenced("a\nb"), fenced("a, b"), fenced('a", "b')]
    recalls = holding()
    for caller in callers:
        recalls.ask("nothing", caller=caller)
    assert len({note.fence for note in recalls.misses.notes}) == len(callers)
    assert fenced("b", "a").fence_key == fenced("a", "b").fence_key


@pytest.mark.parametrize("projects", [(), ("a",), ("a\nb", 'a", "b', "日本")])
def test_a_fence_key_names_its_projects_again(projects: tuple[str, ...]) -> None:
    """F13: to those who read the whole ledger."""
    assert projects_of(fenced(*projects).fence_key) == sorted(projects)


@pytest.mark.parametrize("key", ["nott", "a\nb", "[", "{}", "[1]", "7", "null", "[" * 100_000], ids=lambda key: key[:9])
def test_a_key_from_elsewhere_names_itself(key: str) -> None:
    """F13: an imported ledger is read without an error, whatever stands in it."""
    assert projects_of(key) == [key]


def test_a_fence_of_the_request_leaves_the_note_where_it_belongs() -> None:
    """T8: what a caller narrows to is no fence of its token."""
    recalls = holding()
    recalls.ask("nothing", min_support=0.5)
    assert [note.fence for note in recalls.misses.notes] == [""]


def test_evidence_below_the_asked_support_is_noted_as_missing() -> None:
    """T8, O12: the lane ended without evidence, before any trimming."""
    recalls = holding()
    recalls.ask("tokio", "nothing", min_support=0.9)
    assert [note.outcome for note in recalls.misses.notes] == ["missing_evidence"]
