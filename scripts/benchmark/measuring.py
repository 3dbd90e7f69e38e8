"""Times, and what is said of them: medians and 95th percentiles in milliseconds, memory in megabytes."""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from stdio_client import StdioServer


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    size: str
    measured: str
    goal: str
    beside: str = ""


@dataclass(frozen=True)
class Times:
    """Durations in milliseconds, in the order in which they were taken."""

    milliseconds: tuple[float, ...]

    @property
    def p50(self) -> float:
        """The median."""
        return statistics.median(self.milliseconds)

    @property
    def p95(self) -> float:
        """The 95th percentile."""
        ordered = sorted(self.milliseconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]

    def against(self, others: Times) -> str:
        """Return how much longer these take than others, by the medians."""
        return f"{self.p50 / others.p50:.2f} × as long"

    def __str__(self) -> str:
        """Median and 95th percentile."""
        return f"{self.p50:.2f} / {self.p95:.2f} ms"


def timed(actions: Iterable[Callable[[], Any]]) -> Times:
    """Run each action once and return how long each took."""
    taken = []
    for action in actions:
        began = time.perf_counter()
        action()
        taken.append((time.perf_counter() - began) * 1000)
    return Times(tuple(taken))


class Served(Protocol):
    """A server and the conversation with it."""

    def encode(self, method: str, parameters: Mapping[str, Any]) -> bytes:
        """Return a request as it goes to the server."""
        ...

    def exchange_raw(self, message: bytes, /) -> bytes:
        """Send an encoded request and return what answers it."""
        ...


def in_turns(servers: tuple[Served, Served], tool: str, each: Iterable[Mapping[str, Any]]) -> tuple[Times, Times]:
    """Call a tool with each arguments on one server and then on the other, so that what else the machine does troubles both."""
    asked = [(server, server.encode("tools/call", {"name": tool, "arguments": one})) for one in each for server in servers]
    taken = timed([lambda server=server, line=line: server.exchange_raw(line) for server, line in asked]).milliseconds
    return Times(taken[::2]), Times(taken[1::2])


def table(rows: Iterable[Row]) -> str:
    """Return the rows as a Markdown table."""
    lines = ["| what | capsules | measured (p50 / p95) | goal | beside it |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*lines, *(f"| {row.what} | {row.size} | {row.measured} | {row.goal} | {row.beside} |" for row in rows)])


def memory(process_id: int) -> str:
    """Return a process's resident memory, now and at its highest; a dash where the system does not tell."""
    try:
        status = Path(f"/proc/{process_id}/status").read_text(encoding="utf-8")
    except OSError:
        return "–"
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    now, highest = (int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    return f"{now:.0f} MB (peak {highest:.0f})"


def machine() -> str:
    """Return a sentence on the machine: what a reader needs to judge the figures."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    return f"{cores} cores, {system}, CPython {platform.python_version()}; {_sync_cost()} for a synced write of 4 kB."


def _sync_cost() -> str:
    def write() -> None:
        file.write(b"\0" * 4096)
        file.flush()
        os.fsync(file.fileno())

    with tempfile.NamedTemporaryFile() as file:
        return str(timed([write] * 50))


class Pipeline:
    """Several calls in flight on one server; a thread notes when each answer came."""

    def __init__(self, server: StdioServer) -> None:
        self._server = server
        self._arrived: dict[int, float] = {}
        self._news = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, line: bytes) -> int:
        """Send an encoded request and return its id."""
        self._server.send_line(line)
        return int(json.loads(line)["id"])

    def wait(self, request: int) -> float:
        """Return when the answer to a request came, once it has; raises TimeoutError."""
        with self._news:
            if not self._news.wait_for(lambda: request in self._arrived, timeout=300):
                raise TimeoutError(f"no answer to request {request}")
            return self._arrived[request]

    def answered(self, request: int) -> bool:
        """Whether the answer to a request has come."""
        with self._news:
            return request in self._arrived

    def _read(self) -> None:
        while line := self._server.read_line():
            came = time.perf_counter()
            message = json.loads(line)
            if "method" not in message:
                with self._news:
                    self._arrived[message["id"]] = came
                    self._news.notify_all()


def say(text: str) -> None:
    """Say on standard error what is being measured."""
    print(text, file=sys.stderr, flush=True)
