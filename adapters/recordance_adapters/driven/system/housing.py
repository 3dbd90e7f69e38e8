"""Where a store lives: a folder of its owner's, or memory (see recordance.ports.housing)."""

import os
import platform
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import recordance
from recordance.ports.housing import FollowerSeen

_ENGINES = ("tantivy", "qdrant-edge-py", "sqlalchemy", "mcp")


class FolderHousing:
    """A store in a folder. `damage` is the truth's check of itself, `indexed` counts this process's index.

    `obstacle` is why nothing can be written there, None where it can. `otherwise` counts the processes with other text services.
    """

    def __init__(
        self,
        folder: Path,
        damage: Callable[[], Sequence[str]],
        indexed: Callable[[], int],
        obstacle: str | None,
        otherwise: Callable[[], int],
    ) -> None:
        self._otherwise = otherwise
        self._folder = folder
        self._obstacle = obstacle
        self._damage = damage
        self._indexed = indexed

    @property
    def place(self) -> str:
        """See Housing."""
        return str(self._folder)

    def sizes(self) -> Mapping[str, int]:
        """See Housing: each file or folder at the top of the store's folder is a part; holes in a file take no room."""
        return {part.name: sum(map(_size, _files(part))) for part in sorted(self._folder.iterdir())}

    def versions(self) -> Mapping[str, str]:
        """See Housing."""
        return _versions()

    def exposed(self) -> Sequence[str]:
        """See Housing: the folder's own rights keep others out of all that lies in it."""
        if os.name != "posix":  # elsewhere a user's folder is private by what the system grants, not by these bits
            return []
        mode = stat.S_IMODE(self._folder.stat().st_mode)
        return [f"{self._folder} ({mode:04o})"] if mode & 0o077 else []

    def obstacle(self) -> str | None:
        """See Housing."""
        return self._obstacle

    def damage(self) -> Sequence[str]:
        """See Housing."""
        return self._damage()

    def followers(self) -> None:
        """See Housing."""

    def indexed(self) -> int:
        """See Housing."""
        return self._indexed()

    def served_otherwise(self) -> int:
        """See Housing."""
        return self._otherwise()


@dataclass(frozen=True, slots=True)
class Database:
    """A database server as it tells of itself: its version, and the bytes of the store there."""

    name: str
    version: str
    size: int


class ServerHousing:
    """A store on a database server at `place`, with the indexes of this machine in a folder.

    `local` is that folder, `report` asks the server, `followers` asks who follows.
    """

    def __init__(
        self,
        place: str,
        local: FolderHousing,
        report: Callable[[], Database],
        followers: Callable[[], Sequence[FollowerSeen]],
    ) -> None:
        self._place = place
        self._local = local
        self._report = report
        self._followers = followers

    @property
    def place(self) -> str:
        """See Housing: without anybody's name or password."""
        return self._place

    def sizes(self) -> Mapping[str, int]:
        """See Housing: the tables of the store, and what lies in this machine's folder."""
        database = self._report()
        return {database.name: database.size, **self._local.sizes()}

    def versions(self) -> Mapping[str, str]:
        """See Housing: the server's own among them."""
        database = self._report()
        return {**self._local.versions(), database.name: database.version}

    def exposed(self) -> Sequence[str]:
        """See Housing: who else may read on the server is for whoever runs it; this machine's folder is looked at."""
        return self._local.exposed()

    def obstacle(self) -> str | None:
        """See Housing."""
        return self._local.obstacle()

    def damage(self) -> Sequence[str]:
        """See Housing."""
        return self._local.damage()

    def followers(self) -> Sequence[FollowerSeen]:
        """See Housing."""
        return self._followers()

    def indexed(self) -> int:
        """See Housing."""
        return self._local.indexed()

    def served_otherwise(self) -> int:
        """See Housing."""
        return self._local.served_otherwise()


class MemoryHousing:
    """A store in memory."""

    def __init__(self, indexed: Callable[[], int]) -> None:
        self._indexed = indexed

    @property
    def place(self) -> str:
        """See Housing."""
        return "memory"

    def sizes(self) -> Mapping[str, int]:
        """See Housing: memory is not measured."""
        return {}

    def versions(self) -> Mapping[str, str]:
        """See Housing."""
        return _versions()

    def exposed(self) -> Sequence[str]:
        """See Housing: nobody else can look there."""
        return []

    def obstacle(self) -> str | None:
        """See Housing: memory can always be written."""
        return None

    def damage(self) -> Sequence[str]:
        """See Housing: plain values cannot be damaged."""
        return []

    def followers(self) -> None:
        """See Housing."""

    def indexed(self) -> int:
        """See Housing."""
        return self._indexed()

    def served_otherwise(self) -> int:
        """See Housing: nobody else is there."""
        return 0


def _files(part: Path) -> Iterator[Path]:
    """Yield the files of a part; folders that an engine drops meanwhile are passed over."""
    if not part.is_dir():
        return iter([part])
    return (Path(folder) / name for folder, _, names in os.walk(part) for name in names)


def _size(path: Path) -> int:
    """Return what a file takes of its disk: an index reserves far more than it has written."""
    try:
        status = path.stat()
    except FileNotFoundError:  # an index drops files as it works
        return 0
    blocks: int | None = getattr(status, "st_blocks", None)  # of 512 bytes each, on every system that counts them
    return status.st_size if blocks is None else min(status.st_size, blocks * 512)


def _versions() -> Mapping[str, str]:
    import sqlite3

    engines = {name: metadata.version(name) for name in _ENGINES}
    python = platform.python_version()
    return {"recordance": recordance.__version__, "python": python, "sqlite": sqlite3.sqlite_version, **engines}
