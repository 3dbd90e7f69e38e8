"""Several processes on one store, and their sudden ends."""

import random
import sqlite3
from collections.abc import Iterable
from pathlib import Path

import pytest

from recordance.ports.truth import TruthReader
from recordance_adapters.driven.sql_truth.opening import open_sql_truth
from support.processes import Process
from support.truth_writers import content_of, writing, written_at_once

ROUNDS = 5
EACH = 60


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "store" / "truth.db"
    open_sql_truth(file).close()
    return file


def test_processes_that_write_at_once_leave_no_gap_and_lose_nothing(file: Path) -> None:
    """case C1, case C5: three at once on one store; numbers and seqs follow each other, and nobody is refused."""
    with writing(file, "ann", "bob", "cid", count=EACH) as writers:
        answers = written_at_once(writers)
    assert sorted(number for numbers in answers.values() for number in numbers) == list(range(1, 3 * EACH + 1))
    truth = open_sql_truth(file)
    with truth.reading() as reader:
        assert_whole(reader)
        for name, numbers in answers.items():
            assert numbers == sorted(numbers)
            assert list(reader.contents(numbers).values()) == [content_of(name, place) for place in range(1, EACH + 1)]
    truth.close()


def test_every_write_that_was_answered_survives_a_kill(file: Path) -> None:
    """W1, case C6: killed at random moments of a write load, it opens again by itself with every answered write."""
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    answered: dict[int, str] = {}
    for round_ in range(ROUNDS):
        name = f"round {round_}"
        with writing(file, name) as (writer,):
            writer.go()
            answered |= killed_after(writer, name, chance.randrange(1, 40))
        truth = open_sql_truth(file)
        with truth.reading() as reader:
            assert reader.contents(answered) == answered
            assert_whole(reader)
        truth.close()
    assert_sound(file)


def killed_after(writer: Process, name: str, count: int) -> dict[int, str]:
    """Kill the process once it was answered so often; return all that it was answered, those on the way included."""
    return {number: content_of(name, place) for place, (_, number) in enumerate(writer.killed_after(count), 1)}


def assert_whole(reader: TruthReader) -> None:
    """What is there hangs together: no gap in numbers or seqs, a text and a document each, counters that count."""
    numbers = range(1, reader.last_number() + 1)
    contents = reader.contents(numbers)
    assert list(reader.capsules(numbers)) == list(contents) == list(numbers)
    assert [row.seq for row in reader.journal(0, 10**6)] == list(range(1, reader.head() + 1))
    assert [row.capsule for row in reader.journal(0, 10**6)] == list(numbers)
    assert (reader.corpus().capsules, reader.corpus().words) == (len(contents), words_in(contents.values()))


def words_in(contents: Iterable[str]) -> int:
    return sum(len(content.split()) for content in contents)


def assert_sound(file: Path) -> None:
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()
