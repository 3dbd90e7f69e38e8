"""What `scripts/trials` share: how a server is started, and what the doctor says of a store afterwards."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import environment

_DOCTOR_SECONDS = 600


def server_command(python: Path, store: Path) -> list[str]:
    """Return the command that serves a store over stdio."""
    return [str(python), "-m", "recordance_adapters", "mcp", "--store", str(store)]


def examined(python: Path, store: Path) -> list[str]:
    """Return what the doctor does not find in order."""
    ran = subprocess.run(
        [str(python), "-m", "recordance_adapters", "doctor", "--json", "--store", str(store)],
        capture_output=True,
        encoding="utf-8",
        env=environment.clean_variables(),
        timeout=_DOCTOR_SECONDS,
        check=False,
    )
    try:
        checks = json.loads(ran.stdout)["checks"]
    except (ValueError, KeyError):
        return [f"the doctor ended with {ran.returncode}: {ran.stderr.strip()}"]
    return [f"{check['name']}: {check['found']}" for check in checks if check["verdict"] != "ok"]
