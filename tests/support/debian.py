"""Debian's packages in a folder: fetched with all that they need and unpacked there. Nothing is installed on the machine."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from pathlib import Path

BOUND = 180
"""Seconds that one step may take; a bound against hanging."""


class Ground(Enum):
    """On what the packages are to stand: what is there already is not fetched."""

    THIS_MACHINE = auto()
    NOTHING = auto()


class Unfetched(Exception):
    """The packages cannot be had here; the text says why."""


def fetch(packages: Sequence[str], ground: Ground, into: Path) -> Path:
    """Return the folder `into`/root with the packages in it, and with those that they need and `ground` lacks.

    Asks the archives that the machine is set up for, by apt's own client. Raises Unfetched.
    """
    missing = [name for name in ("apt-get", "dpkg-deb", "tar") if shutil.which(name) is None]
    if missing:
        raise Unfetched(f"there is no {' and no '.join(missing)} on this machine")
    archives = into / "archives"
    (archives / "partial").mkdir(parents=True)
    options = list(_options(ground, into))
    install = ["install", "--yes", "--no-install-recommends", "--download-only", *packages]
    if _apt(install, options):  # the machine's lists may be missing, or older than the archives
        lists = into / "lists"
        (lists / "partial").mkdir(parents=True)
        options.append(f"--option=Dir::State::lists={lists}")
        for command in (["update"], install):
            if said := _apt(command, options):
                raise Unfetched(f"apt-get {command[0]}: {said}")
    return _unpacked(sorted(archives.glob("*.deb")), into / "root")


def _options(ground: Ground, into: Path) -> Iterator[str]:
    yield f"--option=Dir::Cache::archives={into / 'archives'}"
    yield f"--option=Dir::Cache::pkgcache={into / 'packages.bin'}"
    yield f"--option=Dir::Cache::srcpkgcache={into / 'sources.bin'}"
    yield "--option=APT::Sandbox::User=root"
    yield "--option=Debug::NoLocking=1"
    yield "--option=Acquire::Retries=1"
    yield "--option=Acquire::http::Timeout=20"
    yield "--option=Acquire::https::Timeout=20"
    if ground is Ground.NOTHING:
        nothing = into / "status"
        nothing.touch()
        yield f"--option=Dir::State::status={nothing}"


def _apt(command: Sequence[str], options: Sequence[str]) -> str:
    """Run apt-get and return nothing, or how it failed."""
    try:
        done = subprocess.run(
            ["apt-get", "--quiet=2", *options, *command],
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=BOUND,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not end within {BOUND} s"
    said = "; ".join(line for line in done.stderr.splitlines() if line.startswith("E:"))
    return (said or f"exit code {done.returncode}") if done.returncode else ""


def _unpacked(archives: Sequence[Path], root: Path) -> Path:
    """Unpack the archives over a merged /usr, as Debian lays it."""
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    for archive in archives:
        reading = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE)
        writing = ["tar", "--extract", "--keep-directory-symlink", "--directory", root]
        subprocess.run(writing, stdin=reading.stdout, timeout=BOUND, check=True)
        assert reading.stdout is not None
        reading.stdout.close()
        assert reading.wait(BOUND) == 0, archive
    return root
