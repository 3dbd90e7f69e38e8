"""Filters as callers write them, and the fences that they become (F9)."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordance.domain.capsule import LabelField
from recordance.domain.instant import MICROSECONDS_PER_DAY, Instant
from recordance.domain.vocabulary import SUBTYPES, Category, Domain, Intent, Interface, Kind, ReviewStatus, Type
from recordance.errors import InvalidArgument
from recordance.query.fence import Scope, admits, marks_of
from recordance_adapters.wire.declaration import Declaration
from recordance_adapters.wire.filters import FILTERS, fences_of, stated_of
from support.truths import NOON, labels, make_capture

DECLARED = Declaration(FILTERS)
DAY = "2026-03-01"


def passes(filters: Mapping[str, Any], **capsule: Any) -> bool:
    """Whether a capsule with these fields passes filters as a caller writes them."""
    given = labels(**{name: capsule.pop(name) for name in list(capsule) if name in set(LabelField)})
    capture = make_capture(1, labels=given, **capsule)
    return admits(Scope(fences_of(DECLARED.read(dict(filters)))), capture.capsule, marks_of(capture.text))


def refused(filters: Mapping[str, Any]) -> InvalidArgument:
    with pytest.raises(InvalidArgument) as raised:
        fences_of(DECLARED.read(dict(filters)))
    return raised.value


@pytest.mark.parametrize(
    ("filters", "inside", "outside"),
    [
        ({"project": "a"}, {"project_id": "a"}, {"project_id": "a/b"}),
        ({"type": "lesson"}, {"type": "lesson"}, {"type": "fact"}),
        ({"kind": "fact"}, {"kind": "fact"}, {"kind": "summary"}),
        ({"memory_subtype": "preference"}, {"subtype": "preference"}, {"subtype": "domain_rule"}),
        ({"category": "human"}, {"category": "human"}, {"category": "product"}),
        ({"domain": "research"}, {"domain": "research"}, {"domain": "product_strategy"}),
        ({"repo": "r"}, {"repo": "r"}, {"repo": "R"}),
        ({"branch": "main"}, {"branch": "main"}, {"branch": "trunk"}),
        ({"branch": "main"}, {"repo": "r"}, {"branch": "Main"}),
        ({"entity": "Tokio"}, {"entities": ("TOKIO", "x")}, {"entities": ("x",)}),
        ({"entities": ["x", "tokio"]}, {"entities": ("Tokio",)}, {"entities": ("y",)}),
        ({"topics": ["db", "io"]}, {"topics": ("io",)}, {"topics": ("IO",)}),
        ({"intent": "plan"}, {"intent": "plan"}, {"intent": "problem"}),
        ({"task_key": "T-1"}, {"task_key": "T-1"}, {"task_key": "T-2"}),
        ({"workstream_key": "w"}, {"workstream_key": "w"}, {"task_key": "w"}),
        ({"episode_id": "e"}, {"episode_id": "e"}, {"episode_id": "f"}),
        ({"review_status": "approved"}, {"review_status": "approved"}, {"review_status": "candidate"}),
        ({"origin_user_id": "u"}, {"origin_user_id": "u"}, {"user_id": "u"}),
        ({"origin_agent_id": "a"}, {"origin_agent_id": "a"}, {"agent_id": "a"}),
        ({"origin_interface": "cli"}, {"origin_interface": "cli"}, {"origin_interface": "mcp"}),
        ({"user_id": "u"}, {"user_id": "u"}, {"origin_user_id": "u"}),
        ({"agent_id": "a"}, {"agent_id": "a"}, {"origin_agent_id": "a"}),
        ({"session_id": " s "}, {"session_id": " s "}, {"session_id": "s"}),
        (
            {"decisions_only": True},
            {"type": "decision", "tags": ("structured",)},
            {"type": "decision", "tags": ("Structured",)},
        ),
        (
            {"decisions_only": True},
            {"type": "decision", "tags": ("a", "structured")},
            {"kind": "decision", "tags": ("structured",)},
        ),
        (
            {"metadata_filter": {"a": 1, "b": "x"}},
            {"metadata": (("a", "1"), ("b", '"x"'), ("c", "null"))},
            {"metadata": (("a", "1"), ("b", "x"))},
        ),
        ({"metadata_filter": {"a": {"y": 1, "x": 2}}}, {"metadata": (("a", '{"x":2,"y":1}'),)}, {"metadata": (("a", '"1"'),)}),
    ],
)  # fmt: skip
def test_a_filter_admits_what_bears_its_value_and_nothing_else(
    filters: dict[str, Any], inside: dict[str, Any], outside: dict[str, Any]
) -> None:
    """F9: each by itself; a capsule that bears nothing passes only where the filter is of branches."""
    assert passes(filters, **inside)
    assert not passes(filters, **outside)
    assert passes(filters) is ("branch" in filters)


@pytest.mark.parametrize("filters", [{}, {"type": "all"}, {"decisions_only": False}])
def test_what_fences_nothing_admits_all_but_telemetry(filters: dict[str, Any]) -> None:
    """F9: `all` is no type, and what the service notes about itself answers nobody who did not ask for it."""
    assert passes(filters, type="lesson", kind="fact")
    assert passes(filters)
    assert not passes(filters, kind="telemetry")
    assert stated_of(filters, DECLARED.read(filters)) == ()


@pytest.mark.parametrize("filters", [{"kind": "telemetry"}, {"memory_subtype": "recall_event"}])
def test_telemetry_is_found_by_whoever_asks_for_it(filters: dict[str, Any]) -> None:
    """F9: by its kind or by one of its subtypes."""
    assert passes(filters, kind="telemetry", subtype="recall_event")


@pytest.mark.parametrize(
    ("filters", "first", "last"),
    [
        ({"since": DAY, "until": DAY}, -MICROSECONDS_PER_DAY // 2, MICROSECONDS_PER_DAY // 2 - 1),
        ({"since": "2026-03-01T12:00:00Z", "until": "2026-03-01T14:00:00+02:00"}, 0, 0),
    ],
)
def test_since_and_until_are_inclusive_and_a_bare_date_is_its_whole_day(filters: dict[str, Any], first: int, last: int) -> None:
    """F9, case H2: creation time, to the microsecond; a day is a day of UTC wherever the server stands."""
    for offset, inside in ((first - 1, False), (first, True), (last, True), (last + 1, False)):
        assert passes(filters, captured_at=Instant(NOON + offset)) is inside, offset
    assert passes({"since": filters["since"]}, captured_at=Instant(NOON + last + 1))
    assert passes({"until": filters["until"]}, captured_at=Instant(NOON + first - 1))


def test_an_interval_that_ends_before_it_begins_is_refused() -> None:
    """F9: it would answer nothing for ever; the same day at both ends is a day."""
    assert refused({"since": "2026-03-02", "until": DAY}).field == "until"


@pytest.mark.parametrize("name", [parameter.name for parameter in FILTERS])
def test_a_null_in_the_place_of_a_filter_is_refused(name: str) -> None:
    """F9: a filter that falls away unseen shows what it should hide."""
    assert refused({name: None}).field == name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("type", [*Type, "all"]),
        ("kind", list(Kind)),
        ("memory_subtype", [word for words in SUBTYPES.values() for word in words]),
        ("category", list(Category)),
        ("domain", list(Domain)),
        ("intent", list(Intent)),
        ("review_status", list(ReviewStatus)),
        ("origin_interface", list(Interface)),
    ],
)
def test_an_unknown_word_of_a_vocabulary_is_refused_with_the_list(name: str, words: list[str]) -> None:
    """F9: guessing would answer another question."""
    refusal = refused({name: "nonsense"})
    assert refusal.field == name
    assert all(str(word) in refusal.expected for word in words)
    assert refused({name: 3}).field == name


def test_a_subtype_must_be_one_of_its_kind() -> None:
    """F9: the two together would match nothing; alone a subtype says which kind is meant."""
    refusal = refused({"kind": "summary", "memory_subtype": "preference"})
    assert (refusal.field, refusal.expected) == ("memory_subtype", "one of session_index, episode, workstream")
    assert passes({"kind": "fact", "memory_subtype": "preference"}, kind="fact", subtype="preference")


@pytest.mark.parametrize(
    "filters",
    [
        {"entities": []}, {"topics": []}, {"metadata_filter": {}}, {"metadata_filter": "a=1"}, {"entity": ""}, {"project": " "},
        {"since": "yesterday"}, {"until": "2026-02-30"}, {"since": "2026-03-01T12:00:00"}, {"decisions_only": "yes"},
    ],
    ids=repr,
)  # fmt: skip
def test_a_filter_that_says_nothing_is_refused(filters: dict[str, Any]) -> None:
    """F9, case H2: an empty one would be no fence, and a time without an offset is another on every machine."""
    refusal = refused(filters)
    assert refusal.field in filters
    assert refusal.expected


def test_filters_are_stated_as_they_were_written() -> None:
    """O1: whoever finds nothing is told by what it was fenced, word for word."""
    raw = {"until": DAY, "entities": ["Tokio"], "type": "all", "project": "a"}
    assert stated_of(raw, DECLARED.read(raw)) == (("project", "a"), ("entities", ["Tokio"]), ("until", DAY))


SINGLES: dict[str, Any] = {
    "project": "a", "type": "fact", "kind": "fact", "category": "human", "branch": "main", "entity": "X", "entities": ["x", "y"],
    "topics": ["t"], "intent": "plan", "task_key": "k", "metadata_filter": {"m": True}, "since": DAY, "until": "2026-03-02",
    "user_id": "u", "decisions_only": True,
}  # fmt: skip
VALUES: dict[str, Any] = {
    "project_id": "a", "type": "fact", "kind": "fact", "category": "human", "branch": "main", "intent": "plan", "task_key": "k",
    "user_id": "u",
}  # fmt: skip


@given(
    names=st.sets(st.sampled_from(sorted(SINGLES))),
    borne=st.sets(st.sampled_from(sorted(VALUES))),
    marks=st.sets(st.sampled_from(["decision", "entity", "topic", "tag", "metadata"])),
    hours=st.integers(-24, 48),
)
def test_several_filters_admit_what_each_of_them_admits(names: set[str], borne: set[str], marks: set[str], hours: int) -> None:
    """F9: drawn filters over drawn capsules; all are AND-ed, and none weakens another."""
    capsule: dict[str, Any] = {name: VALUES[name] for name in borne}
    capsule |= {"type": "decision"} if "decision" in marks else {}
    capsule |= {
        "captured_at": Instant(NOON + hours * 3_600_000_000),
        "entities": ("x",) if "entity" in marks else (),
        "topics": ("t",) if "topic" in marks else (),
        "tags": ("structured",) if "tag" in marks else (),
        "metadata": (("m", "true"),) if "metadata" in marks else (),
    }
    together = passes({name: SINGLES[name] for name in names}, **dict(capsule))
    assert together is all(passes({name: SINGLES[name]}, **dict(capsule)) for name in names)
