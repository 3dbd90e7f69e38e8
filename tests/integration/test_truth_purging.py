"""What is forgotten leaves no byte behind: not in the log beside the store, and not in copies from before a migration (W6)."""

import os
import random
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from textwrap import dedent

import pytest

from recordance.domain.alias import MissOutcome
from recordance.domain.capsule import LabelField
from recordance.domain.change import AppendReview, ChangeSet, KeepAnswer, KeptAnswer, PutEmbedding, PutFeedback, PutSpace
from recordance.domain.embedding import DEFAULT_SPACE, Embedding, Space, vector_of
from recordance.domain.identity import content_digest
from recordance.domain.journal import Op
from recordance.domain.provenance import Anchor
from recordance.domain.review import Feedback, FeedbackOutcome, ReviewEvent, Ruling
from recordance.ports.truth import Truth
from recordance.ranking.bm25 import CorpusStatistics
from recordance_adapters.driven.sql_truth import migrations
from recordance_adapters.driven.sql_truth.backups import erase_in
from recordance_adapters.driven.sql_truth.opening import Formats, open_sql_file, open_sql_truth
from recordance_adapters.driven.sql_truth.sqlite_file import Access, StoreFile
from recordance_adapters.driven.sql_truth.truth import SqlTruth
from support.older_stores import FIRST, holding, make_first_format, opened_as
from support.truths import ACTOR, NOON, captured, entombed, entry, make_capture, read_everything, remember, write

SENTINEL = "quixotry7f3a"
OTHER = "bystander9c1d"
VECTOR = vector_of([0.123456789, -9.87654321, 3.1415927])
WAIT = 30.0
LATER_REVISION = dedent(
    f"""
    from alembic import op
    import sqlalchemy as sa

    revision = "{int(migrations.HEAD) + 1:04}"
    down_revision = "{migrations.HEAD}"


    def upgrade():
        op.add_column("miss", sa.Column("mood", sa.Text(), nullable=True))
    """
)


def tell_of_it(truth: Truth) -> None:
    """The sentinel in every place that a capsule's words may reach, and a capsule beside it."""
    words = {name: f"{SENTINEL} {name}" for name in ("headline", "source", "proof_hint", "stale_if", "signature")}
    lists = {name: (f"{SENTINEL} {name}",) for name in ("tags", "topics", "entities")}
    capture = make_capture(
        1,
        f"the {SENTINEL} is here",
        **words,
        **lists,
        metadata=((SENTINEL, f'"{SENTINEL}"'),),
        anchors=(Anchor(f"{SENTINEL}.py:3", f"{SENTINEL}.py", 3),),
        labels={LabelField.KIND: "fact", LabelField.CATEGORY: SENTINEL},
    )
    told = entry(Op.CAPTURED, 1, category=SENTINEL)
    about = (
        capture,
        AppendReview(ReviewEvent(1, Ruling.PROPOSED, SENTINEL, ACTOR, NOON)),
        PutFeedback(Feedback(1, "", ACTOR, FeedbackOutcome.HELPED, True, SENTINEL, NOON)),
        KeepAnswer(KeptAnswer("once", "d", f'{{"id":"cap-1","headline":"{SENTINEL}"}}', NOON)),
    )
    write(truth, ChangeSet(about, (told,)), captured(make_capture(2, f"the {OTHER} stays")))
    with truth.writing() as writer:
        writer.count_misses([SENTINEL], MissOutcome.ABSTAIN, "", NOON)


def embed(file: Path) -> None:
    """A vector of the sentinel, in a store of the first format."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("INSERT INTO embedding_space VALUES (?, 3, ?)", (DEFAULT_SPACE, NOON))
        row = (1, DEFAULT_SPACE, content_digest(f"the {SENTINEL} is here"), VECTOR.packed, NOON)
        connection.execute("INSERT INTO embedding VALUES (?, ?, ?, ?, ?)", row)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A store of the first format that holds the sentinel and its vector everywhere."""
    file = tmp_path / "store" / "truth.db"
    make_first_format(file)
    with opened_as(file, FIRST) as first:
        tell_of_it(first)
    embed(file)
    return file


@pytest.fixture
def truth(file: Path) -> Iterator[SqlTruth]:
    """The same store, migrated a moment ago, its copy beside it."""
    with opened_as(file, migrations.HEAD) as truth:
        yield truth


def traces(file: Path) -> list[str]:
    return holding(file.parent, SENTINEL.encode(), VECTOR.packed)


def test_no_byte_is_left_in_the_store_its_log_and_its_copies(file: Path, truth: SqlTruth) -> None:
    """W6, case D14: the scan finds it before in the copy, in the store and in the log, and nowhere afterwards."""
    copy = f"truth.db.format-{FIRST}"
    assert traces(file) == ["truth.db", copy]
    write(truth, entombed(1))
    assert set(traces(file)) > {copy}, "the log is not empty, and the file may still be as it was"
    assert truth.truncate_log(WAIT)
    assert traces(file) == [copy]
    assert truth.erase_in_backups([1]) == []
    assert traces(file) == []
    assert holding(file.parent, OTHER.encode()) == ["truth.db", copy]


@pytest.mark.parametrize("version", [FIRST, migrations.HEAD])
def test_a_copy_that_is_put_back_brings_nothing_to_life(version: str, file: Path, tmp_path: Path) -> None:
    """W6, case D14: each copy stays a whole store of its own format that knows what is forgotten."""
    if version == FIRST:
        formats = Formats()
    else:
        (tmp_path / "later.py").write_text(LATER_REVISION, encoding="utf-8")
        formats = Formats(f"{int(migrations.HEAD) + 1:04}", (migrations.VERSIONS, tmp_path))
        open_sql_truth(file).close()
    truth = open_sql_truth(file, formats=formats)
    write(truth, entombed(1))
    copy = file.with_name(f"truth.db.format-{version}")
    assert SENTINEL.encode() in copy.read_bytes()
    assert truth.erase_in_backups([1]) == []
    truth.close()
    assert traces(file) == []
    restored = tmp_path / "restored" / "truth.db"
    restored.parent.mkdir()
    restored.write_bytes(copy.read_bytes())
    with opened_as(restored, version) as older:
        assert older.damage() == []
        with older.reading() as reader:
            assert reader.corpus() == CorpusStatistics(1, 3)
            assert [row.op for row in reader.history(1)] == [Op.CAPTURED, Op.TOMBSTONED]
    with opened_as(restored, migrations.HEAD) as today, today.reading() as reader:
        assert list(reader.tombstones([1, 2])) == [1]
        assert reader.forgotten(["mac"]) == {"mac": 1}
        assert reader.capsules([1])[1].standing.tombstoned_at == NOON
        assert reader.contents([1, 2]) == {2: f"the {OTHER} stays"}
        assert all(each.vectors == 0 for each in reader.spaces())


def test_erasing_again_and_numbers_that_a_copy_lacks_change_nothing(file: Path, truth: SqlTruth) -> None:
    """W6: whoever finds tombstones after a crash erases again; a capsule that is younger than a copy is in none."""
    remember(truth, "younger")
    write(truth, entombed(1), entombed(3))
    assert truth.erase_in_backups([1, 3, 99]) == []
    copy = file.with_name(f"truth.db.format-{FIRST}")
    once = copy.read_bytes()
    assert truth.erase_in_backups([1, 3, 99]) == []
    with opened_as(copy, FIRST) as older, older.reading() as reader:
        assert (reader.head(), len(reader.history(1)), reader.last_number()) == (3, 2, 2)
    assert len(once) == copy.stat().st_size


def test_what_is_not_forgotten_here_is_erased_nowhere(file: Path, truth: SqlTruth) -> None:
    """case L4: a copy is what a migration that went wrong is mended with; it loses nothing but what was forgotten."""
    assert truth.erase_in_backups([1, 2]) == []
    assert f"truth.db.format-{FIRST}" in traces(file)


def test_what_copying_left_behind_is_removed(file: Path, truth: SqlTruth) -> None:
    """W6, case D14: a copy that was never finished, the journal of one, and logs whose copy is gone."""
    write(truth, entombed(1))
    assert truth.truncate_log(WAIT)
    left = ("format-0001.part", "format-0001.part-journal", "format-0001-journal", "format-0000-wal")
    for ending in left:
        file.with_name(f"{file.name}.{ending}").write_bytes(SENTINEL.encode())
    assert truth.erase_in_backups([1]) == []
    assert sorted(path.name for path in file.parent.iterdir() if "format" in path.name) == ["truth.db.format-0001"]
    assert traces(file) == []


def test_a_copy_that_cannot_be_erased_is_named(file: Path, truth: SqlTruth) -> None:
    """W6: the receipt must not say of it that it is purged; the others are erased all the same."""
    write(truth, entombed(1))
    broken, empty = (file.with_name(f"truth.db.format-{version}") for version in ("0009", "0010"))
    broken.write_bytes(b"no store " * 99)
    empty.touch()
    assert truth.erase_in_backups([1]) == [broken.name, empty.name]
    assert empty.stat().st_size == 0
    assert traces(file) != [], "the log was not emptied yet"
    assert truth.truncate_log(WAIT)
    assert traces(file) == []


def test_a_copy_that_somebody_reads_is_erased_when_they_have_done(file: Path, truth: SqlTruth) -> None:
    """W6: whoever reads an older state keeps it in the file; it counts as erased only without it."""
    write(truth, entombed(1))
    copy = file.with_name(f"truth.db.format-{FIRST}")
    with truth.reading() as reader:
        tombstones = reader.tombstones([1])
    with closing(sqlite3.connect(copy)) as reading:
        reading.execute("BEGIN")
        reading.execute("SELECT content FROM capsule_revision").fetchall()
        assert not erase_in(copy, tombstones, 0.0)
        assert SENTINEL.encode() in copy.read_bytes()
    assert erase_in(copy, tombstones, 0.0)
    assert SENTINEL.encode() not in copy.read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_an_erased_copy_is_as_private_as_before(file: Path, truth: SqlTruth) -> None:
    """W6: what erasing makes beside it is gone, and nobody else may read it."""
    write(truth, entombed(1))
    truth.erase_in_backups([1])
    copies = sorted(file.parent.glob("truth.db.format-*"))
    assert [path.name for path in copies] == [f"truth.db.format-{FIRST}"]
    assert stat.S_IMODE(copies[0].stat().st_mode) == 0o600


def test_the_log_is_not_emptied_while_somebody_reads_it(tmp_path: Path) -> None:
    """W6: a recall under way keeps its snapshot; that the log is still there is told, not hidden."""
    truth = open_sql_truth(tmp_path / "truth.db")
    log = tmp_path / "truth.db-wal"
    remember(truth, SENTINEL)
    with truth.reading() as reader:
        write(truth, entombed(1))
        assert not truth.truncate_log(0.0)
        assert reader.contents([1]) == {1: SENTINEL}
        assert SENTINEL.encode() in log.read_bytes()
    assert truth.truncate_log(0.0), "connections that only lie idle are in nobody's way"
    assert log.stat().st_size == 0
    truth.close()


def test_emptying_the_log_waits_for_those_who_read_it(tmp_path: Path) -> None:
    """Decision 11: it goes on as soon as the last one has done, within its bound."""
    truth = open_sql_truth(tmp_path / "truth.db")
    remember(truth, SENTINEL)
    emptied: list[bool] = []
    with truth.reading():
        write(truth, entombed(1))
        waiting = threading.Thread(target=lambda: emptied.append(truth.truncate_log(WAIT)))
        waiting.start()
    waiting.join(WAIT)
    assert emptied == [True]
    assert holding(tmp_path, SENTINEL.encode()) == []
    truth.close()


def crowd(truth: Truth, seed: int) -> list[str]:
    """Capture and forget many capsules with long anchors, so that rows move between pages; return the names of the forgotten."""
    chance, alive, gone = random.Random(seed), list[int](), list[int]()
    for first in range(1, 240, 20):
        numbers = range(first, first + 20)
        anchors = {number: named(number) + "/" + "d/" * int(chance.expovariate(1 / 150)) for number in numbers}
        with truth.writing() as writer:
            captures = [make_capture(number, f"w{number}", anchors=(Anchor(text, None),)) for number, text in anchors.items()]
            writer.apply(captured(*captures), ACTOR, NOON)
        alive += numbers
        for number in chance.sample(alive, 10):
            write(truth, entombed(number))
            alive.remove(number)
            gone.append(number)
    return [named(number) for number in gone]


def named(number: int) -> str:
    return f"quixotry-{number:03}-7f3a"


def test_what_moving_rows_left_between_them_is_gone_once_the_file_is_written_anew(tmp_path: Path) -> None:
    """W6, case D14: `secure_delete` overwrites a row where it stands, not where it stood before its page was arranged anew."""
    found = 0
    for seed in range(8):
        file = tmp_path / f"{seed}.db"
        with closing(open_sql_truth(file)) as truth:
            names = crowd(truth, seed)
            with truth.reading() as reader:
                head, before = reader.head(), read_everything(reader)
            assert truth.truncate_log(WAIT)
            found += len(left_of(file, names))
            assert truth.rewrite(head)
            assert truth.truncate_log(WAIT)
            assert left_of(file, names) == []
            with truth.reading() as reader:
                assert read_everything(reader) == before
            assert truth.damage() == []
    assert found, "nothing was left before either, so that this tells nothing"


def test_what_moving_rows_left_in_a_copy_is_gone_as_well(tmp_path: Path) -> None:
    """W6, case D14: a copy from before a migration has every page as it was, also of what was forgotten before it was made."""
    file, found = tmp_path / "truth.db", 0
    for seed in range(8):
        make_first_format(file)
        with opened_as(file, FIRST) as truth:
            names = crowd(truth, seed)
        open_sql_truth(file).close()
        copy = file.with_name(f"truth.db.format-{FIRST}")
        found += len(left_of(copy, names))
        assert erase_in(copy, {})
        assert left_of(copy, names) == []
        for each in tmp_path.iterdir():
            each.unlink()
    assert found, "nothing was left before either, so that this tells nothing"


def left_of(file: Path, names: list[str]) -> list[str]:
    data = file.read_bytes()
    return [name for name in names if name.encode() in data]


def test_the_file_is_written_anew_once_for_all_who_ask(tmp_path: Path) -> None:
    """Decision 11: of several processes one does it, and it says up to where; a later forget has it done again."""
    with closing(open_sql_truth(tmp_path / "truth.db")) as first, closing(open_sql_truth(tmp_path / "truth.db")) as second:
        remember(first, SENTINEL, OTHER, "another")
        seq = write(first, entombed(1))
        assert first.rewrite(seq)
        seen = first.data_version()
        assert second.rewrite(seq)
        assert first.rewrite(seq)
        assert first.data_version() == seen
        assert second.rewrite(write(second, entombed(2)))
        assert first.data_version() != seen


def test_a_file_that_somebody_writes_is_written_anew_after_them(tmp_path: Path) -> None:
    """W6: nobody is waited for where others wait for the answer; readers are in nobody's way."""
    with closing(open_sql_truth(tmp_path / "truth.db")) as truth, closing(open_sql_truth(tmp_path / "truth.db")) as other:
        remember(truth, SENTINEL)
        seq = write(truth, entombed(1))
        with other.writing():
            assert not truth.rewrite(seq)
        with other.reading() as reader:
            assert reader.head() == seq
            assert truth.rewrite(seq)


def test_vectors_that_are_replaced_or_dropped_leave_no_byte(tmp_path: Path) -> None:
    """W4, case D7: the old vector is not kept beside the new one, nor after the capsule is gone."""
    truth = open_sql_truth(tmp_path / "truth.db")
    remember(truth, "cats", "dogs")
    old, new = (vector_of([seed + place / 7 for place in range(384)]) for seed in (0.25, 0.75))
    space = PutSpace(Space(DEFAULT_SPACE, 384), NOON)
    put = {vector: PutEmbedding(Embedding(1, DEFAULT_SPACE, content_digest("cats"), vector, NOON)) for vector in (old, new)}
    write(truth, ChangeSet((space, put[old])))
    assert truth.truncate_log(WAIT)
    assert holding(tmp_path, old.packed) == ["truth.db"]
    write(truth, ChangeSet((put[new],)))
    assert truth.truncate_log(WAIT)
    assert (holding(tmp_path, old.packed[400:480]), holding(tmp_path, new.packed)) == ([], ["truth.db"])
    write(truth, entombed(1))
    assert truth.truncate_log(WAIT)
    assert holding(tmp_path, new.packed[400:480]) == []
    truth.close()


@pytest.mark.parametrize("access", [Access.FROZEN, Access.READING])
def test_a_store_that_may_only_be_read_has_no_log_of_ours(access: Access, file: Path) -> None:
    """W6: where this program writes nothing, its log keeps nothing; what it cannot remove beside the store is named."""
    with opened_as(file, migrations.HEAD) as writing:
        write(writing, entombed(1))
    with closing(open_sql_file(StoreFile(file, access, "the disk is read-only"))) as truth:
        assert truth.rewrite(9)
        assert truth.truncate_log(0.0)
        scrap = file.with_name(f"{file.name}.format-0001.part")
        scrap.touch()
        assert truth.erase_in_backups([]) == [scrap.name]
