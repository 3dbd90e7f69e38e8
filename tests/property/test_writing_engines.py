"""The same history of writes gets the same answers from the in-memory adapters and from the real engines."""

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings

from recordance.errors import Refusal
from recordance.usecases.follow import TermFollower
from recordance.usecases.store import Destinations
from recordance_adapters.driven.sql_truth.opening import open_sql_truth
from support.slots import adopted_terms
from support.stores import DEFAULT, Bench, Parts, bench
from support.truths import IDENTITY, read_everything
from support.writings import Step, histories, take


@contextmanager
def engines() -> Iterator[Bench]:
    """A bench over SQLite and tantivy in a folder that is gone at the end."""
    with (
        tempfile.TemporaryDirectory() as name,
        closing(open_sql_truth(Path(name) / "truth.sqlite", identity=IDENTITY)) as truth,
        adopted_terms(Path(name) / "replicas", IDENTITY.store) as replica,
    ):
        plain = bench(Parts(truth=truth))
        store = replace(plain.store, terms=TermFollower(truth, replica, time.monotonic))
        yield replace(plain, store=store, destinations=Destinations({DEFAULT: store}))


def said(answer: Any) -> str:
    return str(answer) if isinstance(answer, Refusal) else json.dumps(answer)


@settings(max_examples=12)
@given(histories)
def test_every_answer_and_every_row_is_the_same_on_every_adapter(history: list[Step]) -> None:
    """O11, W12: a store is what was written to it, whatever holds it."""
    memory = bench()
    with engines() as real:
        for place, step in enumerate(history):
            assert said(take(memory, step)) == said(take(real, step)), step
            if place % 3 == 2:
                real.store.terms.commit()
        with memory.truth.reading() as one, real.truth.reading() as other:
            assert read_everything(one) == read_everything(other)
