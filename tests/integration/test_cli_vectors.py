"""Embeddings on the command line: as JSON, from a file, by the line; and how a person sees what became of them."""

import json
from pathlib import Path

import pytest

from support.commands import Commands

EAST = "[1, 0]"


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    """Commands over a store with two capsules, the first of which came with an embedding."""
    command = Commands(tmp_path, capsys)
    assert command("store", "Pin tokio at 1.38", "--embedding", EAST).code == 0
    assert command("store", "The port is 7411").code == 0
    return command


def test_an_embedding_comes_as_json_or_from_a_file(command: Commands, tmp_path: Path) -> None:
    """W4: nobody types 384 numbers; what a model wrote into a file is named."""
    (tmp_path / "port vector.json").write_text("[0.5,\n 0.5]\n", encoding="utf-8")
    ran = command("vector", "cap-2", "--embedding", f"@{tmp_path}/port vector.json", "--model", "two-numbers", "--json")
    assert ran.answer["results"] == [{"status": "attached", "id": "cap-2"}]
    assert ran.answer["space"] == {"dimension": 2, "model": "two-numbers"}
    assert command("vector", "cap-2", "--embedding", "[0.5, 0.5]", "--json").answer["unchanged"] == 1


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["vector", "cap-1"], "embedding"),
        (["vector", "--embedding", EAST], "capsule_id"),
        (["vector", "cap-1", "--embedding", "1, 0"], "embedding"),
        (["vector", "cap-1", "--embedding", "[1, 0"], "embedding"),
        (["vector", "cap-1", "--embedding", "[NaN, 0]"], "embedding[0]"),
        (["vector", "cap-1", "--embedding", "[1, 0, 0]"], "embedding"),
        (["vector", "cap-1", "--embedding", "@no/such/file.json"], "embedding"),
        (["store", "x", "--embedding", "[0, 0]"], "embedding"),
        (["recall", "tokio", "--query-embedding", "east"], "query_embedding"),
        (["recall", "tokio", "--lane", "vector"], "query_embedding"),
        (["recall", "tokio", "--vector-k", "0"], "vector_k"),
        (["recall", "tokio", "--fusion", "sum"], "fusion"),
    ],
    ids=" ".join,
)
def test_what_is_no_embedding_is_bad_usage_told_in_the_words_of_every_transport(
    command: Commands, words: list[str], field: str
) -> None:
    """L1, L2: the command line judges nothing itself, so that a mistake reads alike everywhere."""
    ran = command(*words, "--json")
    assert ran.code == 2
    assert ran.answer["error"]["data"]["field"] == field


def test_a_vector_for_an_unknown_capsule_ends_as_nothing_found(command: Commands) -> None:
    """W4: 1 is nothing found; a script needs no more to go on."""
    assert command("vector", "cap-9", "--embedding", EAST).code == 1


def test_many_embeddings_come_by_the_line_and_each_has_its_end(command: Commands, tmp_path: Path) -> None:
    """W4, W1: a bad line blocks no other, and its number says which it was."""
    lines = [
        {"capsule_id": "cap-1", "embedding": [0, 1]},
        {"capsule_id": "cap-2", "embedding": [0, 1, 2]},
        {"capsule_id": "cap-2", "embedding": [1, 1]},
    ]
    file = tmp_path / "vectors.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    ran = command("vector", "--items", str(file))
    assert ran.code == 2
    lesson = "the embeddings of this store have dimension 2, and this one has dimension 3; send 2 numbers."
    assert [line for line in ran.out.splitlines() if not line.startswith(" ")] == [
        "1: attached cap-1",
        f"2: rejected: items[1].embedding: got [0.0, 1.0, 2.0]; {lesson}",
        "2 attached, 0 unchanged, 1 rejected",
        "all: dimension 2",
    ]
    assert "    replaced: yes" in ran.out.splitlines()
    assert command("vector", "cap-1", "--items", str(file)).code == 2


def test_one_embedding_is_shown_with_what_it_replaced(command: Commands) -> None:
    """W4: whoever replaces a vector by mistake sees it at once."""
    assert command("vector", "cap-1", "--embedding", "[0, 1]").out.splitlines() == [
        "attached cap-1",
        "    replaced: yes",
        "1 attached, 0 unchanged, 0 rejected",
        "all: dimension 2",
    ]


@pytest.mark.parametrize("given", ["[1, 0.5", "one", "@broken.json"])
def test_an_embedding_that_is_no_json_is_told_so(command: Commands, tmp_path: Path, given: str) -> None:
    """L2: a bracket that is missing is another lesson than an array that is."""
    broken = tmp_path / "broken.json"
    broken.write_text("[1, 2", encoding="utf-8")
    ran = command("vector", "cap-1", "--embedding", given.replace("@broken.json", f"@{broken}"))
    assert ran.code == 2
    assert "is no JSON" in ran.err


def test_help_says_how_an_embedding_is_given(command: Commands) -> None:
    """L2: an option that takes hundreds of numbers explains itself."""
    for name, option in (("store", "--embedding"), ("vector", "--embedding"), ("recall", "--query-embedding")):
        shown = " ".join(command(name, "--help").out.split())
        assert f"{option} JSON|@FILE" in shown
        assert "A JSON array, or @ and the file that holds it." in shown
