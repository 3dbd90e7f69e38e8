"""The environment that the scripts make: once, anew when what makes it changes, and never over something else."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from support import checkout

LOCK = "requirements.txt"


@pytest.fixture
def environment() -> ModuleType:
    """scripts/environment.py, which stands outside the packages because it must run before they can."""
    spec = importlib.util.spec_from_file_location("environment", checkout.ROOT / "scripts" / "environment.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def made(folder: Path, environment: ModuleType) -> Path:
    """A folder with the stamps of an environment and no environment in it: whatever would be run in it fails."""
    environment.python(folder).parent.mkdir(parents=True)
    environment.python(folder).touch()
    (folder / "base.stamp").write_text(environment._base_identity(), encoding="utf-8")
    (folder / f"{LOCK}.stamp").write_text(environment._install_identity(LOCK), encoding="utf-8")
    return folder


def test_an_environment_whose_stamps_fit_is_used_as_it_is(tmp_path: Path, environment: ModuleType) -> None:
    """The second start of a script costs nothing and needs no network."""
    folder = made(tmp_path / "env", environment)
    before = sorted(folder.rglob("*"))
    assert environment.prepare(LOCK, folder) == environment.python(folder)
    assert sorted(folder.rglob("*")) == before


def test_another_lock_is_installed_into_the_same_environment(tmp_path: Path, environment: ModuleType) -> None:
    """A stamp of one lock says nothing of another, so the install is tried, and its failure is told whole."""
    folder = made(tmp_path / "env", environment)
    with pytest.raises(environment.SetupError, match="Cannot start"):
        environment.prepare("requirements-test.txt", folder)
    assert not (folder / "requirements-test.txt.stamp").exists()


def test_a_folder_that_holds_something_else_is_never_cleared(tmp_path: Path, environment: ModuleType) -> None:
    """Making an environment removes what was there; only an earlier environment may be removed."""
    (tmp_path / "letter.txt").write_text("keep me", encoding="utf-8")
    with pytest.raises(environment.SetupError, match="Move it away"):
        environment.prepare(LOCK, tmp_path)
    assert (tmp_path / "letter.txt").read_text(encoding="utf-8") == "keep me"


def test_variables_that_lead_python_elsewhere_are_left_out(monkeypatch: pytest.MonkeyPatch, environment: ModuleType) -> None:
    """A PYTHONPATH of the shell would put foreign packages before the locked ones."""
    monkeypatch.setenv("PYTHONPATH", str(Path(sys.prefix)))
    assert "PYTHONPATH" not in environment.clean_variables()
    assert environment.clean_variables()["PATH"]
