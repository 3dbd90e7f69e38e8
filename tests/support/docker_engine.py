"""A Docker engine for the tests: the one that answers, or one of Debian's packages that runs in a folder as long as the tests.

`RECORDANCE_TEST_ENGINE` says which: `present` (the default) takes what answers and starts nothing; `install` brings one where
none answers, as root on Debian; `none` takes none.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager

import docker
import pytest

from support import engine_keeper
from support.engine_keeper import answers

VARIABLE = "RECORDANCE_TEST_ENGINE"
END_SECONDS = 60


class NoEngine(Exception):
    """No engine is to be had here; the text says why, and what to do for one."""


@contextmanager
def docker_engine() -> Iterator[None]:
    """Have an engine that answers to `docker.from_env()`. What was started for it is ended. Raises NoEngine."""
    choice = os.environ.get(VARIABLE) or "present"
    assert choice in {"present", "install", "none"}, f"{VARIABLE}={choice}: write present, install or none"
    if choice == "none":
        raise NoEngine(f"{VARIABLE} is none")
    if answers():
        _require_local()
        yield
    elif choice == "present":
        raise NoEngine(f"no Docker engine answers; start one, or as root on Debian set {VARIABLE}=install")
    elif sys.platform != "linux" or os.geteuid() != 0:
        raise NoEngine("no Docker engine answers, and only root on Linux can start one")
    else:
        with _kept() as address, pytest.MonkeyPatch.context() as environment:
            environment.setenv("DOCKER_HOST", address)
            yield


def _require_local() -> None:
    """Refuse an engine that is reached over a network: the ports that its containers publish are on another machine."""
    with closing(docker.from_env()) as client:
        if not str(client.api.base_url).startswith("http+docker://"):
            raise NoEngine(f"the Docker engine answers at {client.api.base_url}, and its containers would be reached elsewhere")


@contextmanager
def _kept() -> Iterator[str]:
    """Give the address of an engine that a process of its own keeps, and takes down when this one ends, however it ends."""
    keeper = subprocess.Popen(
        [sys.executable, engine_keeper.__file__],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        assert keeper.stdout is not None
        said, _, rest = keeper.stdout.readline().rstrip("\n").partition(" ")
        if said == "unfetched":
            raise NoEngine(f"no Docker engine answers, and Debian's cannot be fetched ({rest})")
        assert said == "ready", "the engine could not be started; see what its keeper wrote"
        yield rest
    finally:
        keeper.communicate(timeout=END_SECONDS)
