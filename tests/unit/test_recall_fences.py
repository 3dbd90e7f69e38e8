"""Scope fences through a whole recall: what lies outside is neither seen nor counted."""

from typing import Any

import pytest

from recordance.domain.capsule import LabelField
from recordance.domain.instant import Instant, parse_day
from recordance.domain.validity import EventRange, TimeWindow
from recordance.query.fence import CreationFence, Fence, LabelBarrier, MarkFence, MarkField, entity_mark, metadata_mark
from support.recalls import Recalls, below, only
from support.truths import NOON, days, entombed, labels, stands

NO_TELEMETRY = LabelBarrier(LabelField.KIND, frozenset({"telemetry"}))
ODD = (
    "550e8400-e29b-41d4-a716-446655440000",
    "a-b",
    "main",
    "AND",
    "*",
    "%",
    '"x"',
    "it's",
    "l" * 300,
    " padded ",
    "日本/x",
    "a\nb",
)


def labelled(*each: dict[str, str]) -> Recalls:
    """A store with one capsule for each set of labels, all with the same text."""
    recalls = Recalls()
    for given in each:
        recalls.remember("tokio", labels=labels(**given))
    return recalls


def test_a_project_is_matched_exactly() -> None:
    """F1: neither its subtree nor what is written like it."""
    recalls = labelled(*({"project_id": name} for name in ("nott", "nott/x", "nottx", "Nott")), {})
    assert recalls.found("tokio", fences=[only(LabelField.PROJECT, "nott")]) == [1]


def test_a_prefix_covers_its_subtree_and_never_a_longer_name() -> None:
    """F1, case F1: nott covers nott/x and never nottx."""
    names = ("nott", "nott/x", "nott/x/y", "nottx", "nott-secret", "Nott/x", "not")
    recalls = labelled(*({"project_id": name} for name in names), {})
    assert recalls.found("tokio", fences=[below("nott")]) == [1, 2, 3]
    assert recalls.found("tokio", fences=[below("nott/x")]) == [2, 3]
    assert recalls.found("tokio", fences=[below("nott"), only(LabelField.PROJECT, "nott/x")]) == [2]


@pytest.mark.parametrize("label", ODD)
@pytest.mark.parametrize("field", [LabelField.SESSION, LabelField.PROJECT, LabelField.EPISODE, LabelField.TASK])
def test_a_label_is_never_parsed(field: LabelField, label: str) -> None:
    """F2, case B7: what a capsule was written with finds it, and nothing like it does."""
    recalls = labelled({field.value: label}, {field.value: label + "x"}, {field.value: label.swapcase() + " "}, {})
    assert recalls.found("tokio", fences=[only(field, label)]) == [1]


def test_an_unknown_session_matches_nothing_and_is_no_error() -> None:
    """F2: it means that no capsule bears the label."""
    answer = labelled({"session_id": "sess-1"}).ask("tokio", fences=[only(LabelField.SESSION, "sess-2")])
    assert (answer["outcome"], answer["matched"]) == ("abstain", 0)


def test_one_label_grounds_every_capsule_that_bears_it() -> None:
    """F2: wherever it came from; no table of sessions is asked."""
    recalls = labelled({"session_id": "sess-1", "user_id": "ann"}, {"session_id": "sess-1", "user_id": "bob"}, {})
    assert recalls.found("tokio", fences=[only(LabelField.SESSION, "sess-1")]) == [1, 2]


@pytest.mark.parametrize("field", LabelField)
def test_every_label_field_fences_a_recall(field: LabelField) -> None:
    """F9, case F3: no field is kept at the write and dropped at the recall."""
    recalls = labelled({field.value: "x"}, {field.value: "y"}, {})
    assert recalls.found("tokio", fences=[only(field, "x")]) == [1]
    assert recalls.found("tokio", fences=[only(field, "x", None)]) == [1, 3]


def test_telemetry_is_neither_found_nor_counted() -> None:
    """F9: what a service notes about itself answers nobody, unless it is asked for."""
    recalls = labelled({"kind": "telemetry"}, {"kind": "fact"}, {})
    recalls.write(stands(1, archived_at=NOON))
    answer = recalls.ask("tokio", fences=[NO_TELEMETRY])
    assert (answer["matched"], "excluded" in answer) == (2, False)
    assert recalls.ask("tokio", fences=[only(LabelField.KIND, "telemetry")])["excluded"] == {"archived": 1}


@pytest.mark.parametrize(
    ("fence", "fields"),
    [
        (MarkFence(MarkField.TAGS, frozenset({"async", "x"})), {"tags": ("build", "async")}),
        (MarkFence(MarkField.TOPICS, frozenset({"runtime"})), {"topics": ("runtime",)}),
        (MarkFence(MarkField.ENTITIES, frozenset({entity_mark("ADA lovelace")})), {"entities": ("Ada Lovelace",)}),
        (MarkFence(MarkField.METADATA, frozenset({metadata_mark("port", "1")})), {"metadata": (("host", '"a"'), ("port", "1"))}),
        (CreationFence(NOON, NOON), {"captured_at": NOON}),
    ],
    ids=["tags", "topics", "entities", "metadata", "creation"],
)
def test_every_other_fence_fences_a_recall(fence: Fence, fields: dict[str, Any]) -> None:
    """F9: what passes is found, what does not is not counted."""
    recalls = Recalls()
    recalls.remember("tokio", **fields)
    recalls.remember("tokio", captured_at=Instant(NOON + 1), tags=("asyn",), entities=("Ada",), metadata=(("port", '"1"'),))
    answer = recalls.ask("tokio", fences=[fence])
    assert ([result["id"] for result in answer["results"]], answer["matched"]) == (["cap-1"], 1)


def test_a_bare_day_is_fenced_whole() -> None:
    """F9: since and until of one day hold everything captured on it, in UTC."""
    recalls = Recalls()
    first, last = parse_day("2026-03-01", "since")
    for at in (first - 1, first, NOON, last, last + 1):
        recalls.remember("tokio", captured_at=Instant(at))
    assert recalls.found("tokio", fences=[CreationFence(first, last)]) == [2, 3, 4]


def test_fences_compose_and_hold_before_any_cap() -> None:
    """F4: a hundred better matches outside take no place inside."""
    recalls = labelled(*[{"project_id": "other", "session_id": "s"}] * 100)
    recalls.remember("tokio with a longer text", labels=labels(project_id="nott", session_id="s"))
    recalls.remember("tokio with a longer text", labels=labels(project_id="nott", session_id="t"))
    answer = recalls.ask("tokio", fences=[below("nott"), only(LabelField.SESSION, "s")], limit=1)
    assert ([result["id"] for result in answer["results"]], answer["matched"]) == (["cap-101"], 1)


def test_what_lies_outside_the_scope_is_not_counted_as_excluded() -> None:
    """F4, F6: a scope fence hides, an exclusion reason counts."""
    recalls = labelled({"project_id": "nott"}, {"project_id": "other"}, {"project_id": "other"})
    recalls.write(stands(1, archived_at=NOON), stands(2, archived_at=NOON), stands(3, falsified_at=NOON))
    assert recalls.ask("tokio", fences=[below("nott")])["excluded"] == {"archived": 1}
    assert recalls.ask("tokio", fences=[below("nowhere")])["outcome"] == "abstain"


# ── the window of fact-time ───────────────────────────────────────────────────────────────────────────────────────────────────

MARCH = TimeWindow(NOON, Instant(NOON + days(1)))


def dated(*events: EventRange | None) -> Recalls:
    recalls = Recalls()
    for event in events:
        recalls.remember("tokio", event=event)
    return recalls


def test_a_window_grounds_what_meets_it_and_tells_the_others_apart() -> None:
    """F3: both ends of both inclusive; disjoint ones are outside, undeclared ones undated."""
    inside = [
        EventRange(Instant(NOON - 9), NOON),
        EventRange(Instant(NOON + days(1)), Instant(NOON + days(9))),
        EventRange(Instant(0), Instant(NOON + days(99))),
        EventRange(NOON, NOON),
    ]
    outside = [EventRange(Instant(0), Instant(NOON - 1)), EventRange(Instant(NOON + days(1) + 1), Instant(NOON + days(2)))]
    answer = dated(*inside, *outside, None).ask("tokio", window=MARCH)
    assert [result["id"] for result in answer["results"]] == ["cap-1", "cap-2", "cap-3", "cap-4"]
    assert answer["excluded"] == {"outside_time_window": 2, "undated": 1}


@pytest.mark.parametrize(
    ("window", "found"), [(TimeWindow(NOON, None), [2, 3]), (TimeWindow(None, NOON), [1, 2]), (TimeWindow(NOON, NOON), [2])]
)
def test_one_bound_of_a_window_is_enough(window: TimeWindow, found: list[int]) -> None:
    """F3: the other side is open."""
    events = [EventRange(Instant(at), Instant(at)) for at in (NOON - 1, NOON, NOON + 1)]
    assert dated(*events).found("tokio", window=window) == found


def test_a_window_is_applied_before_any_cap() -> None:
    """F3, F4, case H1: what happened last week is found among a hundred better matches that did not."""
    recalls = dated(*[EventRange(Instant(0), Instant(0))] * 100)
    recalls.remember("tokio in a longer text", event=EventRange(NOON, NOON))
    answer = recalls.ask("tokio", window=MARCH, limit=1)
    assert [result["id"] for result in answer["results"]] == ["cap-101"]
    assert answer["excluded"] == {"outside_time_window": 100}


def test_without_a_window_dates_do_not_matter() -> None:
    """F3: undated capsules ground."""
    assert dated(None, EventRange(Instant(0), Instant(0))).ask("tokio")["matched"] == 2


# ── the forgotten ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def forgotten(**given: str) -> Recalls:
    """A store whose third capsule is forgotten, and two others are not."""
    recalls = labelled({}, {}, given)
    recalls.write(entombed(3))
    return recalls


def test_a_term_that_is_a_forgotten_id_counts_one_tombstone() -> None:
    """F8: and nothing of what was forgotten comes back with it."""
    answer = forgotten().ask("cap-3")
    assert (answer["outcome"], answer["results"], answer["excluded"]) == ("missing_evidence", [], {"tombstoned": 1})


def test_a_tombstone_is_counted_beside_what_the_lane_finds() -> None:
    """F8, O2: on a grounded answer too, whatever cuts it."""
    for given in ({}, {"limit": 0}, {"token_budget": 0}, {"min_support": 0.01}):
        answer = forgotten().ask("tokio", "cap-3", **given)
        assert (answer["outcome"], answer["matched"], answer["excluded"]["tombstoned"]) == ("grounded", 2, 1)


@pytest.mark.parametrize("term", ["cap 3", "CAP-3", "cap-03", "cap-3!", " cap-3", "cap-33", "cap-3 tokio", "3"])
def test_only_the_exact_id_probes(term: str) -> None:
    """F8: anything else is words."""
    assert "excluded" not in forgotten().ask(term)


def test_an_id_that_stands_is_words_alone() -> None:
    """F8: only a forgotten capsule is counted by its id; a text that names an id is found by it."""
    recalls = forgotten()
    assert recalls.ask("cap-1")["outcome"] == "abstain"
    recalls.remember("as cap-1 and cap-3 say")
    assert recalls.found("cap-1") == [4]
    assert recalls.ask("cap-3")["excluded"] == {"tombstoned": 1}
    assert recalls.found("cap-3") == [4]


def test_each_forgotten_id_counts_once() -> None:
    """F8: however often it is named."""
    recalls = forgotten()
    recalls.write(entombed(2))
    assert recalls.ask("cap-3", "cap-2", "cap-3", "cap-99")["excluded"] == {"tombstoned": 2}


def test_forgotten_content_is_never_found() -> None:
    """F8: its words find nothing, and nothing tells that they ever did."""
    recalls = Recalls()
    recalls.remember("the secret of tokio")
    recalls.write(entombed(1))
    answer = recalls.ask("secret", "tokio")
    assert (answer["outcome"], answer["matched"], "excluded" in answer) == ("abstain", 0, False)


@pytest.mark.parametrize(
    ("fences", "counted"),
    [
        ([only(LabelField.SESSION, "sess-1")], True),
        ([only(LabelField.SESSION, "sess-1 ")], False),
        ([only(LabelField.PROJECT, "nott/x")], True),
        ([only(LabelField.PROJECT, "nott")], False),
        ([below("nott")], True),
        ([below("not")], False),
        ([below("nott"), only(LabelField.SESSION, "other")], False),
        ([only(LabelField.KIND, "fact"), NO_TELEMETRY], True),
        ([only(LabelField.KIND, "task")], False),
        ([only(LabelField.USER, "ann"), CreationFence(Instant(0), Instant(0))], True),
    ],
)
def test_the_fences_that_a_skeleton_can_meet_must_admit_it(fences: list[Fence], *, counted: object) -> None:
    """F8: another session or project cannot learn that a tombstone exists; what a skeleton does not keep cannot fence it."""
    answer = forgotten(session_id="sess-1", project_id="nott/x", kind="fact", user_id="bob").ask("cap-3", fences=fences)
    assert ("tombstoned" in answer.get("excluded", {})) is counted


def test_forgotten_telemetry_stays_uncounted() -> None:
    """F8, F9: what was left out alive is left out dead."""
    assert "excluded" not in forgotten(kind="telemetry").ask("cap-3", fences=[NO_TELEMETRY])
