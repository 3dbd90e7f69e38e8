"""A client for compose files: the engine's own, else Debian's, unpacked into a folder."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from support.debian import Ground, fetch

BOUND = 240


@dataclass(frozen=True, slots=True)
class Compose:
    """Runs commands on one compose file, as a project of that name."""

    client: Sequence[str]
    file: Path
    project: str
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(self, *words: str) -> None:
        """Run a command to its end; fails with what it said."""
        command = [*self.client, "--project-name", self.project, "--file", str(self.file), *words]
        environment = {**os.environ, **self.environment}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=BOUND, check=False)
        assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}"


def compose(file: Path, project: str, folder: Path) -> Compose:
    """Return a client for a compose file; what must be fetched goes into `folder`. Raises Unfetched."""
    for known in (["docker", "compose"], ["docker-compose"]):
        if (
            shutil.which(known[0])
            and subprocess.run([*known, "version"], capture_output=True, timeout=30, check=False).returncode == 0
        ):
            return Compose(known, file, project)
    root = fetch(["docker-compose"], Ground.THIS_MACHINE, folder)
    packages = os.pathsep.join(str(path) for path in root.glob("usr/lib/python3*/dist-packages"))
    python = next((str(path) for path in (root / "usr/bin/python3", Path("/usr/bin/python3")) if path.exists()), sys.executable)
    environment = {"PYTHONPATH": packages, "PYTHONWARNINGS": "ignore"}
    return Compose([python, str(root / "usr/bin/docker-compose")], file, project, environment)
