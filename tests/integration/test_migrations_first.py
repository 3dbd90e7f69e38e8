"""A store of the first format becomes one of this format, with every row that it has."""

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy.dialects import sqlite

from recordance.domain.change import ChangeSet, PutEmbedding, PutSpace
from recordance.domain.embedding import DEFAULT_SPACE, Embedding, Space, vector_of
from recordance.domain.identity import content_digest
from recordance.ports.truth import IndexedChange, OccupiedSpace, Truth
from recordance_adapters.driven.sql_truth import migrations, reading_notes
from support.older_stores import FIRST, make_first_format, opened_as
from support.truths import IDENTITY, NOON, entombed, labels, opened, read_everything, remember, stands, write


def fill(truth: Truth) -> None:
    """A little of everything that the first format could be told."""
    remember(truth, "one", "two", "three", tags=("t",), labels=labels(project_id="nott/x", user_id="ann"))
    write(truth, stands(2, archived_at=NOON), entombed(3))


def test_a_store_of_the_first_format_answers_as_one_made_today(tmp_path: Path) -> None:
    """case L4: the same history gives the same answers to every question, whichever format it began in."""
    file = tmp_path / "old" / "truth.db"
    make_first_format(file)
    with opened_as(file, FIRST) as first:
        fill(first)
    with opened_as(file, migrations.HEAD) as migrated, opened("sqlite", tmp_path) as fresh:
        fill(fresh)
        with migrated.reading() as one, fresh.reading() as other:
            assert one.identity() == IDENTITY
            assert read_everything(one) == read_everything(other)
            assert one.forgotten_after(0) == [IndexedChange(3, 5)]
        assert migrated.damage() == []
    assert file.with_name(f"truth.db.format-{FIRST}").exists()


def test_vectors_of_the_first_format_are_counted_when_it_is_migrated(tmp_path: Path) -> None:
    """case L4, W4: what was in a space is kept bit for bit, its count is right, and it goes on from there."""
    file, vector = tmp_path / "truth.db", vector_of([0.25, -1.5])
    make_first_format(file)
    with opened_as(file, FIRST) as first:
        remember(first, "one", "two")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("INSERT INTO embedding_space VALUES (?, 2, ?)", (DEFAULT_SPACE, NOON))
        row = (1, DEFAULT_SPACE, content_digest("one"), vector.packed, NOON)
        connection.execute("INSERT INTO embedding VALUES (?, ?, ?, ?, ?)", row)
    with opened_as(file, migrations.HEAD) as truth:
        with truth.reading() as reader:
            assert reader.spaces() == [OccupiedSpace(Space(DEFAULT_SPACE, 2), 1)]
            assert reader.vectors(DEFAULT_SPACE, [1, 2]) == {1: vector}
        named = PutSpace(Space(DEFAULT_SPACE, 2, "a model"), NOON)
        second = PutEmbedding(Embedding(2, DEFAULT_SPACE, content_digest("two"), vector, NOON))
        write(truth, ChangeSet((named, second)))
        with truth.reading() as reader:
            assert reader.space(DEFAULT_SPACE) == OccupiedSpace(Space(DEFAULT_SPACE, 2, "a model"), 2)


def test_what_was_forgotten_is_found_by_an_index(tmp_path: Path) -> None:
    """Decision 11: a process that starts looks for tombstones behind it; it must not read the whole journal for that."""
    file = tmp_path / "truth.db"
    make_first_format(file)
    with opened_as(file, migrations.HEAD) as truth:
        remember(truth, "one")
    statement = str(reading_notes._FORGOTTEN.compile(dialect=sqlite.dialect(paramstyle="qmark")))
    with closing(sqlite3.connect(file)) as connection:
        (plan,) = connection.execute(f"EXPLAIN QUERY PLAN {statement}", (0,)).fetchall()
    assert "ix_journal_tombstoned (seq>?)" in plan[3]
