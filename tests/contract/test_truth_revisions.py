"""A revision: the next text of a capsule, with everything that is kept of it in step (W13)."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from recordance.domain.capsule import Standing
from recordance.domain.change import ChangeSet, Revise, SetStanding
from recordance.domain.identity import content_digest
from recordance.domain.provenance import Anchor
from recordance.domain.validity import Validity
from recordance.errors import Fault
from recordance.ports.truth import KeyedCapsule, KnownContent, Truth
from recordance.query.document import term_document
from recordance.ranking.bm25 import CorpusStatistics
from support.truths import (
    ADAPTERS,
    NOON,
    captured,
    days,
    entombed,
    labels,
    make_capture,
    opened,
    read_everything,
    remember,
    revised,
    write,
)


@pytest.fixture(params=ADAPTERS)
def truth(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Truth]:
    with opened(request.param, tmp_path) as truth:
        yield truth


def test_a_revision_is_what_a_capsule_says_from_then_on(truth: Truth) -> None:
    """As W13 asks: text, marks, labels and numbers, whole; nothing of the one before shows through."""
    old = {"tags": ("old",), "anchors": (Anchor("a.py:1", "a.py", 1), Anchor("b")), "metadata": (("n", "1"),), "proof_hint": "x"}
    write(truth, captured(make_capture(1, "one two three", **old)))
    new = make_capture(
        1,
        "four",
        revision=2,
        tags=("new",),
        anchors=(Anchor("c"),),
        labels=labels(kind="decision", session_id="s"),
        validity=Validity(NOON, NOON + days(1)),
        updated_at=NOON + 5,
        confidence=0.25,
        taint=("override",),
        standing=Standing(quarantined_at=NOON),
    )
    write(truth, ChangeSet((Revise(new.capsule, new.text),)))
    with truth.reading() as reader:
        assert reader.capsules([1]) == {1: new.capsule}
        assert reader.texts([1]) == {1: new.text}
        assert reader.contents([1]) == {1: "four"}
        assert reader.documents([1]) == {1: term_document(new.capsule, new.text)}


def test_the_counters_follow_the_words_and_the_project(truth: Truth) -> None:
    """L17: N and the lengths are those of the current contents, in the store and in each subtree."""
    remember(truth, "one two three", "four", labels=labels(project_id="p"))
    write(truth, revised(1, "five six", labels=labels(project_id="q")))
    with truth.reading() as reader:
        assert reader.corpus() == CorpusStatistics(2, 3)
        assert reader.corpus_within(frozenset({"p"})) == CorpusStatistics(1, 1)
        assert reader.corpus_within(frozenset({"q"})) == CorpusStatistics(1, 2)
        assert reader.last_number() == 2
    write(truth, entombed(1))
    with truth.reading() as reader:
        assert reader.corpus() == CorpusStatistics(1, 1)
        assert reader.corpus_within(frozenset({"q"})) == CorpusStatistics(0, 0)


def test_a_capsule_is_known_by_what_it_says_now(truth: Truth) -> None:
    """W1, W7: equal content is that of the current revision, and a key is held by who bears it now."""
    remember(truth, "old", labels=labels(key="k"))
    write(truth, revised(1, "new", labels=labels(key="l", project_id="p")))
    with truth.reading() as reader:
        assert reader.known_contents([content_digest("old"), content_digest("new")]) == [
            KnownContent(content_digest("new"), "p", 1)
        ]
        assert reader.keyed(["k", "l"]) == [KeyedCapsule("p", "l", 1)]


def test_revisions_follow_one_another_in_one_write_or_in_many(truth: Truth) -> None:
    """As W13 asks: each is one above the last, and comes before what else is decided of the capsule in that write."""
    remember(truth, "first")
    decided = ChangeSet((SetStanding(1, Standing(archived_at=NOON), NOON),))
    write(truth, decided.then(revised(1, "second")).then(revised(1, "third", 3)))
    with truth.reading() as reader:
        assert (reader.capsules([1])[1].revision, reader.contents([1])) == (3, {1: "third"})
        assert reader.capsules([1])[1].standing.archived_at == NOON


@pytest.mark.parametrize(
    "changes",
    [
        revised(1, revision=1),
        revised(1, revision=3),
        revised(9),
        revised(2),
        ChangeSet((Revise(make_capture(1, revision=2).capsule, make_capture(1, revision=3).text),)),
    ],
    ids=["again the first", "one left out", "of none", "of a forgotten one", "of two minds"],
)
def test_a_revision_that_does_not_follow_the_last_changes_nothing(truth: Truth, changes: ChangeSet) -> None:
    """As W13 asks: two that were made of the same text are never merged silently."""
    remember(truth, "here", "gone")
    write(truth, entombed(2))
    with truth.reading() as reader:
        before = read_everything(reader)
    with pytest.raises(Fault):
        write(truth, changes)
    with truth.reading() as reader:
        assert read_everything(reader) == before


def test_every_revision_stays_in_the_store_until_it_is_forgotten(tmp_path: Path) -> None:
    """As W13 asks: what a capsule said before stands beside what it says now; forgetting empties all of them."""

    def kept() -> list[tuple]:
        with closing(sqlite3.connect(tmp_path / "store" / "truth.db")) as connection:
            texts = connection.execute("SELECT revision, content, tags FROM capsule_revision").fetchall()
            anchors = connection.execute("SELECT revision, text, path FROM anchor").fetchall()
            marks = connection.execute("SELECT count(*) FROM capsule_mark").fetchone()
            return [*texts, *anchors, *marks]

    with opened("sqlite", tmp_path) as truth:
        write(truth, captured(make_capture(1, "old", tags=("t", "u"), anchors=(Anchor("a:1", "a", 1),))))
        write(truth, revised(1, "new", tags=("t",), anchors=(Anchor("b"),)))
        assert kept() == [(1, "old", '["t","u"]'), (2, "new", '["t"]'), (1, "a:1", "a"), (2, "b", None), 1]
        write(truth, entombed(1))
        assert kept() == [(1, "", "[]"), (2, "", "[]"), (1, "", None), (2, "", None), 0]
