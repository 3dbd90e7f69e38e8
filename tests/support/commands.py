"""Commands of the command line, run in this process or in one of their own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recordance_adapters.entry import main
from support.checkout import ROOT
from support.stdio_peer import BOUND, checkout_environment

FIXED = """
actor = "ann"
[fixed]
clock = "2026-03-01T12:00:00Z"
store_id = "commands"
store_key = "000102030405060708090a0b0c0d0e0f"
"""


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> dict[str, Any]:
        """The one line that `--json` prints."""
        assert self.out.count("\n") == 1, self.out
        answer: dict[str, Any] = json.loads(self.out)
        return answer


class Commands:
    """Runs commands over one store, with a fixed clock and identity."""

    def __init__(self, folder: Path, screen: pytest.CaptureFixture[str]) -> None:
        self.store = folder / "store"
        self.config = folder / "recordance.toml"
        self.config.write_text(FIXED, encoding="utf-8")
        self._screen = screen

    def __call__(self, name: str, *words: str) -> Ran:
        """Run a command in this process."""
        self._screen.readouterr()
        code = main([name, "--store", str(self.store), "--config", str(self.config), *words])
        out, err = self._screen.readouterr()
        return Ran(code, out, err)


def program(
    *words: str | bytes, stdin: bytes = b"", environment: Mapping[str, str] | None = None, module: str = "recordance_adapters"
) -> subprocess.CompletedProcess[bytes]:
    """Run `python -m recordance_adapters …` in a process of its own, with no settings but those given."""
    surrounding = {name: value for name, value in checkout_environment().items() if not name.startswith("RECORDANCE_")}
    command = [os.fsencode(sys.executable), b"-m", os.fsencode(module), *(os.fsencode(word) for word in words)]
    return subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        env={**surrounding, **(environment or {})},
        cwd=ROOT,
        timeout=BOUND,
        check=False,
    )
