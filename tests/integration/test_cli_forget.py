"""Forgetting from the command line, and what its receipt is worth afterwards (W6, WIRE.md "Command line")."""

from pathlib import Path

import pytest

from support.commands import Commands, program
from support.remains import Sentinel, remains

SECRET = "The spare key of the ferry hangs behind the Ölkanne."


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    """Commands over a store with a secret and something else."""
    commands = Commands(tmp_path, capsys)
    commands("store", SECRET, "--project-id", "ferry")
    commands("store", "The ferry leaves at nine.", "--project-id", "ferry")
    return commands


def test_a_forget_shows_each_place_and_ends_well(command: Commands) -> None:
    """W6: a person reads what is gone, what is not yet, and what nobody can reach from here."""
    ran = command("forget", "cap-1", "--reason", "keys are not written down")
    assert ran.code == 0, ran.err
    first, purged, *rest = ran.out.splitlines()
    assert first == "cap-1 is forgotten since 2026-03-01T12:00:00Z"
    assert purged.split(maxsplit=1) == ["purged", "truth; write-ahead log; term index; vector index; idle replicas; backups"]
    assert [line.split(":")[0].split(maxsplit=1) for line in rest[:2]] == [
        ["outside", "exports"],
        ["outside", "copies made by others"],
    ]
    assert rest[2].startswith("receipt: ersr-")
    assert command("recall", "olkanne").code == 1
    assert "keys are not written down" in command("get", "cap-1").out


def test_nothing_of_it_is_left_in_any_file_when_the_command_has_ended(command: Commands) -> None:
    """case D14: the scan finds it before, in the truth and, by its folded word, in the term index."""
    sentinel = Sentinel(("Ölkanne",), ())
    assert command("rebuild").code == 0
    before = remains(command.store, sentinel)
    assert any(trace.startswith("truth.sqlite") for trace in before)
    assert any("dictionary word 'olkanne'" in trace for trace in before)
    command("forget", "cap-1")
    assert remains(command.store, sentinel) == []


def test_equal_content_is_named_to_the_person_who_forgets(command: Commands) -> None:
    """W6: it stays, and whoever means it too says so."""
    command("store", SECRET, "--project-id", "harbour")
    assert "the same content stays in cap-3\n" in command("forget", "cap-1").out
    assert command("forget", "cap-1", "--json").answer["already"] is True


@pytest.mark.parametrize(
    ("words", "code"), [(["cap-9"], 1), ([], 2), (["cap-1", "--reason", SECRET], 2), (["cap-1", "cap-2"], 2)]
)
def test_what_cannot_be_forgotten_ends_with_the_code_that_says_why(command: Commands, words: list[str], code: int) -> None:
    """W6: unknown is nothing found; a reason that repeats the content is bad usage, and nothing was done."""
    ran = command("forget", *words)
    assert ran.code == code
    assert ran.err
    assert command("recall", "olkanne").code == 0


def test_a_receipt_is_verified_and_told_to_be_as_it_was_stated(command: Commands) -> None:
    """W6, O13: for people and for programs; of a recall too."""
    receipt = command("forget", "cap-1", "--json").answer["receipt"]
    ran = command("verify-receipt", receipt)
    assert ran.code == 0
    assert ran.out.startswith("this store gave it: cap-1 was forgotten at 2026-03-01T12:00:00Z, as seq 3\nwhat it stated:\n")
    everything = "truth; write-ahead log; term index; vector index; idle replicas; backups"
    # Of the index of a process that starts for this too.
    assert f"what is so now:\n    purged   {everything}\n    outside" in ran.out
    told = command("verify-receipt", receipt, "--json")
    assert (told.code, told.answer["signature"], told.answer["state"]) == (0, "holds", "tombstoned")
    shown = command("verify-receipt", command("recall", "nine", "--json").answer["receipt"])
    assert (shown.code, shown.out) == (0, "this store gave it: a recall at seq 3 showed cap-2\n")


def test_a_receipt_that_does_not_hold_is_nothing_found_and_no_receipt_is_bad_usage(command: Commands, tmp_path: Path) -> None:
    """W6: a script can tell a forged receipt from a mistyped one, and both from one of another store."""
    receipt = command("forget", "cap-1", "--json").answer["receipt"]
    broken = command("verify-receipt", receipt[:-1] + ("A" if receipt[-1] != "A" else "B"))
    assert (broken.code, broken.out) == (
        1, "this is not as this store gave it: the signature of the erasure receipt does not hold\n",
    )  # fmt: skip
    assert command("verify-receipt", "ersr-nothing").code == 2
    other = tmp_path / "other"
    program("store", "something", "--store", str(other))
    ran = program("verify-receipt", receipt, "--store", str(other))
    assert (ran.returncode, b"another store" in ran.stderr) == (1, True)


def test_a_restored_copy_of_the_folder_is_told_to_have_undone_a_forget(command: Commands, tmp_path: Path) -> None:
    """W6: a copy that others made lies outside; the receipt says afterwards that the capsule lives again."""
    copy = tmp_path / "copy"
    program("status", "--store", str(command.store))
    copy.mkdir(mode=0o700)
    for part in command.store.glob("truth.sqlite*"):
        (copy / part.name).write_bytes(part.read_bytes())
    receipt = command("forget", "cap-1", "--json").answer["receipt"]
    ran = program("verify-receipt", receipt, "--store", str(copy))
    assert ran.returncode == 1
    assert b"it is live now: an older copy of the store was put back since; forget it again" in ran.stdout


def test_an_earlier_export_brings_nothing_back(command: Commands, tmp_path: Path) -> None:
    """W6, W10: forgotten content is refused at an import as well, by the same keyed hash; everything else comes in."""
    export, sentinel = tmp_path / "export.jsonl", Sentinel(("Ölkanne",), ())
    assert command("export", str(export)).code == 0
    assert SECRET in export.read_text(encoding="utf-8")
    command("forget", "cap-1")
    assert command("import", str(export)).code == 0
    assert command("store", SECRET, "--project-id", "elsewhere").code == 1
    assert remains(command.store, sentinel) == [], "asked for its words, the ledger of misses would hold them again"
    assert command("recall", "olkanne").code == 1
    assert command("recall", "nine").code == 0


def test_a_forget_travels_in_an_export_and_is_purged_where_it_arrives(command: Commands, tmp_path: Path) -> None:
    """W6, W10: a store that still has the content forgets it, and purges its files like its own forgets."""
    sentinel, there = Sentinel(("Ölkanne",), ()), tmp_path / "there"
    assert program("store", SECRET, "--project-id", "ferry", "--store", str(there)).returncode == 0
    command("forget", "cap-1")
    export = tmp_path / "export.jsonl"
    command("export", str(export))
    assert SECRET not in export.read_text(encoding="utf-8")
    assert program("import", str(export), "--store", str(there)).returncode == 0
    again = program("forget", "cap-1", "--store", str(there))
    assert again.returncode == 0
    assert b"pending" not in again.stdout
    assert remains(there, sentinel) == []
