"""What is shipped and what it is installed from."""

import importlib
import re
import tomllib
import zipfile
from itertools import chain
from pathlib import Path

import pytest
from hatchling import build
from packaging.requirements import Requirement

import recordance
from support import checkout

PROJECT = tomllib.loads((checkout.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUN, TEST, SERVICE, BUILD = checkout.LOCKS
PINNED = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>[^ ;\\]+)", re.MULTILINE)


def lock(name: str) -> str:
    return (checkout.ROOT / name).read_text(encoding="utf-8")


def pins(name: str) -> dict[str, str]:
    return {match["name"]: match["version"] for match in PINNED.finditer(lock(name))}


def requirements() -> list[Requirement]:
    groups, extras = PROJECT["dependency-groups"], PROJECT["project"]["optional-dependencies"]
    wanted = (*PROJECT["project"]["dependencies"], *chain(*extras.values()), *groups["test"], *groups["build"])
    return [Requirement(line) for line in wanted]


def test_every_dependency_is_bounded_on_both_sides() -> None:
    """case J1: a library's next major broke servers at import; it must not reach an installed one by itself."""
    for requirement in requirements():
        operators = {specifier.operator for specifier in requirement.specifier}
        assert operators == {">=", "<"}, f"{requirement}: give it a lower and an upper bound"
    wire = next(requirement for requirement in requirements() if requirement.name == "mcp")
    assert wire.specifier.contains("2.3.0")
    assert not wire.specifier.contains("3.0.0")


def test_every_dependency_has_its_reason_beside_it() -> None:
    """Who takes a package in says what for; who finds the reason gone takes it out."""
    lines = (checkout.ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    for requirement in requirements():
        at = next(number for number, line in enumerate(lines) if line.strip() == f'"{written(requirement)}",')
        assert lines[at - 1].strip().startswith("# "), f"pyproject.toml:{at + 1} {requirement.name}: say why above it"


def test_what_is_optional_is_installed_only_by_whoever_asks_for_it() -> None:
    """Decision 9: a server's client drags in as much as all the rest; the tests have it, and the program starts without it.

    The service's image has what it needs for servers, and none of what runs a model: that comes with the model's files.
    """
    for extra, lines in PROJECT["project"]["optional-dependencies"].items():
        for name in (Requirement(line).name for line in lines):
            assert name in pins(TEST)
            assert (name in pins(SERVICE)) == (extra != "local-models")
            assert name not in pins(RUN)


def written(requirement: Requirement) -> str:
    """A requirement as pyproject.toml spells it: extras, the lower bound first, then where it holds."""
    bounds = sorted(requirement.specifier, key=lambda specifier: specifier.operator, reverse=True)
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    marker = f" ; {requirement.marker}".replace('"', "'") if requirement.marker else ""
    return requirement.name + extras + ",".join(map(str, bounds)) + marker


@pytest.mark.parametrize("name", checkout.LOCKS)
def test_a_lock_pins_by_hash_and_names_no_place(name: str) -> None:
    """Any index that carries the same files will do, and no file but these will."""
    text = lock(name)
    assert "://" not in text, f"{name} names a host"
    assert not re.search(r"^-", text, re.MULTILINE), f"{name} carries an option; `scripts/lock` leaves them out"
    blocks = re.split(r"\n(?=[a-z0-9])", text)[1:]
    assert len(blocks) == len(PINNED.findall(text))  # one name twice where a version depends on the Python
    assert all("--hash=sha256:" in block for block in blocks)


@pytest.mark.parametrize("name", [RUN, TEST, SERVICE])
def test_a_lock_satisfies_what_the_project_asks_for(name: str) -> None:
    """A bound changed without `scripts/lock` would be a promise nobody tested."""
    pinned = pins(name)
    wanted = requirements() if name == TEST else [Requirement(line) for line in PROJECT["project"]["dependencies"]]
    for requirement in wanted:
        assert requirement.specifier.contains(pinned[requirement.name]), f"{name}: {requirement}; run scripts/lock"


@pytest.mark.parametrize("name", [RUN, SERVICE, BUILD])
def test_what_runs_is_a_part_of_what_is_tested(name: str) -> None:
    """What is installed elsewhere was tested together, version by version."""
    assert pins(name).items() <= pins(TEST).items()


def test_a_service_needs_no_build_backend() -> None:
    """An image holds what runs; what builds the wheel stays behind."""
    assert pins(BUILD)
    assert not {"hatchling", "editables"} & pins(SERVICE).keys()


def test_the_installed_program_starts_what_is_there() -> None:
    """A console script is a name in a table until somebody follows it."""
    module, _, function = PROJECT["project"]["scripts"]["recordance"].partition(":")
    assert callable(getattr(importlib.import_module(module), function))


def test_the_core_knows_the_version_that_is_packaged() -> None:
    """Two places say it, because the core may not ask its installer."""
    assert recordance.__version__ == PROJECT["project"]["version"]


def test_the_wheel_holds_both_packages_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Migrations are data to a build backend; one left behind is a store that cannot be opened."""
    monkeypatch.chdir(checkout.ROOT)
    wheel = tmp_path / build.build_wheel(str(tmp_path))
    with zipfile.ZipFile(wheel) as archive:
        shipped = {name for name in archive.namelist() if ".dist-info/" not in name}
    tracked = {"/".join(path.parts[1:]) for path in checkout.tracked() if path.parts[0] in checkout.SOURCES}
    assert tracked <= shipped, f"not in the wheel: {sorted(tracked - shipped)}"
    assert {name.partition("/")[0] for name in shipped} == {"recordance", "recordance_adapters"}
