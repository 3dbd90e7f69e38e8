"""Makes the environment that the scripts run in, from nothing but a Python and a lock.

Standard library only. A stamp beside the installed packages says what was installed; while it fits, nothing is done.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
OLDEST = (3, 11)
INSTALL_SECONDS = 1200


class SetupError(Exception):
    """The environment cannot be made; the text says why and what to do."""


def prepare(lock: str, folder: Path = ENVIRONMENT) -> Path:
    """Make `folder` hold exactly what `lock` pins and this checkout, and return its Python.

    `lock` is a requirements file beside pyproject.toml whose every line carries hashes. Raises SetupError.
    """
    _require_python()
    if _differs(folder / "base.stamp", _base_identity()) or not python(folder).exists():
        _create(folder)
    stamp, identity = folder / f"{lock}.stamp", _install_identity(lock)
    if _differs(stamp, identity):
        _install(lock, folder)
        stamp.write_text(identity, encoding="utf-8")
    return python(folder)


def python(folder: Path = ENVIRONMENT) -> Path:
    """Return the path of the environment's Python."""
    return program("python", folder)


def program(name: str, folder: Path = ENVIRONMENT) -> Path:
    """Return the path of a program that the environment holds, as this operating system spells it."""
    return folder / "Scripts" / f"{name}.exe" if os.name == "nt" else folder / "bin" / name


def clean_variables() -> dict[str, str]:
    """Return this process's variables without those that would lead Python to other packages than the environment's."""
    misleading = {"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__", "PIP_TARGET"}
    kept = {name: value for name, value in os.environ.items() if name not in misleading}
    return {**kept, "PYTHONNOUSERSITE": "1", "PIP_USER": "0"}


def _require_python() -> None:
    if sys.version_info < OLDEST:
        found, wanted = ".".join(map(str, sys.version_info[:3])), ".".join(map(str, OLDEST))
        raise SetupError(f"This is Python {found}; Recordance needs {wanted} or newer. Start the script with a newer one.")
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if missing:
        raise SetupError(
            f"This Python ({sys.executable}) comes without {' and '.join(missing)}, which make the environment. "
            "On Debian and Ubuntu install the package python3-venv; elsewhere use a Python from python.org."
        )


def _base_identity() -> str:
    """Name what an environment cannot outlive: the Python that made it and the place it stands in."""
    return json.dumps([sys.version, sys.base_prefix, str(ROOT)])


def _install_identity(lock: str) -> str:
    files = (ROOT / lock, ROOT / "pyproject.toml")
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


def _differs(stamp: Path, identity: str) -> bool:
    return not stamp.is_file() or stamp.read_text(encoding="utf-8") != identity


def _create(folder: Path) -> None:
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").is_file():
        raise SetupError(f"{folder} holds something that is no environment. Move it away, or name another folder.")
    _say(f"creating {_shown(folder)} with Python {'.'.join(map(str, sys.version_info[:3]))}")
    if folder.is_dir():
        shutil.rmtree(folder)
    _run([sys.executable, "-m", "venv", str(folder)])
    (folder / "base.stamp").write_text(_base_identity(), encoding="utf-8")


def _install(lock: str, folder: Path) -> None:
    pip = [str(python(folder)), "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check", "install"]
    _say(f"installing {lock} into {_shown(folder)}")
    _run([*pip, "--require-hashes", "--no-deps", "--requirement", str(ROOT / lock)])
    _say("installing this checkout")
    _run([*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT)])


def _run(command: list[str]) -> None:
    """Run quietly; what the command said is shown only when it failed."""
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=clean_variables(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=INSTALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        raise SetupError(f"Gave up after {INSTALL_SECONDS} s: {' '.join(command)}") from late
    except OSError as broken:
        raise SetupError(f"Cannot start {command[0]}: {broken}. Remove the folder it stands in and try again.") from broken
    if done.returncode:
        raise SetupError(f"{done.stdout.strip()}\nFailed with exit code {done.returncode}: {' '.join(command)}")


def _shown(folder: Path) -> str:
    return str(folder.relative_to(ROOT)) if folder.is_relative_to(ROOT) else str(folder)


def _say(text: str) -> None:
    print(f"environment: {text}", file=sys.stderr, flush=True)
