"""The shipped compose file as it is tried here: without what has no image, with a token and a port of the test's own."""

import hashlib
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from support import checkout

DEPLOY = checkout.ROOT / "deploy"


@dataclass(frozen=True, slots=True)
class Deployment:
    """A compose file, the bearer token that its service knows and the port that it listens at."""

    file: Path
    token: str
    port: int


def deployment(folder: Path, port: int, *absent: str) -> Deployment:
    """Write the shipped compose file and settings into a folder, without some of the servers."""
    token = secrets.token_urlsafe(32)
    parts: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    del parts["name"]  # each trial is a project of its own; and a client before the compose specification knows no such field
    for name in absent:
        del parts["services"][name]
        del parts["services"]["recordance"]["depends_on"][name]
    service = parts["services"]["recordance"]
    del service["build"]
    service["ports"] = [f"127.0.0.1:{port}:8377"]
    service["healthcheck"] = {"interval": "1s"}  # the image's own check, as often as a test likes it
    file = folder / "compose.yaml"
    file.write_text(yaml.safe_dump(parts), encoding="utf-8")
    (folder / "service.toml").write_text(_settings(token, absent), encoding="utf-8")
    (folder / "secrets").mkdir(mode=0o700)
    for secret in parts["secrets"].values():
        (folder / secret["file"]).write_text(secrets.token_hex(32) + "\n", encoding="utf-8")
    return Deployment(file, token, port)


def _settings(token: str, absent: tuple[str, ...]) -> str:
    text = (DEPLOY / "service.toml").read_text(encoding="utf-8")
    text = text.replace("0" * 64, hashlib.sha256(token.encode()).hexdigest())
    if "qdrant" in absent:
        text = re.sub(r"^vectors = .*\n|^\[qdrant\]\n(?:\w.*\n)+", "", text, flags=re.MULTILINE)
    return text
