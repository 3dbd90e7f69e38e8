"""The command line over a service of several destinations."""

from pathlib import Path

import pytest

from recordance_adapters.entry import main
from support.commands import FIXED, Ran

PLACES = """
[[destinations]]
name = "home"
store = "home"
default = true
[[destinations]]
name = "notes"
store = "notes"
description = "what is jotted down"
match = [ {project_prefix = "notes"} ]
[[scopes]]
name = "both"
destinations = ["notes", "home"]
"""


class Service:
    """Runs commands over one configuration with two folders."""

    def __init__(self, folder: Path, screen: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.config = folder / "recordance.toml"
        self.config.write_text(FIXED + PLACES, encoding="utf-8")
        self._screen = screen

    def __call__(self, name: str, *words: str) -> Ran:
        self._screen.readouterr()
        code = main([name, "--config", str(self.config), *words])
        return Ran(code, *self._screen.readouterr())


@pytest.fixture
def service(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Service:
    return Service(tmp_path, capsys)


def test_every_command_takes_a_destination(service: Service) -> None:
    """D6, D4: what a tool can do in a destination, a person can too; --destination and the name before an id mean one place."""
    assert "notes:cap-1" in service("store", "a red boat", "--project-id", "notes/sea").out
    assert "cap-1" in service("store", "a blue boat", "--destination", "home").out
    assert "a red boat" in service("get", "cap-1", "--destination", "notes").out
    assert service("list", "--destination", "notes", "--json").answer["total"] == 1
    assert service("archive", "notes:cap-1").code == 0
    assert service("relate", "about", "notes:cap-1", "cap-1").code == 2
    assert service("status", "--destination", "notes", "--json").answer["destination"] == "notes"
    assert service("rebuild", "--destination", "notes", "--json").answer["destination"] == "notes"
    assert service("doctor", "--destination", "notes").code == 0
    gone = service("forget", "notes:cap-1", "--json").answer["receipt"]
    assert service("verify-receipt", gone).code == 0
    assert "the destinations are: home, notes" in service("status", "--destination", "nots").err


def test_an_export_of_one_destination_is_brought_into_another(service: Service) -> None:
    """W10, D1: what is carried names no destination, and its capsules are at home where they arrive."""
    service("store", "a red boat", "--destination", "notes")
    carried = service.folder / "notes.jsonl"
    assert service("export", str(carried), "--destination", "notes").code == 0
    assert "notes:" not in carried.read_text(encoding="utf-8")
    assert service("import", str(carried), "--destination", "home", "--json").answer["status"] == "restored"
    assert "a red boat" in service("get", "cap-1").out


def test_the_status_shows_every_destination_and_the_one_that_cannot_be_opened(service: Service) -> None:
    """D3: one that is down is shown beside the others, with the reason, and the exit code tells."""
    service("store", "a blue boat")
    (service.folder / "notes").mkdir()
    (service.folder / "notes" / "truth.sqlite").write_text("no store at all\n" * 99)
    ran = service("status")
    assert ran.code == 3
    home, notes = ran.out.splitlines()
    assert home.startswith("home  (default)  1 capsules")
    assert notes.startswith("notes  cannot be used: ")
    assert "(fault-" in notes


def test_the_scopes_are_shown(service: Service) -> None:
    """D1, D2: what can be named, and what leads where."""
    shown = service("scopes").out
    assert "notes  what is jotted down" in shown
    assert "routed: project_prefix notes" in shown
    assert "both  = notes, home" in shown


def test_the_doctor_looks_at_every_destination_and_the_worst_counts(service: Service) -> None:
    """D3: nobody is told that all is well while one of the destinations is damaged."""
    service("store", "a blue boat")
    service("store", "a red boat", "--destination", "notes")
    well = service("doctor", "--json")
    assert (well.code, well.answer["verdict"]) == (0, "ok")
    assert [each["destination"] for each in well.answer["destinations"]] == ["home", "notes"]
    for part in (service.folder / "notes").glob("truth.sqlite*"):
        part.write_bytes(b"garbage" * 1_000)
    ill = service("doctor")
    assert ill.code == 3
    assert "notes:\n    cannot be looked at:" in ill.out
    assert "home:\n    ok    integrity" in ill.out
    assert "in all: fail" in ill.out.splitlines()[-1]


def test_a_destination_that_was_never_written_to_is_made_by_the_first_recall(service: Service) -> None:
    """D3, case L4: whoever lists it has named its place with care; upkeep alone makes none."""
    assert service("status").code == 3
    answer = service("recall", "boat", "--search-scope", "all", "--json").answer
    assert [each["outcome"] for each in answer["searched"]] == ["abstain", "abstain"]
    assert service("status").code == 0


def test_a_name_that_is_no_destination_is_bad_usage(service: Service) -> None:
    """D2: and no empty result, which the code for nothing found would say."""
    asked = service("recall", "boat", "--search-scope", "nots")
    assert asked.code == 2
    assert "home, notes" in asked.err
    assert service("token", "ann", "--reach-destination", "nots").code == 2
    assert service("token", "ann", "--reach-destination", "notes").code == 0
