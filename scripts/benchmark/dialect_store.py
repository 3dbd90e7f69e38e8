"""A store with what the dialects ask for, and the service and the server that answer from it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from benchmark import dialect_corpus
from benchmark.rows import BATCH, SEED, Bench
from recordance_adapters.bootstrap import Service, open_service
from recordance_adapters.reliance_sections import TrustSettings
from recordance_adapters.settings import Settings
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.relate import RELATE
from recordance_adapters.wire.tools.store import STORE

Beside = Callable[[list[list[float]]], None]
"""Takes the vectors of each batch too."""


def serving(bench: Bench) -> AbstractContextManager[Service]:
    """Open the store in this process, as a service that trusts one source."""
    return open_service(Settings(store=bench.folder / "store", trust=TrustSettings(sources=(dialect_corpus.TRUSTED,))))


def fill(bench: Bench, beside: Beside) -> None:
    """Store the capsules and their relations."""
    items = dialect_corpus.items(bench.size, SEED)
    with serving(bench) as service:
        call = Call(destinations=service.destinations, caller=service.caller("bench"))
        while batch := list(itertools.islice(items, BATCH)):
            STORE.handle(call, {"items": batch})
            beside([item["embedding"] for item in batch])
        for relation in dialect_corpus.relations(bench.size, SEED):
            arguments: dict[str, Any] = dict(relation)
            RELATE.handle(call, arguments)


def nobody(_: list[list[float]]) -> None:
    """Take no vectors."""
