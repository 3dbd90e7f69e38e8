"""Scope fences as predicates: exact, character by character, and all of them at once."""

import itertools
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordance.domain.caller import Caller
from recordance.domain.capsule import LabelField
from recordance.domain.instant import EARLIEST, LATEST, Instant
from recordance.query.fence import (
    CreationFence,
    Fence,
    LabelBarrier,
    LabelFence,
    MarkFence,
    MarkField,
    MemberFence,
    Scope,
    SubtreeFence,
    admits,
    entity_mark,
    marks_of,
    metadata_mark,
)
from support.truths import NOON, any_text, labels, make_capture

ODD_LABELS = (
    "550e8400-e29b-41d4-a716-446655440000", "a-b", "main", "AND", "OR NOT", "*", "%", "_", "?", '"quoted"', "it's", "a:b", "(x)",
    "l" * 300, " padded ", "Ünïcode", "日本", "a\nb", "\\", "/", "nott/", "😀",
)  # fmt: skip
"""Values that some query language somewhere gives a meaning to."""


def sees(fence: Fence, number: int = 1, **given: Any) -> bool:
    capture = make_capture(number, **given)
    return admits(Scope((fence,)), capture.capsule, marks_of(capture.text))


def exactly(field: LabelField, *values: str | None) -> LabelFence:
    return LabelFence(field, frozenset(values))


def below(*prefixes: str) -> SubtreeFence:
    return SubtreeFence(frozenset(prefixes))


def in_project(project: str) -> dict[LabelField, str]:
    return labels(project_id=project)


@pytest.mark.parametrize("project", ["nott", "nott/x", "nott/x/y", "nott//", "nott/%"])
def test_a_prefix_covers_itself_and_what_lies_below(project: str) -> None:
    """F1: what follows the prefix starts with a slash."""
    assert sees(below("nott"), labels=in_project(project))


@pytest.mark.parametrize(
    "project", ["nottx", "not", "Nott", "NOTT/x", "xnott", "x/nott", "nott-x", "nott%", "n_tt/x", "ńott", " nott"]
)
def test_a_prefix_covers_nothing_that_only_looks_like_it(project: str) -> None:
    """F1, case F1: no globbing, no case folding, no part of a name."""
    assert not sees(below("nott"), labels=in_project(project))


@pytest.mark.parametrize("prefix", ["n%", "n_tt", "*", "no*", "nott/%", "."])
def test_a_prefix_is_no_pattern(prefix: str) -> None:
    """F1, case B7: every character means itself."""
    assert not sees(below(prefix), labels=in_project("nott/x"))
    assert sees(below(prefix), labels=in_project(prefix + "/y"))


def test_an_unstamped_capsule_lies_in_no_project() -> None:
    """F1, F13: neither exactly nor below anything."""
    assert not sees(below("nott"), labels={})
    assert not sees(below(""), labels={})
    assert not sees(exactly(LabelField.PROJECT, "nott"), labels={})


def test_any_of_several_subtrees_is_enough() -> None:
    """F13: a token may carry several projects."""
    two = below("nott", "a/b")
    assert [sees(two, labels=in_project(name)) for name in ("nott/x", "a/b", "a", "b")] == [True, True, False, False]
    assert not sees(below(), labels=in_project("nott"))


@given(st.text("ab/%", max_size=6), st.text("ab/%", min_size=1, max_size=4))
def test_a_subtree_is_what_its_definition_says(project: str, prefix: str) -> None:
    """F1: against its definition, path by path."""
    covered = any(project == prefix + rest for rest in ["", *(project[at:] for at in range(len(project)) if project[at] == "/")])
    assert sees(below(prefix), labels=in_project(project)) is covered


def test_a_callers_own_fence_is_the_same_subtree() -> None:
    """F13: one definition of what lies below."""
    caller = Caller(actor="ann", projects=frozenset({"nott", "a/b"}))
    for project in ("nott", "nott/x", "nottx", "a", "a/b", "a/b/c"):
        assert caller.sees_project(project) is sees(below("nott", "a/b"), labels=in_project(project))
    assert not caller.sees_project(None)
    assert Caller(actor="ann").sees_project(None)


@pytest.mark.parametrize("label", ODD_LABELS)
@pytest.mark.parametrize("field", [LabelField.SESSION, LabelField.PROJECT, LabelField.USER, LabelField.EPISODE])
def test_a_label_fence_admits_its_label_and_no_other(field: LabelField, label: str) -> None:
    """F2, F9, case B7: never parsed, trimmed, folded or measured."""
    assert sees(exactly(field, label), labels={field: label})
    for other in {*ODD_LABELS, label + " ", " " + label, label.swapcase(), label + "x", label[:-1]} - {label}:
        assert not sees(exactly(field, label), labels={field: other})


def test_composed_and_decomposed_labels_are_two() -> None:
    """F2: a label is its characters; only words of texts fold."""
    composed, decomposed = (unicodedata.normalize(form, "é") for form in ("NFC", "NFD"))
    assert not sees(exactly(LabelField.SESSION, composed), labels={LabelField.SESSION: decomposed})


@pytest.mark.parametrize("field", LabelField)
def test_every_label_field_is_fenced_by_itself_alone(field: LabelField) -> None:
    """F9, case F3: no field is forgotten, and none is taken for another."""
    borne = dict.fromkeys(LabelField, "x")
    assert sees(exactly(field, "x"), labels={field: "x"})
    assert sees(exactly(field, "x"), labels=borne)
    assert not sees(exactly(field, "x"), labels=borne | {field: "y"})
    assert not sees(exactly(field, "x"), labels={each: "x" for each in LabelField if each is not field})


def test_a_fence_may_admit_what_bears_no_label() -> None:
    """F9: capsules without a branch pass too."""
    either = exactly(LabelField.BRANCH, "main", None)
    assert [sees(either, labels=labels(**borne)) for borne in ({"branch": "main"}, {}, {"branch": "dev"})] == [True, True, False]
    assert not sees(exactly(LabelField.BRANCH, "main"), labels={})


def test_telemetry_is_left_out_by_a_barrier_that_admits_all_else() -> None:
    """F9: what bears no kind is not telemetry."""
    barrier = LabelBarrier(LabelField.KIND, frozenset({"telemetry"}))
    assert [sees(barrier, labels=labels(**borne)) for borne in ({"kind": "telemetry"}, {"kind": "fact"}, {})] == [
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("field", [MarkField.TAGS, MarkField.TOPICS])
def test_one_of_several_marks_is_enough_and_is_exact(field: MarkField) -> None:
    """F9: any of them; as written, and within its own field."""
    fence = MarkFence(field, frozenset({"async", "a-b"}))
    assert sees(fence, **{field.value: ("x", "async")})
    for borne in ({field.value: ("Async", "asyn", "async ")}, {field.value: ()}, {"entities": ("async",)}):
        assert not sees(fence, **borne)


@pytest.mark.parametrize("entity", ["Ada Lovelace", "ADA LOVELACE", "ada lovelace"])
def test_entities_are_compared_without_case(entity: str) -> None:
    """F9: however a name was written."""
    assert sees(MarkFence(MarkField.ENTITIES, frozenset({entity_mark("aDa LoVeLaCe")})), entities=("x", entity))
    assert sees(MarkFence(MarkField.ENTITIES, frozenset({entity_mark("STRASSE")})), entities=("Straße",))


def test_a_metadata_pair_matches_its_name_and_value_alone() -> None:
    """F9: no name or value can imitate another pair, and 1 is not "1"."""
    fence = MarkFence(MarkField.METADATA, frozenset({metadata_mark("port", "1")}))
    assert sees(fence, metadata=(("host", '"a"'), ("port", "1")))
    for pair in (("port", '"1"'), ("port", "1.0"), ("port", "10"), ("por", "t1"), ("Port", "1"), ("por\0t", "1")):
        assert not sees(fence, metadata=(pair,))


def test_several_metadata_pairs_must_all_be_there() -> None:
    """F9: one fence a pair, and fences AND-compose."""
    pairs = (("a", "1"), ("b", "true"))
    scope = Scope(tuple(MarkFence(MarkField.METADATA, frozenset({metadata_mark(*pair)})) for pair in pairs))
    both, one = make_capture(1, metadata=pairs), make_capture(2, metadata=pairs[:1])
    assert admits(scope, both.capsule, marks_of(both.text))
    assert not admits(scope, one.capsule, marks_of(one.text))


@pytest.mark.parametrize(
    ("since", "until", "seen"),
    [
        (NOON, NOON, True),
        (NOON, None, True),
        (None, NOON, True),
        (None, None, True),
        (Instant(NOON + 1), None, False),
        (None, Instant(NOON - 1), False),
        (Instant(NOON + 1), Instant(NOON - 1), False),
    ],
)
def test_creation_is_fenced_with_both_ends_included(since: Instant | None, until: Instant | None, *, seen: object) -> None:
    """F9: by when the capsule was captured, and by no other of its times."""
    assert sees(CreationFence(since, until), captured_at=NOON, updated_at=LATEST) is seen
    assert sees(CreationFence(EARLIEST, LATEST), captured_at=NOON)


def test_members_are_seen_and_nobody_else() -> None:
    """F5: an effort is its epic and its members."""
    assert [sees(MemberFence(frozenset({1, 3})), number=number) for number in (1, 2, 3)] == [True, False, True]


FENCES: tuple[Fence, ...] = (
    exactly(LabelField.SESSION, "s"),
    below("nott"),
    MarkFence(MarkField.TAGS, frozenset({"t"})),
    CreationFence(NOON, None),
    MemberFence(frozenset({1})),
    LabelBarrier(LabelField.KIND, frozenset({"telemetry"})),
)


def test_every_fence_must_admit() -> None:
    """F4: all of them AND-compose, whichever they are."""
    fitting: dict[str, Any] = {"labels": labels(session_id="s", project_id="nott/x", kind="fact"), "tags": ("t",)}
    broken = [
        fitting | {"labels": labels(session_id="z", project_id="nott/x")},
        fitting | {"labels": labels(session_id="s", project_id="nottx")},
        fitting | {"tags": ()},
        fitting | {"captured_at": Instant(NOON - 1)},
        fitting | {"number": 2},
        fitting | {"labels": labels(session_id="s", project_id="nott", kind="telemetry")},
    ]
    for place, case in enumerate([fitting, *broken]):
        capture = make_capture(**{"number": 1} | case)
        for fences in itertools.permutations(FENCES, 6):
            assert admits(Scope(fences), capture.capsule, marks_of(capture.text)) is (place == 0)


def test_without_a_fence_everything_is_seen() -> None:
    """F4: nothing is fenced that nobody fenced."""
    assert admits(Scope(), make_capture(1).capsule, marks_of(make_capture(1).text))


@given(st.text(max_size=5), st.text(max_size=5), any_text)
def test_marks_of_metadata_are_as_different_as_their_pairs(name: str, other: str, value: str) -> None:
    """F9: a pair is its name and its value, and no two pairs have one mark."""
    name, other = name.replace("\0", ""), other.replace("\0", "")
    assert (metadata_mark(name, value) == metadata_mark(other, value)) is (name == other)
    assert metadata_mark(name + "a", "b") != metadata_mark(name, "ab")
