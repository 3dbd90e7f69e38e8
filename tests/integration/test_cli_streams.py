"""How a command line reads and writes when something is wrong around it: closed or full streams, empty and garbled input."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support.checkout import ROOT
from support.commands import Commands
from support.stdio_peer import BOUND, checkout_environment

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX closes and redirects streams")
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    """Commands over a store with more in it than a pipe's buffer."""
    commands = Commands(tmp_path, capsys)
    for number in range(3):
        commands("store", f"port {number} " + "word " * 2_000)
    return commands


def shell(store: Path, words: str, streams: str) -> subprocess.CompletedProcess[bytes]:
    """Run `recordance` in a shell with its streams as `streams` puts them."""
    line = f"exec {shlex.quote(sys.executable)} -m recordance_adapters {words} --store {shlex.quote(str(store))} {streams}"
    return subprocess.run(
        ["/bin/sh", "-c", line], env=checkout_environment(), cwd=ROOT, capture_output=True, timeout=BOUND, check=False
    )


@POSIX
@pytest.mark.parametrize("words", ["export", "recall port", "recall port --json", "list", "--help"])
@pytest.mark.parametrize("streams", [pytest.param(">/dev/full", marks=FULL), ">&-"])
def test_an_answer_that_cannot_be_written_is_a_failure_told_in_one_line(command: Commands, words: str, streams: str) -> None:
    """WIRE.md "Command line": 3 failure; a backup that nobody has got must not end as if it were one."""
    ran = shell(command.store, words, streams)
    assert (ran.returncode, ran.stdout) == (3, b""), ran.stderr
    (line,) = ran.stderr.decode().splitlines()
    assert line.startswith("recordance: ")
    assert "could not be" in line


@POSIX
def test_a_command_works_without_the_streams_that_it_does_not_need(command: Commands) -> None:
    """case L9: services start programs with their streams closed; no file of the store must get the number of one."""
    assert shell(command.store, "recall port", "<&- 2>&-").stdout.startswith(b"grounded: ")
    assert shell(command.store, "mcp", "<&-").returncode == 0
    assert shell(command.store, "recall nowhere", "<&- 2>&-").returncode == 1
    assert shell(command.store, "store", "<&-").returncode == 2
    assert shell(command.store, "doctor", "<&- 2>&-").returncode == 0


@pytest.mark.parametrize("name", ["store", "alias"])
def test_a_file_without_items_is_said_to_be_empty(command: Commands, tmp_path: Path, name: str) -> None:
    """W1: nothing is no batch; a pipe that broke before it looks like this."""
    (tmp_path / "items.jsonl").write_text("\n  \n")
    ran = command(name, "--items", str(tmp_path / "items.jsonl"))
    assert (ran.code, ran.out) == (2, "")
    assert "there is nothing in it" in ran.err
    error = command(name, "--items", str(tmp_path / "items.jsonl"), "--json").answer["error"]
    assert (error["code"], error["data"]["field"]) == (-32602, "--items")


def test_an_item_with_a_name_twice_or_no_number_is_rejected_alone(command: Commands, tmp_path: Path) -> None:
    """W1, F1: read as over MCP; the last of two projects would hold alone."""
    lines = ['{"content": "a", "project_id": "x", "project_id": "y"}', '{"content": "b", "confidence": NaN}', '{"content": "c"}']
    (tmp_path / "items.jsonl").write_text("\n".join(lines))
    results = command("store", "--items", str(tmp_path / "items.jsonl"), "--json").answer["results"]
    assert [result["status"] for result in results] == ["rejected", "rejected", "captured"]
    assert results[0]["error"].startswith("items[0].project_id: ")
    pairs = ['{"term": "db", "term": "ci", "alias": "x"}', '{"term": "k8s", "alias": "kubernetes"}']
    (tmp_path / "pairs.jsonl").write_text("\n".join(pairs))
    results = command("alias", "--items", str(tmp_path / "pairs.jsonl"), "--json").answer["results"]
    assert [result["status"] for result in results] == ["rejected", "taught"]


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["recall", "x", "--time-window", '{"from": "2026-01-01T00:00:00Z", "from": null}'], "time_window.from"),
        (["store", "x", "--metadata", '{"a": 1, "a": 2}'], "metadata.a"),
        (["store", "x", "--metadata", "[" * 100_000], "metadata"),
    ],
)
def test_an_option_in_json_is_read_as_over_mcp(command: Commands, words: list[str], field: str) -> None:
    """F1, W14: nothing is dropped unread, however it came."""
    error = command(*words, "--json").answer["error"]
    assert (error["code"], error["data"]["field"]) == (-32602, field)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["recall", "x", "--nope"], "no option '--nope'"),
        (["recall", "x", "--limit"], "--limit"),
        (["get"], "required: ID"),
        (["get", "cap-1", "--limit", "3"], "no option '--limit'"),
        (["recal", "x"], "did you mean recall?"),
    ],
)
def test_bad_usage_is_an_object_for_programs_too(command: Commands, words: list[str], said: str) -> None:
    """WIRE.md "Command line": --json on every command, and whatever goes wrong; what is read by a program is on stdout alone."""
    ran = command(*words, "--json")
    assert (ran.code, ran.err) == (2, "")
    assert ran.answer["error"]["code"] == -32602
    assert said in ran.answer["error"]["message"]
    plain = command(*words)
    assert (plain.code, plain.out) == (2, "")
    assert said in plain.err


def test_json_behind_two_dashes_is_a_word(command: Commands) -> None:
    """case B4: what is asked for is no option."""
    ran = command("recall", "--nope", "--", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert "no option '--nope'" in ran.err


def test_an_option_is_suggested_only_for_what_is_nearly_it(command: Commands) -> None:
    """F1: fences are options; an unlikely guess would be taken for one."""
    for near, meant in (("--limt", "--limit"), ("--projct-id", "--project-id"), ("--tokenbudget", "--token-budget")):
        assert f"did you mean {meant}?" in command("recall", "x", near, "1").err
    for far in ("--nope", "--colour", "--x"):
        assert "did you mean" not in command("recall", "x", far).err


def test_a_store_that_cannot_be_used_is_an_object_for_programs_and_a_sentence_for_people(command: Commands) -> None:
    """WIRE.md "Errors": a program learns the kind and what to do, the log where it lies."""
    (command.store / "truth.sqlite").write_text("this is a diary, and not a database at all\n" * 50)
    for rest in ("truth.sqlite-wal", "truth.sqlite-shm"):
        (command.store / rest).unlink(missing_ok=True)
    ran = command("recall", "port", "--json")
    error = ran.answer["error"]
    assert (ran.code, error["code"], error["data"]["kind"]) == (3, -32002, "store_unusable")
    assert error["data"]["id"] in ran.err
    assert str(command.store) not in json.dumps(error)
    plain = command("recall", "port")
    assert (plain.code, plain.out) == (3, "")
    assert "not a store" in plain.err
