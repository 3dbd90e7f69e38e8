"""Embedding what is stored: everything once, newest first, whatever the model does meanwhile (decision 10, W4)."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from recordance.domain.embedding import DEFAULT_SPACE, Space, vector_of
from recordance.errors import ModelFailed
from recordance.ports.truth import Truth
from recordance.usecases.embed_stored import ACTOR, StoredEmbedder, waiting
from recordance_adapters.driven.system.clock import FixedClock
from support.truths import ADAPTERS, NOON, embedded, entombed, opened, placed, remember, revised, write
from support.word_hashing import WordHashing, hashed

SPACE = "word-hashing"


@dataclass
class Duties:
    """A duty that this test has, or another process."""

    ours: bool = True

    @contextmanager
    def held(self) -> Iterator[bool]:
        yield self.ours


@dataclass
class Stored:
    """A truth with what embeds its contents, in batches of two."""

    truth: Truth
    embedder: WordHashing = field(default_factory=WordHashing)
    duties: Duties = field(default_factory=Duties)

    def __post_init__(self) -> None:
        self.background = StoredEmbedder(self.truth, self.embedder, FixedClock(NOON), self.duties.held, 2)

    def all(self) -> None:
        """Let everything be embedded that can be."""
        for _ in range(20):
            if not self.background.status().is_due:
                return
            self.background.commit()
        raise AssertionError("it does not come to an end")

    def embedded(self, *numbers: int) -> dict[int, object]:
        """The vectors of these capsules."""
        with self.truth.reading() as reader:
            return dict(reader.vectors(SPACE, numbers))

    @property
    def waiting(self) -> int:
        """How many have none."""
        with self.truth.reading() as reader:
            return waiting(reader, SPACE)


@pytest.fixture(params=ADAPTERS)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stored]:
    with opened(request.param, tmp_path) as truth:
        yield Stored(truth)


def test_everything_gets_a_vector_the_newest_first(stored: Stored) -> None:
    """W4: an embedder's space bears its model's name; what was told just now is asked for first."""
    remember(stored.truth, "a", "b", "c", "d", "e")
    assert stored.waiting == 5
    stored.background.commit()
    assert stored.embedded(1, 2, 3, 4, 5).keys() == {5, 4}
    remember(stored.truth, "f")
    stored.all()
    assert stored.embedder.batches == [["e", "d"], ["f"], ["c", "b"], ["a"]]
    assert stored.embedded(1, 6) == {1: hashed("a"), 6: hashed("f")}
    with stored.truth.reading() as reader:
        assert [each.space for each in reader.spaces()] == [Space(SPACE, hashed("a").dimension, SPACE)]
        assert {row.actor for row in reader.history(1)[1:]} == {ACTOR}
    assert stored.waiting == 0


def test_a_callers_vector_stays_apart(stored: Stored) -> None:
    """W4: two models' vectors are never compared."""
    remember(stored.truth, "a")
    own = vector_of([1.0, 0.0])
    write(stored.truth, placed(Space(DEFAULT_SPACE, 2)), embedded(1, "a", own))
    stored.all()
    with stored.truth.reading() as reader:
        assert dict(reader.vectors(DEFAULT_SPACE, [1])) == {1: own}
    assert stored.embedded(1) == {1: hashed("a")}


def test_a_revision_gets_a_vector_of_its_own(stored: Stored) -> None:
    """W4: a vector goes when the content that it was made for does, and the new content is embedded."""
    remember(stored.truth, "a", "b")
    stored.all()
    write(stored.truth, revised(1, "z"))
    assert (stored.embedded(1), stored.waiting) == ({}, 1)
    stored.all()
    assert stored.embedded(1) == {1: hashed("z")}


def test_what_is_forgotten_while_it_is_embedded_stays_gone(stored: Stored) -> None:
    """W6: the vector of a forgotten content is never written, even where the model was at it."""
    remember(stored.truth, "a", "b")
    stored.embedder._before = lambda _: write(stored.truth, entombed(2)) and None
    stored.background.commit()
    assert stored.embedded(1, 2).keys() == {1}
    assert stored.waiting == 0


def test_what_is_revised_while_it_is_embedded_is_embedded_again(stored: Stored) -> None:
    """W4: a vector of the old content is not the new one's."""
    remember(stored.truth, "a", "b")
    stored.embedder._before = lambda texts: write(stored.truth, revised(2, "z")) and None if "b" in texts else None
    stored.background.commit()
    assert stored.embedded(1, 2).keys() == {1}
    stored.all()
    assert stored.embedded(2) == {2: hashed("z")}


def test_a_text_that_the_model_refuses_waits_behind_all_others(stored: Stored) -> None:
    """Decision 10: one bad text must not keep the rest from being found."""

    def refuse(texts: Sequence[str]) -> None:
        if "c" in texts:
            raise ModelFailed("refused", why="was sent more than it takes")

    remember(stored.truth, "a", "b", "c", "d", "e")
    stored.embedder._before = refuse
    failures = 0
    for _ in range(12):
        try:
            stored.background.commit()
        except ModelFailed:
            failures += 1
    assert stored.embedded(1, 2, 3, 4, 5).keys() == {1, 2, 4, 5}
    assert (failures >= 2, stored.waiting, stored.background.status().is_due) == (True, 1, True)
    stored.embedder._before = lambda texts: None
    stored.all()
    assert stored.waiting == 0


def test_an_embedder_that_fails_leaves_everything_as_it_was(stored: Stored) -> None:
    """Decision 10: nothing depends on a model; what waits, waits."""

    def fail(_: Sequence[str]) -> None:
        raise ModelFailed("away", why="cannot be reached")

    remember(stored.truth, "a", "b", "c")
    with stored.truth.reading() as reader:
        head = reader.head()
    stored.embedder._before = fail
    for _ in range(5):
        with pytest.raises(ModelFailed):
            stored.background.commit()
    with stored.truth.reading() as reader:
        assert (reader.head(), list(reader.spaces())) == (head, [])
    stored.embedder._before = lambda texts: None
    stored.all()
    assert stored.waiting == 0


def test_a_model_of_another_dimension_than_its_space_is_refused(stored: Stored) -> None:
    """W4: a space has one dimension; a model that changed under its name is told, and nothing mixed."""
    remember(stored.truth, "a", "b")
    write(stored.truth, placed(Space(SPACE, 2, SPACE)), embedded(1, "a", vector_of([1.0, 0.0]), SPACE))
    with pytest.raises(ModelFailed) as failed:
        stored.background.commit()
    assert "64 components where those of its space have 2" in failed.value.why
    assert stored.embedded(1, 2).keys() == {1}


def test_a_model_that_changed_is_asked_on_with_one_content_and_no_more(stored: Stored) -> None:
    """W4: it may change back; until then no batch is sent to it for nothing, and what waits is counted."""
    remember(stored.truth, "a", "b", "c", "d", "e")
    write(stored.truth, placed(Space(SPACE, 2, SPACE)), embedded(1, "a", vector_of([1.0, 0.0]), SPACE))
    for _ in range(6):
        with pytest.raises(ModelFailed):
            stored.background.commit()
    assert [len(batch) for batch in stored.embedder.batches] == [2, 1, 1, 1, 1, 1]
    assert stored.waiting == 4


def test_one_process_embeds_at_a_time(stored: Stored) -> None:
    """Decision 1: of many processes on a store one has the duty; the others look again whether it is free."""
    remember(stored.truth, "a")
    stored.duties.ours = False
    stored.background.commit()
    assert (stored.embedder.batches, stored.background.status().is_due) == ([], False)
    stored.duties.ours = True
    assert (stored.background.look_again(), stored.background.look_again()) == (False, True)
    stored.all()
    assert stored.waiting == 0


def test_a_count_that_is_wrong_keeps_nobody_busy(tmp_path: Path) -> None:
    """Decision 10: where something is counted as waiting that is not there, it is looked at again from time to time alone."""
    with opened("sqlite", tmp_path) as truth:
        stored = Stored(truth)
        remember(truth, "a")
        stored.all()
        with closing(sqlite3.connect(tmp_path / "store" / "truth.db")) as database, database:
            database.execute("UPDATE embedding_space SET vectors = 0")
        assert stored.background.status().is_due
        stored.background.commit()
        assert not stored.background.status().is_due
        assert not stored.background.look_again()
        assert (stored.background.status().is_due, stored.embedder.batches) == (True, [["a"]])


def test_what_lacks_a_vector_is_told_within_bounds(stored: Stored) -> None:
    """W4: the highest first, between two numbers, of one space, and none that is forgotten."""
    remember(stored.truth, "a", "b", "c", "d")
    write(stored.truth, placed(Space(SPACE, 64, SPACE)), embedded(3, "c", hashed("c"), SPACE), entombed(2))
    with stored.truth.reading() as reader:
        assert list(reader.unembedded(SPACE, 0, 99, 10)) == [4, 1]
        assert list(reader.unembedded(DEFAULT_SPACE, 0, 99, 10)) == [4, 3, 1]
        assert list(reader.unembedded(SPACE, 1, 99, 10)) == [4]
        assert list(reader.unembedded(SPACE, 0, 4, 10)) == [1]
        assert list(reader.unembedded(SPACE, 0, 99, 1)) == [4]
