"""A server over HTTP as a process of its own, as somebody starts it from a shell."""

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from support.http_peer import Site
from support.stdio_peer import BOUND, checkout_environment


class HttpServer:
    """The process, once it listens; `site` is where. What it prints and logs is kept."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=checkout_environment(**(environment or {})),
        )
        self.lines: list[str] = []
        self._listening: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        url = self._listening.get(timeout=BOUND)
        assert url is not None, "the server ended\n" + "\n".join(self.lines)
        parts = urlsplit(url)
        self.site = Remote((str(parts.hostname), int(parts.port or 0)))

    def ended(self) -> tuple[int, bytes]:
        """Return how the process ended, once it has, and what it printed."""
        code = self.process.wait(BOUND)
        self._reader.join(BOUND)
        assert self.process.stdout is not None
        return code, self.process.stdout.read()

    def log(self) -> list[dict[str, Any]]:
        """Return what it has logged; every line is a JSON object."""
        return [json.loads(line) for line in self.lines]

    def __enter__(self) -> Self:
        """Return the server itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End the process, whatever state it is in."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(BOUND)
        self._reader.join(BOUND)
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            text = line.decode().rstrip("\n")
            self.lines.append(text)
            if '"message":"listening"' in text:
                self._listening.put(json.loads(text)["url"])
        self._listening.put(None)


class Remote(Site):
    """A site in another process."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.address = address
