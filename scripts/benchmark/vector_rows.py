"""The rows of stores with vectors: 384 dimensions, brought along by the caller, beside both bare engines."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from typing import Any

from benchmark import corpus
from benchmark.bare_engine import BareEngine
from benchmark.bare_vectors import BareVectors
from benchmark.measuring import Row, Times, memory, say, timed
from benchmark.rows import BATCH, SEED, TOP, WRITES, Bench
from stdio_client import StdioServer

VECTOR_K = 10
"""How many of the nearest a recall considers when the caller does not say: the bare engine is asked for as many."""
FUSED_GOALS = {10_000: "≤ 4 ms", 100_000: "≤ 16 ms"}
MEMORY_GOALS = {10_000: "≤ 190 MB", 100_000: "≤ 550 MB"}
FORGETS = 10
WARM_SECONDS = 5
"""A server opens its vector index in the background; until then a recall compares the truth's own vectors."""


def vector_rows(bench: Bench, baseline: Times) -> Iterator[Row]:
    """Yield every row for one size; `baseline` is what an empty tool call takes in this run."""
    bare = BareVectors(bench.folder / "bare", corpus.DIMENSION)
    say(f"{bench.shown} with vectors: storing")
    yield from storing(bench, bare)
    say(f"{bench.shown} with vectors: starting")
    yield from starting(bench)
    say(f"{bench.shown} with vectors: recalling")
    yield from recalling(bench, bare, baseline)
    bare.close()
    say(f"{bench.shown} with vectors: in process")
    yield in_process(bench)
    if bench.size == 10_000:
        say(f"{bench.shown} with vectors: forgetting")
        yield from forgetting(bench)


def storing(bench: Bench, bare: BareVectors) -> Iterator[Row]:
    """Fill the store in batches, and the bare engine with the same vectors; then store one by one."""
    items = _items(bench.size + WRITES)
    with bench.server() as server:
        bulk = Times(tuple(_stored(server, bare, items) for _ in range(bench.size // BATCH)))
        rate = bench.size / sum(bulk.milliseconds) * 1000
        yield Row("store with embeddings in batches of 500", bench.shown, f"{rate:,.0f} /s", "≥ 5,000 /s")
        lines = [server.encode("tools/call", {"name": "memory_store", "arguments": item}) for item in items]
        single = timed([lambda line=line: server.exchange_raw(line) for line in lines])
        rate = len(lines) / sum(single.milliseconds) * 1000
        yield Row("store one by one with embeddings, durable", bench.shown, f"{rate:,.0f} /s ({single})", "")
        _warm(server)


def _stored(server: StdioServer, bare: BareVectors, items: Iterator[dict[str, Any]]) -> float:
    """Store the next batch and return the milliseconds it took; encoding it and feeding the bare engine are not counted."""
    batch = list(itertools.islice(items, BATCH))
    bare.add([item["embedding"] for item in batch])
    line = server.encode("tools/call", {"name": "memory_store", "arguments": {"items": batch}})
    return timed([lambda: server.exchange_raw(line)]).p50


def starting(bench: Bench) -> Iterator[Row]:
    """Start a server and recall in both lanes at once; then a second one beside it, whose replicas are new."""
    asked = _questions(1, SEED + 1)[0]

    def start() -> StdioServer:
        server = bench.server()
        server.call("memory_retrieve", asked)
        return server

    began = time.perf_counter()
    with start() as first:
        yield Row("process start to first fused recall", bench.shown, f"{time.perf_counter() - began:.2f} s", "≤ 1.2 s")
        began = time.perf_counter()
        with start():
            goal = "≤ 1.5 s" if bench.size == 100_000 else ""
            taken = f"{time.perf_counter() - began:.2f} s"
            yield Row("second process with vectors, ready to answer", bench.shown, taken, goal)
        first.call("memory_retrieve", asked)


def recalling(bench: Bench, bare: BareVectors, baseline: Times) -> Iterator[Row]:
    """Recall over stdio in both lanes: three words and a vector, the best six. Then what the engines alone take for the same."""
    questions = _questions(bench.recalls, SEED + 2)
    with bench.server() as server:
        lines = [server.encode("tools/call", {"name": "memory_retrieve", "arguments": asked}) for asked in questions]
        _warm(server)
        ours = timed([lambda line=line: server.exchange_raw(line) for line in lines])
        terms = BareEngine(next((bench.folder / "store" / "replicas").glob("*/terms")))
        by_words = timed([lambda asked=asked: terms.search(asked["terms"], TOP) for asked in questions])
        nearest = timed([lambda asked=asked: bare.search(asked["query_embedding"], VECTOR_K) for asked in questions])
        beside = f"bare term engine {by_words}, bare vector engine {nearest}, empty call {baseline}"
        goal = FUSED_GOALS.get(bench.size, "")
        yield Row("fused recall over stdio, 3 words, 384 dimensions, top 6", bench.shown, str(ours), goal, beside)
        above = f"{ours.p50 - by_words.p50 - nearest.p50 - baseline.p50:.2f} ms"
        goal = "≤ 1.5 ms" if bench.size == 10_000 else ""
        yield Row("the same above both bare engines and empty call", bench.shown, above, goal)
        goal = MEMORY_GOALS.get(bench.size, "")
        yield Row("resident memory after these recalls", bench.shown, memory(server.process.pid), goal)


def in_process(bench: Bench) -> Row:
    """Recall in both lanes through the use case, without any transport."""
    from recordance_adapters.bootstrap import open_service
    from recordance_adapters.settings import Settings
    from recordance_adapters.wire.tool import Call
    from recordance_adapters.wire.tools.retrieve import RETRIEVE

    questions = _questions(bench.recalls, SEED + 2)
    with open_service(Settings(store=bench.folder / "store")) as service:
        call = Call(destinations=service.destinations, caller=service.caller("bench"))
        began = time.perf_counter()
        while time.perf_counter() - began < WARM_SECONDS:
            RETRIEVE.handle(call, questions[0])
        ours = timed([lambda asked=asked: RETRIEVE.handle(call, asked) for asked in questions])
    return Row("fused recall in process", bench.shown, str(ours), "")


def forgetting(bench: Bench) -> Iterator[Row]:
    """Forget one capsule after another, from the call to its receipt: alone, then while another process has indexes too."""
    with bench.server() as server:
        _warm(server)
        yield _forgets(bench, server, "forget, call to receipt", range(1, FORGETS + 1))
        with bench.server() as other:
            _warm(other)
            yield _forgets(bench, server, "forget beside a second process", range(FORGETS + 1, 2 * FORGETS + 1))


def _forgets(bench: Bench, server: StdioServer, what: str, numbers: range) -> Row:
    taken, pending = [], 0
    for number in numbers:
        began = time.perf_counter()
        receipt = server.call("memory_forget", {"id": f"cap-{number}", "reason": "measured"})
        taken.append((time.perf_counter() - began) * 1000)
        pending += '"pending"' in json.dumps(receipt)
    return Row(what, bench.shown, str(Times(tuple(taken))), "", f"{len(taken)} forgets, {pending} receipts with a place pending")


def _items(count: int) -> Iterator[dict[str, Any]]:
    """Yield items for `memory_store`, each with its embedding."""
    for item, vector in zip(corpus.capsules(count, SEED), corpus.vectors(SEED), strict=False):
        yield item | {"embedding": vector}


def _questions(count: int, seed: int) -> list[dict[str, Any]]:
    """Return the arguments of fused recalls."""
    pairs = zip(corpus.queries(count, seed), corpus.vectors(seed), strict=False)
    return [{"terms": terms, "query_embedding": vector, "limit": TOP} for terms, vector in pairs]


def _warm(server: StdioServer) -> None:
    """Recall until the server has had the time to open its indexes and to apply what was stored."""
    (asked,) = _questions(1, SEED + 1)
    began = time.perf_counter()
    while time.perf_counter() - began < WARM_SECONDS:
        server.call("memory_retrieve", asked)
