"""Moving embeddings on the command line: left behind on demand, and told where they do not fit."""

from pathlib import Path

import pytest

from support.commands import Commands


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    """Commands over a store with two capsules, one of which has an embedding of two numbers."""
    command = Commands(tmp_path, capsys)
    command("store", "Pin tokio at 1.38")
    command("store", "The port is 7411")
    assert command("vector", "cap-1", "--embedding", "[1, 0.5]", "--model", "two-numbers").code == 0
    return command


def another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    """Commands over a store that is not there yet."""
    (tmp_path / "another").mkdir()
    return Commands(tmp_path / "another", capsys)


def test_a_store_changes_its_dimension_by_an_export_without_embeddings(
    command: Commands, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """W4, W10, case E1: a new model has other dimensions; nothing but the old vectors stays behind."""
    here, file = another(tmp_path, capsys), str(tmp_path / "bare.jsonl")
    assert command("vector", "cap-1", "--embedding", "[1, 0.5, 0.25]").code == 2
    assert command("export", file, "--without-embeddings").code == 0
    assert here("import", file, "--json").answer["embeddings"] == 0
    assert here("vector", "cap-1", "--embedding", "[1, 0.5, 0.25]").code == 0
    assert here("status", "--json").answer["spaces"] == [{"name": "default", "dimension": 3, "vectors": 1}]
    assert here("recall", "tokio", "--lane", "vector", "--query-embedding", "[1, 0.5, 0.25]").code == 0
    assert here("doctor").code == 0


def test_a_moved_store_answers_by_vectors_as_before(
    command: Commands, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """W10, O11: the same bytes, as store id, key and clock are the same."""
    here, file = another(tmp_path, capsys), str(tmp_path / "whole.jsonl")
    command("export", file)
    assert here("import", file, "--json").answer["embeddings"] == 1
    asked = ("recall", "tokio", "--query-embedding", "[1, 0.25]", "--json")
    assert here(*asked).out == command(*asked).out
    assert here("status", "--json").answer["spaces"] == command("status", "--json").answer["spaces"]


def test_a_person_reads_which_embeddings_an_import_left_out_and_why(
    command: Commands, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """W10, case E1: the capsules are in, so the process ends well; what is not is said in words."""
    here, file = another(tmp_path, capsys), str(tmp_path / "whole.jsonl")
    here("store", "Another matter", "--embedding", "[1, 0, 0]")
    command("export", file)
    ran = here("import", file)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert "embeddings_left_out: 1" in lines
    told = lines[lines.index("left_out:") + 1]
    assert "here it has 3 dimensions, there 2 dimensions of 'two-numbers'" in told
    assert told.endswith("embed these capsules anew and attach that")
