"""The rows of HTTP: the same calls through `recordance serve`, over one connection that is kept, beside stdio in turns."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator

import environment
from benchmark import corpus
from benchmark.measuring import Row, Times, in_turns, say, timed
from benchmark.rows import BATCH, SEED, TOP, WRITES, Bench
from http_client import HttpServer


def http_rows(bench: Bench, baseline: Times) -> Iterator[Row]:
    """Fill a store over HTTP, then call it in turns over HTTP and over stdio; `baseline` is an empty tool call over stdio."""
    say(f"{bench.shown} over HTTP: storing")
    command = [sys.executable, "-m", "recordance_adapters", "serve", "--store", str(bench.folder / "store")]
    with HttpServer(command, bench.folder / "http.log", environment.clean_variables()) as over_http, bench.server() as over_stdio:
        warm = over_http.encode("tools/call", {"name": "memory_retrieve", "arguments": {"terms": ["warm"]}})
        over_http.exchange_raw(warm)
        items = corpus.capsules(bench.size, SEED)
        batches = [list(itertools.islice(items, BATCH)) for _ in range(bench.size // BATCH)]
        bodies = [over_http.encode("tools/call", {"name": "memory_store", "arguments": {"items": batch}}) for batch in batches]
        bulk = timed([lambda body=body: over_http.exchange_raw(body) for body in bodies])
        yield Row("store over HTTP in batches of 500", bench.shown, f"{bench.size / sum(bulk.milliseconds) * 1000:,.0f} /s", "")
        over_http.exchange_raw(warm)
        say(f"{bench.shown} over HTTP: calling beside stdio")
        recalls = [{"terms": terms, "limit": TOP} for terms in corpus.queries(bench.recalls, SEED + 2)]
        ours, stdio = in_turns((over_http, over_stdio), "memory_retrieve", recalls)
        beside = f"over stdio {stdio}, {ours.against(stdio)}; empty call over stdio {baseline}"
        yield Row(f"recall over HTTP, 3 words, top {TOP}", bench.shown, str(ours), "", beside)
        ours, stdio = in_turns((over_http, over_stdio), "memory_store", list(corpus.capsules(WRITES, SEED + 3)))
        yield Row("store one by one over HTTP, durable", bench.shown, str(ours), "", f"over stdio {stdio}, {ours.against(stdio)}")
