"""Images for the tests' containers: what the engine has, or its registry gives, which is waited for within bounds."""

import time
from contextlib import closing
from typing import Any

import docker
import docker.errors
import requests

SILENCE_SECONDS = 20
"""How long a registry may say nothing."""
WHOLE_SECONDS = 200
"""How long an image may take to arrive."""


class NoImage(Exception):
    """The image is not to be had here; the text says why."""


def obtain(name: str) -> str:
    """See to it that the engine has an image, if need be from its registry, and return its name. Raises NoImage."""
    with closing(docker.from_env(timeout=SILENCE_SECONDS)) as client:
        try:
            client.images.get(name)
        except docker.errors.ImageNotFound:
            _pull(client, name)
    return name


def _pull(client: docker.DockerClient, name: str) -> None:
    deadline = time.monotonic() + WHOLE_SECONDS
    repository, _, tag = name.rpartition(":") if ":" in name.rpartition("/")[2] else (name, "", "latest")
    try:
        for said in client.api.pull(repository, tag, stream=True, decode=True):
            _heed(said, name, deadline)
    except (docker.errors.DockerException, requests.RequestException) as problem:
        raise NoImage(f"the image {name} cannot be pulled ({_plain(problem)})") from problem


def _heed(said: dict[str, Any], name: str, deadline: float) -> None:
    if "error" in said:
        raise NoImage(f"the image {name} cannot be pulled ({said['error']})")
    if time.monotonic() > deadline:
        raise NoImage(f"the image {name} did not arrive within {WHOLE_SECONDS} s")


def _plain(problem: Exception) -> str:
    return str(getattr(problem, "explanation", None) or problem)
