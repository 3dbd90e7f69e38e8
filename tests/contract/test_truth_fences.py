"""Which capsules with a vector a scope admits: every store says what the pure predicate says (decision 4)."""

import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordance.domain.capsule import LabelField
from recordance.domain.change import Capture, ChangeSet, PutEmbedding, PutSpace
from recordance.domain.embedding import DEFAULT_SPACE, Embedding, Space, vector_of
from recordance.domain.instant import Instant
from recordance.ports.truth import Truth
from recordance.query.document import term_document
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
    marks_of,
)
from recordance_adapters.driven.sql_truth import fencing
from support.documents import scope_about
from support.truths import ADAPTERS, NOON, captured, drawn_captures, examples_on, labels, make_capture, opened, revised, write

SCOPES_EACH = 40
POINT = vector_of([1.0])


@pytest.fixture(params=ADAPTERS)
def truth(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Truth]:
    with opened(request.param, tmp_path) as truth:
        yield truth


def store(truth: Truth, captures: Sequence[Capture], without: frozenset[int] = frozenset()) -> None:
    """Capture all, and embed all but `without`."""
    points = [each.capsule for each in captures if each.capsule.number not in without]
    embeddings = [PutEmbedding(Embedding(each.number, DEFAULT_SPACE, each.content_digest, POINT, NOON)) for each in points]
    write(truth, captured(*captures), ChangeSet((PutSpace(Space(DEFAULT_SPACE, 1), NOON), *embeddings)))


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_every_scope_admits_what_its_predicate_admits(adapter: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """F1, F2, F4, F5, F9: drawn capsules under drawn scopes of every kind of fence, none of them left out nor added."""

    @examples_on(adapter, 40)
    @given(data=st.data(), seed=st.integers(0, 2**32))
    def holds(data: st.DataObject, seed: int) -> None:
        captures = [data.draw(drawn_captures(number)) for number in range(1, data.draw(st.integers(1, 8)) + 1)]
        without = frozenset(data.draw(st.sets(st.integers(1, 8), max_size=2)))
        documents = [term_document(each.capsule, each.text) for each in captures]
        chance = random.Random(seed)
        with opened(adapter, tmp_path_factory.mktemp(adapter)) as truth:
            store(truth, captures, without)
            with truth.reading() as reader:
                for scope in [scope_about(documents, chance) for _ in range(SCOPES_EACH)]:
                    expected = [
                        each.capsule.number
                        for each in captures
                        if each.capsule.number not in without and admits(scope, each.capsule, marks_of(each.text))
                    ]
                    assert list(reader.embedded_within(DEFAULT_SPACE, scope)) == expected, scope

    holds()


MANY = fencing.MOST_VALUES + 1
LARGE: dict[str, Fence] = {
    "label": LabelFence(LabelField.SESSION, frozenset({None, "s2", *(f"none {place}" for place in range(MANY))})),
    "barrier": LabelBarrier(LabelField.SESSION, frozenset({"s1", *(f"none {place}" for place in range(MANY))})),
    "subtree": SubtreeFence(frozenset({"p/x", *(f"none {place}" for place in range(MANY))})),
    "mark": MarkFence(MarkField.TAGS, frozenset({"t2", *(f"none {place}" for place in range(MANY))})),
    "member": MemberFence(frozenset({1, 2, *range(100, 100 + MANY)})),
}


@pytest.mark.parametrize("other", [(), (LabelFence(LabelField.SESSION, frozenset({"s2", None})),)], ids=["alone", "with another"])
@pytest.mark.parametrize("name", LARGE)
def test_a_fence_may_have_any_number_of_values(truth: Truth, name: str, other: tuple[Fence, ...]) -> None:
    """F4, W14: what a database takes in one statement is no limit of the port: an effort may have thousands of members."""
    captures = [
        make_capture(1, "a", labels=labels(session_id="s1", project_id="p"), tags=("t1",)),
        make_capture(2, "b", labels=labels(session_id="s2", project_id="p/x/y"), tags=("t2",)),
        make_capture(3, "c"),
    ]
    store(truth, captures)
    scope = Scope((LARGE[name], *other))
    with truth.reading() as reader:
        found = reader.embedded_within(DEFAULT_SPACE, scope)
    assert found == [each.capsule.number for each in captures if admits(scope, each.capsule, marks_of(each.text))]
    assert found


def test_a_fence_looks_at_what_a_capsule_bears_now(truth: Truth) -> None:
    """F9: a revision takes its tags, and its labels, with it."""
    store(truth, [make_capture(1, "a", tags=("old",), labels=labels(user_id="ann"))])
    write(truth, revised(1, "a", tags=("new",), labels=labels(user_id="bob")))
    with truth.reading() as reader:
        for fence, admitted in (
            (MarkFence(MarkField.TAGS, frozenset({"old"})), []),
            (MarkFence(MarkField.TAGS, frozenset({"new"})), [1]),
            (LabelFence(LabelField.USER, frozenset({"ann"})), []),
            (LabelFence(LabelField.USER, frozenset({"bob"})), [1]),
        ):
            assert list(reader.embedded_within(DEFAULT_SPACE, Scope((fence,)))) == admitted


def test_labels_are_compared_themselves_and_not_their_digests_alone(tmp_path: Path) -> None:
    """W14: a digest only finds rows; were two labels ever to share one, a fence must still hold."""
    with opened("sqlite", tmp_path) as truth:
        store(truth, [make_capture(1, "a", labels=labels(session_id="mine", project_id="p/x"))])
        with closing(sqlite3.connect(tmp_path / "store" / "truth.db")) as connection, connection:
            connection.execute("UPDATE capsule SET session_id = 'theirs', project_id = 'q/x'")
        with truth.reading() as reader:
            for fence in (LabelFence(LabelField.SESSION, frozenset({"mine"})), SubtreeFence(frozenset({"p"}))):
                assert list(reader.embedded_within(DEFAULT_SPACE, Scope((fence,)))) == []


@pytest.mark.parametrize(
    ("fence", "index"),
    [
        (LabelFence(LabelField.SESSION, frozenset({"s"})), "ix_capsule_session_id_digest"),
        (LabelFence(LabelField.PROJECT, frozenset({"p", "q"})), "ix_capsule_project_id_digest"),
        (SubtreeFence(frozenset({"p"})), "ix_capsule_project_id_digest"),
        (MarkFence(MarkField.TAGS, frozenset({"t"})), "ix_capsule_mark_field_digest"),
        (MemberFence(frozenset({1, 2})), "(capsule=? AND space=?)"),
    ],
    ids=["label", "labels", "subtree", "mark", "members"],
)
def test_a_narrow_fence_is_looked_up(fence: Fence, index: str, tmp_path: Path) -> None:
    """Decision 4: a fence that keeps one row in a thousand must not read the thousand."""
    with opened("sqlite", tmp_path) as truth, truth.reading() as reader:
        asked = fencing.embedded_where(DEFAULT_SPACE, [fence])
        prepared = reader._rows._compiler.compiled(asked)
        values = [prepared.constants[name] for name in prepared.before]
        reader._rows._cursor.execute(f"EXPLAIN QUERY PLAN {prepared.text}", values)
        plan = [row[3] for row in reader._rows._cursor.fetchall()]
    assert any(index in step for step in plan), plan
    assert not any(step.startswith(("SCAN capsule", "SCAN embedding")) for step in plan), plan


def test_creation_is_an_interval_with_both_ends(truth: Truth) -> None:
    """F9: since and until are inclusive, to the microsecond, and either may be open."""
    store(truth, [make_capture(number, str(number), captured_at=Instant(NOON + number)) for number in (1, 2, 3)])
    with truth.reading() as reader:
        for since, until, admitted in ((2, 3, [2, 3]), (None, 2, [1, 2]), (3, None, [3]), (None, None, [1, 2, 3]), (3, 2, [])):
            ends = [None if end is None else Instant(NOON + end) for end in (since, until)]
            assert list(reader.embedded_within(DEFAULT_SPACE, Scope((CreationFence(*ends),)))) == admitted
