"""A server that is frozen: it keeps its connections, answers nothing, and its own timeouts are frozen with it."""

import os
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from recordance.errors import StateKind, StoreUnusable
from recordance_adapters.driven.sql_truth.opening import open_postgres_truth
from recordance_adapters.driven.sql_truth.truth import SqlTruth
from support import postgres_stores
from support.postgres_server import GIVEN, session_server
from support.truths import IDENTITY, remember

pytestmark = [
    pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="nothing freezes a process here"),
    pytest.mark.skipif(GIVEN in os.environ, reason="the processes of a server that was given are not ours to freeze"),
]


@pytest.fixture
def truth(tmp_path: Path) -> Iterator[SqlTruth]:
    """A store with one connection, which has rested, and little patience."""
    url = postgres_stores.database_of(tmp_path, IDENTITY)
    with closing(open_postgres_truth(url, statement_timeout=0.3, patience=0.3, pool=1)) as truth:
        remember(truth, "a statement")
        yield truth


@contextmanager
def frozen() -> Iterator[None]:
    """Freeze the processes that serve us; they go on at the end."""
    with closing(session_server().admin()) as admin:
        asked = "SELECT pid FROM pg_stat_activity WHERE application_name = 'recordance'"
        pids = [pid for (pid,) in admin.execute(asked)]
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def test_a_recall_of_a_server_that_never_answers_ends_within_a_bound(truth: SqlTruth) -> None:
    """case C3: it is told as a server that is away, and the next call gets a connection that works."""
    with frozen():
        with pytest.raises(StoreUnusable) as told, truth.reading():
            raise AssertionError("it was answered")
        assert told.value.kind is StateKind.STORE_UNREACHABLE
        with truth.reading() as reader:
            assert reader.last_number() == 1
