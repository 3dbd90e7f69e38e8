"""The rows of the table: each measures one promise on a store of one size, beside what it cannot be faster than."""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import environment
from benchmark import corpus
from benchmark.bare_engine import BareEngine
from benchmark.measuring import Pipeline, Row, Times, memory, say, timed
from stdio_client import StdioServer

BATCH = 500
TOP = 6
SEED = 7
RECALL_GOALS = {10_000: "≤ 2.5 ms", 100_000: "≤ 6 ms", 1_000_000: "≤ 40 ms"}
WRITES = 200
IMPORT = 5_000


@dataclass(frozen=True)
class Bench:
    """A store of one size under one folder, and how many recalls each row makes. `truth` is the URL of one that is a server."""

    folder: Path
    size: int
    recalls: int
    truth: str | None = None

    @property
    def shown(self) -> str:
        """The size as the table shows it."""
        return f"{self.size // 1000}k"

    def server(self, *options: str) -> StdioServer:
        """Start a server on the store."""
        command = [sys.executable, "-m", "recordance_adapters", "mcp", "--store", str(self.folder / "store"), *options]
        where = {} if self.truth is None else {"RECORDANCE_TRUTH": self.truth}
        return StdioServer(command, self.folder / "log", environment.clean_variables() | where)


def rows(bench: Bench, baseline: Times) -> Iterator[Row]:
    """Yield every row for one size; `baseline` is what an empty tool call takes in this run."""
    say(f"{bench.shown}: storing")
    yield from storing(bench)
    say(f"{bench.shown}: starting")
    yield from starting(bench)
    say(f"{bench.shown}: recalling")
    yield from recalling(bench, baseline)
    say(f"{bench.shown}: in process")
    yield in_process(bench)
    say(f"{bench.shown}: between processes")
    yield from between_processes(bench)
    if bench.size >= 10_000:
        say(f"{bench.shown}: recalling beside an import")
        yield beside_an_import(bench)


def empty_calls(count: int) -> Times:
    """Return what calls of a tool that does nothing take, over the same transport."""
    with StdioServer([sys.executable, "-m", "benchmark.empty_server"], environment=_with_scripts()) as server:
        lines = [server.encode("tools/call", {"name": "nothing", "arguments": {}}) for _ in range(count)]
        return timed([lambda line=line: server.exchange_raw(line) for line in lines])


def storing(bench: Bench) -> Iterator[Row]:
    """Fill the store in batches, then store one by one."""
    items = corpus.capsules(bench.size + WRITES, SEED)
    with bench.server() as server:
        batches = [list(itertools.islice(items, BATCH)) for _ in range(bench.size // BATCH)]
        lines = [server.encode("tools/call", {"name": "memory_store", "arguments": {"items": batch}}) for batch in batches]
        bulk = timed([lambda line=line: server.exchange_raw(line) for line in lines])
        yield Row("store in batches of 500", bench.shown, f"{bench.size / sum(bulk.milliseconds) * 1000:,.0f} /s", "≥ 12,000 /s")
        lines = [server.encode("tools/call", {"name": "memory_store", "arguments": item}) for item in items]
        single = timed([lambda line=line: server.exchange_raw(line) for line in lines])
        rate = len(lines) / sum(single.milliseconds) * 1000
        yield Row("store one by one, durable", bench.shown, f"{rate:,.0f} /s ({single})", "≥ 400 /s")
        # A recall waits for what the replica has not applied; it leaves the store warm for the rows that follow.
        server.call("memory_retrieve", {"terms": ["warm"]})


def starting(bench: Bench) -> Iterator[Row]:
    """Start a server and recall at once; then a second one beside it, whose replica is new."""
    terms = corpus.queries(1, SEED + 1)[0]

    def start() -> StdioServer:
        server = bench.server()
        server.call("memory_retrieve", {"terms": terms, "limit": TOP})
        return server

    began = time.perf_counter()
    with start() as first:
        warm = time.perf_counter() - began
        yield Row("process start to first recall", bench.shown, f"{warm:.2f} s", "≤ 0.8 s", _imports())
        began = time.perf_counter()
        with start():
            goal = "≤ 1.5 s" if bench.size == 100_000 else ""
            yield Row("second process, ready to answer", bench.shown, f"{time.perf_counter() - began:.2f} s", goal)
        first.call("memory_retrieve", {"terms": terms, "limit": TOP})


def recalling(bench: Bench, baseline: Times) -> Iterator[Row]:
    """Recall over stdio: three words, the best six. Then what the engine alone takes for the same words."""
    queries = corpus.queries(bench.recalls, SEED + 2)
    with bench.server() as server:
        arguments = [{"terms": terms, "limit": TOP} for terms in queries]
        lines = [server.encode("tools/call", {"name": "memory_retrieve", "arguments": one}) for one in arguments]
        server.exchange_raw(lines[0])
        ours = timed([lambda line=line: server.exchange_raw(line) for line in lines])
        # The server owns the replica; the bare engine reads the same files beside it.
        engine = BareEngine(next((bench.folder / "store" / "replicas").glob("*/terms")))
        bare = timed([lambda terms=terms: engine.search(terms, TOP) for terms in queries])
        beside = f"bare engine {bare}, empty call {baseline}"
        yield Row("recall over stdio, 3 words, top 6", bench.shown, str(ours), RECALL_GOALS.get(bench.size, ""), beside)
        above = f"{ours.p50 - bare.p50 - baseline.p50:.2f} ms"
        goal = "≤ 1.5 ms" if bench.size == 10_000 else ""
        yield Row("the same above bare engine and empty call", bench.shown, above, goal)
        matched = sorted(json.loads(server.exchange_raw(line))["result"]["structuredContent"]["matched"] for line in lines)
        yield Row("matches a query (not a time)", bench.shown, f"median {matched[len(matched) // 2]:,}, most {matched[-1]:,}", "")
        goal = "≤ 95 MB" if bench.size == 10_000 else ""
        yield Row("resident memory after these recalls", bench.shown, memory(server.process.pid), goal)


def in_process(bench: Bench) -> Row:
    """Recall through the use case, without any transport."""
    from recordance_adapters.bootstrap import open_service
    from recordance_adapters.settings import Settings
    from recordance_adapters.wire.tool import Call
    from recordance_adapters.wire.tools.retrieve import RETRIEVE

    queries = corpus.queries(bench.recalls, SEED + 2)
    with open_service(Settings(store=bench.folder / "store")) as service:
        call = Call(destinations=service.destinations, caller=service.caller("bench"))
        arguments: list[dict[str, Any]] = [{"terms": terms, "limit": TOP} for terms in queries]
        RETRIEVE.handle(call, arguments[0])
        ours = timed([lambda one=one: RETRIEVE.handle(call, one) for one in arguments])
    return Row("recall in process", bench.shown, str(ours), "")


def between_processes(bench: Bench) -> Iterator[Row]:
    """Store through one server and recall through another: how soon, and whether the first recall sees it."""
    with bench.server() as writer, bench.server() as reader:
        reader.call("memory_retrieve", {"terms": ["warm"], "limit": 1})
        seen = [_seen(writer, reader, f"sentinel{bench.size}x{place}") for place in range(40)]
    first = sum(1 for tries, _ in seen if tries == 1)
    times = Times(tuple(taken for _, taken in seen))
    what = "store answered → seen by another process"
    yield Row(what, bench.shown, f"{times}, by the first recall {first} of {len(seen)}", "≤ 6 ms")


def _seen(writer: StdioServer, reader: StdioServer, word: str) -> tuple[int, float]:
    line = reader.encode("tools/call", {"name": "memory_retrieve", "arguments": {"terms": [word], "limit": 1}})
    writer.call("memory_store", {"content": f"the word {word} stands here"})
    began = time.perf_counter()
    for tries in itertools.count(1):
        if b'"grounded"' in reader.exchange_raw(line) or tries == 1000:
            return tries, (time.perf_counter() - began) * 1000
    raise AssertionError("unreachable")


def beside_an_import(bench: Bench) -> Row:
    """Recall while 5,000 capsules are stored through the same server."""
    items = corpus.capsules(IMPORT, SEED + 3)
    batches = [list(itertools.islice(items, BATCH)) for _ in range(IMPORT // BATCH)]
    queries = itertools.cycle(corpus.queries(bench.recalls, SEED + 4))
    with bench.server() as server:
        server.call("memory_retrieve", {"terms": ["warm"]})
        pipeline = Pipeline(server)
        lines = [server.encode("tools/call", {"name": "memory_store", "arguments": {"items": batch}}) for batch in batches]
        stores = [pipeline.send(line) for line in lines]
        taken = []
        while not all(map(pipeline.answered, stores)):
            arguments = {"terms": next(queries), "limit": TOP}
            line = server.encode("tools/call", {"name": "memory_retrieve", "arguments": arguments})
            began = time.perf_counter()
            taken.append((pipeline.wait(pipeline.send(line)) - began) * 1000)
    times = Times(tuple(taken))
    return Row(f"recall while {IMPORT:,} are stored ({len(taken)} recalls)", bench.shown, str(times), "p95 ≤ 60 ms")


def _imports() -> str:
    """Return how long a Python takes that only imports the MCP SDK's server: the floor under every start."""
    import subprocess

    command = [sys.executable, "-c", "import mcp.server.lowlevel, mcp.server.stdio"]
    took = timed([lambda: subprocess.run(command, check=True)] * 3)
    return f"importing the MCP SDK alone {took.p50 / 1000:.2f} s"


def _with_scripts() -> dict[str, str]:
    scripts = str(environment.ROOT / "scripts")
    return {**environment.clean_variables(), "PYTHONPATH": scripts}
