"""The doctor on what was decided: circles, standings and counters that other hands have changed are found, with what to do."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from support.commands import Commands


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    """Commands over five capsules of which one is superseded, one falsified, one archived, one judged and one proposed."""
    command = Commands(tmp_path, capsys)
    for content in ("port 7411", "port 7422", "tokio is a database", "tokio is a runtime"):
        command("store", content, "--project-id", "nott/x")
    command("store", "pin tokio", "--project-id", "nott", "--staged")
    command("relate", "supersedes", "cap-2", "cap-1")
    command("relate", "falsifies", "cap-4", "cap-3")
    command("relate", "part_of", "cap-4", "cap-2")
    command("archive", "cap-3")
    command("feedback", "helped", "--capsule-id", "cap-4")
    return command


def examined(command: Commands) -> dict[str, dict[str, str]]:
    """Each check that does not pass, by name."""
    return {check["name"]: check for check in command("doctor", "--json").answer["checks"] if check["verdict"] != "ok"}


def altered(command: Commands, statement: str) -> None:
    with closing(sqlite3.connect(command.store / "truth.sqlite", isolation_level=None)) as database:
        assert database.execute(statement).rowcount != 0


def test_decisions_that_agree_pass(command: Commands) -> None:
    """Nothing that the commands write is a fault, and this store has all that the checks look at."""
    assert "superseded" in command("get", "cap-1").out
    assert examined(command) == {}


RELATE = "INSERT INTO relation (kind, source, target, at) VALUES "


@pytest.mark.parametrize(
    ("statement", "check", "found", "advice"),
    [
        (f"{RELATE} ('supersedes', 5, 5, 1)", "circles", "cap-5 supersedes itself", "--remove"),
        (f"{RELATE} ('mentions', 5, 5, 1)", "circles", "cap-5 mentions itself", "--remove"),
        (f"{RELATE} ('supersedes', 1, 2, 1)", "circles", "circle: cap-1 → cap-2 → cap-1", "--remove"),
        (f"{RELATE} ('part_of', 2, 4, 1)", "circles", "circle: cap-2 → cap-4 → cap-2", "--remove"),
        (f"{RELATE} ('blocks', 1, 2, 1), ('blocks', 2, 3, 1), ('blocks', 3, 1, 1)", "circles", "cap-3 → cap-1", "--remove"),
        ("UPDATE capsule SET superseded_at = NULL, superseded_by = NULL", "standings", "cap-2 supersedes it", "relate"),
        ("UPDATE capsule SET superseded_by = 4 WHERE number = 1", "standings", "superseded by cap-4", "relate"),
        ("UPDATE capsule SET superseded_at = 5 WHERE number = 1", "standings", "superseded by cap-2", "relate"),
        ("DELETE FROM relation WHERE kind = 'supersedes'", "standings", "superseded by cap-2", "relate"),
        ("UPDATE capsule SET falsified_at = NULL", "standings", "cap-4 falsifies it", "relate"),
        ("UPDATE capsule SET archived_at = NULL", "standings", "put away, and it is not", "archive"),
        ("UPDATE capsule SET archived_at = 1 WHERE number = 4", "standings", "its history is silent", "archive"),
        ("UPDATE capsule SET review = 'ratified' WHERE number = 5", "standings", "latest verdict is proposed", "review"),
        ("UPDATE capsule SET review = NULL WHERE number = 5", "standings", "latest verdict is proposed", "review"),
        ("UPDATE capsule SET feedback_weight = 1.0 WHERE number = 4", "standings", "feedback weight is 1", "review"),
        ("UPDATE capsule SET use_count = 40 WHERE number = 4", "standings", "40 times", "review"),
        ("UPDATE project_counter SET words = words + 1 WHERE project_id = 'nott/x'", "capsules", "'nott/x'", "export"),
        ("UPDATE project_counter SET capsules = 0 WHERE project_id = 'nott'", "capsules", "'nott'", "export"),
        ("UPDATE capsule SET word_count = -9 WHERE number = 2", "capsules", "cap-2 has another length", "export"),
        ("UPDATE capsule SET content_digest = 'ab' WHERE number = 2", "capsules", "cap-2 has another content", "export"),
    ],
)
def test_a_decision_that_contradicts_what_decided_it_is_found(
    command: Commands, statement: str, check: str, found: str, advice: str
) -> None:
    """W1, W3, W5, W7, W8, case D5: each is told with the capsule that it is about, and with what to do."""
    altered(command, statement)
    finding = examined(command)[check]
    assert finding["verdict"] == "fail"
    assert found in finding["found"]
    assert advice in finding["advice"]


def test_what_was_retired_by_nobody_is_a_warning(command: Commands) -> None:
    """W10: an import may have left the superseder outside; that is worth a look and no damage."""
    altered(command, "DELETE FROM relation WHERE kind = 'falsifies'")
    finding = examined(command)["standings"]
    assert (finding["verdict"], command("doctor").code) == ("warn", 0)
    assert "cap-3" in finding["found"]


def test_a_circle_is_mended_as_the_doctor_says(command: Commands) -> None:
    """Advice that works: the relation is taken back by the command that is named."""
    altered(command, f"{RELATE} ('part_of', 2, 4, 1)")
    assert command("relate", "part_of", "cap-2", "cap-4", "--remove").code == 0
    assert examined(command) == {}
