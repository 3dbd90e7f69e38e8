"""The doctor: what is in order is said to be, and whatever is not is found and comes with what to do."""

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from recordance.domain.caller import Caller
from recordance.errors import MissingState
from recordance.usecases import inspect
from recordance_adapters.bootstrap import open_memory_service, open_service
from recordance_adapters.settings import Settings
from support.commands import Commands


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    """Commands over a store with three capsules and a relation."""
    command = Commands(tmp_path, capsys)
    for content in ("pin tokio", "tokio is a runtime", "another matter"):
        command("store", content)
    command("relate", "supports", "cap-2", "cap-1")
    return command


CHECKS = (
    "integrity", "access", "privacy", "journal", "capsules", "relations", "circles", "standings", "embeddings", "forgotten",
    "purged", "index", "text", "vector_index",
)  # fmt: skip


def examined(command: Commands) -> tuple[int, dict[str, str], dict[str, str]]:
    """The exit code, each check's verdict, and the advice of those that have any."""
    ran = command("doctor", "--json")
    checks = ran.answer["checks"]
    return (
        ran.code,
        {check["name"]: check["verdict"] for check in checks},
        {check["name"]: check["advice"] for check in checks if "advice" in check},
    )


def altered(command: Commands, *statements: str) -> None:
    """Change the store behind the program's back."""
    with closing(sqlite3.connect(command.store / "truth.sqlite", isolation_level=None)) as database:
        database.execute("PRAGMA foreign_keys = OFF")
        for statement in statements:
            database.execute(statement)


def test_a_store_in_order_passes_every_check(command: Commands) -> None:
    """Health that means something: files, rights, journal, counters, relations, embeddings, what is gone, indexes."""
    code, verdicts, advice = examined(command)
    assert (code, advice) == (0, {})
    assert verdicts == dict.fromkeys(CHECKS, "ok")


def test_a_new_store_is_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A new user's first hour: nothing is no fault."""
    command = Commands(tmp_path, capsys)
    with open_service(Settings(store=command.store)) as service:
        _ = service.destinations
    assert command("doctor").code == 0


@pytest.mark.parametrize(
    ("statement", "check"),
    [
        ("DELETE FROM journal WHERE seq = 2", "journal"),
        ("UPDATE counter SET seq = seq + 1", "journal"),
        ("UPDATE counter SET capsules = capsules + 1", "capsules"),
        ("UPDATE counter SET words = words - 1", "capsules"),
        ("UPDATE capsule_revision SET content = 'pin smol' WHERE capsule = 1", "capsules"),
        ("UPDATE capsule SET word_count = 9 WHERE number = 3", "capsules"),
        ("DELETE FROM capsule WHERE number = 3", "capsules"),
        ("UPDATE relation SET target = 77", "relations"),
    ],
)
def test_whatever_was_changed_behind_the_programs_back_is_found(command: Commands, statement: str, check: str) -> None:
    """case D5: consistent is not correct: counts, digests and ends are compared with what they count and name."""
    altered(command, statement)
    code, verdicts, advice = examined(command)
    assert code == 3
    assert verdicts[check] == "fail"
    assert "export" in advice[check]


def test_a_damaged_file_is_found_and_the_other_checks_say_what_they_can(command: Commands) -> None:
    """case L4: damage is told as damage, with what to do, and not as an empty store."""
    path = command.store / "truth.sqlite"
    with path.open("r+b") as file:
        for page in range(4, path.stat().st_size // 4096, 3):
            file.seek(page * 4096)
            file.write(b"\xff" * 64)
    ran = command("doctor")
    assert ran.code == 3
    assert "backup" in ran.out + ran.err
    assert "Traceback" not in ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="rights are granted otherwise there")
def test_a_store_that_others_may_look_into_is_a_warning_with_its_cure(command: Commands) -> None:
    """A store is its owner's; a warning alone is no failure."""
    command.store.chmod(0o755)
    code, verdicts, advice = examined(command)
    assert (code, verdicts["privacy"]) == (0, "warn")
    assert "0700" in advice["privacy"]


def test_findings_are_readable_lines(command: Commands) -> None:
    """A person reads the doctor; each check is a line, and advice stands below it."""
    altered(command, "UPDATE counter SET words = words - 1")
    lines = command("doctor").out.splitlines()
    assert any(line.startswith("ok    integrity:") for line in lines)
    place = next(place for place, line in enumerate(lines) if line.startswith("fail  capsules:"))
    assert lines[place + 1].startswith("      Keep a copy")
    assert lines[-1] == "in all: fail"


def test_a_rebuilt_index_answers_as_before(command: Commands) -> None:
    """O11: the index is derived; making it anew changes no byte of an answer."""
    before = command("recall", "tokio", "matter", "--json").out
    rebuilt = command("rebuild", "--json").answer
    assert rebuilt == {"status": "rebuilt", "seq": 4, "vectors": 0}
    status = command("status", "--json").answer
    assert status["index"] == {"applied": 4, "waiting": 0, "documents": 3}
    assert command("recall", "tokio", "matter", "--json").out == before


@pytest.mark.parametrize("upkeep", ["status", "doctor", "rebuild"])
def test_a_caller_with_a_project_fence_has_no_part_in_upkeep(upkeep: str) -> None:
    """F13: counts, sizes and faults tell of every project."""
    fenced = Caller(actor="bob", projects=frozenset({"nott"}))

    def unheard(done: int, total: int) -> None:
        """Watch no progress."""

    with open_memory_service(Settings()) as service:
        calls: dict[str, Callable[[], object]] = {
            "status": lambda: inspect.status(service.destinations, fenced, None, service.housing()),
            "doctor": lambda: inspect.doctor(service.destinations, fenced, None, service.housing(), unheard),
            "rebuild": lambda: inspect.rebuild(service.destinations, fenced, None, unheard),
        }
        with pytest.raises(MissingState) as refused:
            calls[upkeep]()
    assert refused.value.kind.value == "not_permitted"


def test_a_store_in_memory_can_be_examined_too() -> None:
    """The oracle is a whole house: status and doctor work on it."""
    with open_memory_service(Settings()) as service:
        caller = service.caller("tester")
        answer = inspect.doctor(service.destinations, caller, None, service.housing(), lambda done, total: None)
        assert answer["verdict"] == "ok"
        assert inspect.status(service.destinations, caller, None, service.housing())["place"] == "memory"
