"""Forgetting while others hold the store: whole servers, their replicas, and every byte that could tell (W6, case D14).

The scan comes before any recall of the sentinel: one that misses would put its words into the ledger of misses.
"""

import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.older_stores import FIRST, make_first_format, opened_as
from support.remains import Sentinel, await_that, left_at_last, remains, sentinel
from support.servers import Server, servers
from support.stdio_peer import BOUND, checkout_environment
from support.truths import remember

DIMENSION = 24
HASTY, PATIENT = 300, 60_000
"""Milliseconds for which a forget waits for others: too few for one who does not get to it, and more than any needs who does."""
OTHERS = 40
"""Other statements, so that truth and indexes hold something else as well."""


@pytest.fixture
def secret() -> Sentinel:
    return sentinel(random.Random(3), DIMENSION)


def others(chance: random.Random, word: str) -> list[dict[str, Any]]:
    return [
        {"content": f"{word} w{number} tokio", "embedding": [chance.uniform(-9.0, 9.0) for _ in range(DIMENSION)]}
        for number in range(OTHERS)
    ]


def waiting(folder: Path, milliseconds: int) -> list[str]:
    """The words with which a server is started whose forgets wait for so long."""
    config = folder / "waiting.toml"
    config.write_text(f"[forget]\ndeadline_ms = {milliseconds}\n", encoding="utf-8")
    return ["--config", str(config)]


def keep(server: Server, secret: Sentinel, **given: Any) -> str:
    """Store the sentinel among others and return its id."""
    chance = random.Random(4)
    server.call("memory_store", items=others(chance, "earlier"))
    (kept,) = server.call("memory_store", content=secret.content, embedding=list(secret.vector), **given)["results"]
    server.call("memory_store", items=others(chance, "later"))
    return str(kept["id"])


def found_in(store: Path, secret: Sentinel) -> dict[str, set[str]]:
    """Where a sentinel is found, by file or index, and as what: `text`, `raw` or `unit` vector, `dictionary` word."""
    found: dict[str, set[str]] = {}
    for trace in remains(store, secret):
        file, _, what = trace.partition(": ")
        parts = Path(file).parts
        found.setdefault("/".join(parts[:3]) if parts[0] == "replicas" else file, set()).add(what.split()[0])
    return found


def is_indexed(store: Path, secret: Sentinel, *slots: int) -> bool:
    """Whether the indexes in these slots hold the sentinel's words and its vector."""
    found = found_in(store, secret)
    return all(
        "dictionary" in found.get(f"replicas/{slot}/terms", set()) and "unit" in found.get(f"replicas/{slot}/vectors", set())
        for slot in slots
    )


def states(answer: dict[str, Any]) -> dict[str, str]:
    return {place["place"]: place["state"] for place in answer["places"]}


def places(answer: dict[str, Any], state: str) -> list[str]:
    """The places in a state; which server took which slot is chance, so that another's has no number here."""
    return [re.sub(r"replica \d+", "other's", place) for place, each in states(answer).items() if each == state]


def test_nothing_is_left_anywhere_while_a_second_server_holds_its_own_replica(tmp_path: Path, secret: Sentinel) -> None:
    """W6, case D14: found before in truth and indexes, in every form; after it nothing, in any file of the store."""
    store = tmp_path / "store"
    with servers(store, 2, *waiting(tmp_path, PATIENT)) as (first, second):
        assert first.call("memory_retrieve", terms=[secret.content])["outcome"] == "abstain"
        id = keep(first, secret, task_key="T-1", idempotency_key="once")
        assert second.call("memory_list", limit=0)["total"] == 2 * OTHERS + 1
        await_that(lambda: is_indexed(store, secret, 0, 1), BOUND)
        in_truth = [kinds for place, kinds in found_in(store, secret).items() if place.startswith("truth.sqlite")]
        assert {"text", "raw"} <= set.union(*in_truth)

        answer = first.call("memory_forget", id=id, reason="asked for")
        left = remains(store, secret)
        assert not left, "\n".join(left)
        assert places(answer, "purged") == [
            "truth", "write-ahead log", "term index", "vector index", "other's, term index", "other's, vector index",
            "idle replicas", "backups",
        ]  # fmt: skip
        assert_forgotten(second, id, secret)


def assert_forgotten(server: Server, id: str, secret: Sentinel) -> None:
    """F8, case D1: what every server says of it from then on."""
    probed = server.call("memory_retrieve", terms=[id])
    assert (probed["outcome"], probed["excluded"]) == ("missing_evidence", {"tombstoned": 1})
    near = server.call(
        "memory_retrieve", terms=list(secret.words), query_embedding=list(secret.vector), vector_k=100, token_budget=10**6
    )
    assert id not in [result["id"] for result in near["results"]]
    assert server.call("memory_retrieve", terms=list(secret.words))["outcome"] == "abstain"
    (shown,) = server.call("memory_get", id=id)["capsules"]
    assert (shown["state"], shown["tombstone"]["reason"]) == ("tombstoned", "asked for")
    listed = server.call("memory_list", limit=500)
    assert (listed["total"], id in [row["id"] for row in listed["capsules"]]) == (2 * OTHERS, False)
    refused = server.refused("memory_store", content=secret.content, idempotency_key="once")
    assert refused["data"] == {"kind": "tombstoned_capsule", "id": id}
    refused = server.refused("memory_vector", capsule_id=id, embedding=list(secret.vector))
    assert refused["data"]["kind"] == "tombstoned_capsule"


def test_an_idle_replica_with_its_words_is_removed(tmp_path: Path, secret: Sentinel) -> None:
    """W6: nobody holds it, so nobody would ever purge it; it cannot be started with any more."""
    store = tmp_path / "store"
    with servers(store, 1, *waiting(tmp_path, PATIENT)) as (first,):
        with servers(store) as (idle,):
            id = keep(first, secret)
            idle.call("memory_list", limit=0)
            await_that(lambda: is_indexed(store, secret, 0, 1), BOUND)
        answer = first.call("memory_forget", id=id)
        left = remains(store, secret)
        assert not left, "\n".join(left)
        assert not (store / "replicas" / "1").exists()
        assert states(answer)["idle replicas"] == "purged"


def test_a_copy_from_before_a_migration_is_purged_as_well(tmp_path: Path, secret: Sentinel) -> None:
    """W6: it is our own backup; to put it back must bring nothing back."""
    store = tmp_path / "store"
    make_first_format(store / "truth.sqlite")
    with opened_as(store / "truth.sqlite", FIRST) as truth:
        remember(truth, "something else", secret.content)
    with servers(store, 1, *waiting(tmp_path, PATIENT)) as (server,):
        assert server.call("memory_list", limit=0)["total"] == 2
        backup = store / "truth.sqlite.format-0001"
        assert "text" in found_in(store, secret)[backup.name]
        answer = server.call("memory_forget", id="cap-2")
        left = remains(store, secret)
        assert not left, "\n".join(left)
        assert states(answer)["backups"] == "purged"
        with opened_as(backup, FIRST) as copy, copy.reading() as reader:
            assert (reader.tombstones([1, 2]).keys(), reader.contents([1, 2])) == ({2}, {1: "something else"})


READ = """
import sqlite3, sys
reader = sqlite3.connect(sys.argv[1], isolation_level=None)
reader.execute("BEGIN")
print(reader.execute("SELECT count(*) FROM capsule").fetchone()[0], flush=True)
sys.stdin.read()
"""


@contextmanager
def somebody_reading(store: Path) -> Iterator[None]:
    """A process in the midst of a reading; not this one, whose scan would let go of every lock that it has on the same files."""
    command = [sys.executable, "-c", READ, str(store / "truth.sqlite")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdout
        assert reader.stdin
        assert int(reader.stdout.readline())
        try:
            yield
        finally:
            reader.stdin.close()


def test_a_reader_that_holds_the_log_leaves_it_pending_until_it_ends(tmp_path: Path, secret: Sentinel) -> None:
    """W6: the receipt says so; the log is emptied by itself as soon as that can be, and to forget again tells it."""
    store = tmp_path / "store"
    with servers(store, 1, *waiting(tmp_path, HASTY)) as (server,):
        id = keep(server, secret)
        with somebody_reading(store):
            answer = server.call("memory_forget", id=id)
            assert states(answer)["write-ahead log"] == "pending"
            await_that(lambda: places(server.call("memory_forget", id=id), "pending") == ["write-ahead log"], BOUND)
            assert {trace.split(":")[0] for trace in remains(store, secret)} <= {"truth.sqlite", "truth.sqlite-wal"}
            assert remains(store, secret)
        left = left_at_last(store, secret)
        assert not left, "\n".join(left)
        again = server.call("memory_forget", id=id)
        assert (again["already"], states(again)["write-ahead log"]) == (True, "purged")
        assert again["forgotten_at"] == answer["forgotten_at"]


def test_a_server_that_does_not_get_to_it_is_pending_until_it_does(tmp_path: Path, secret: Sentinel) -> None:
    """W6: a process that is stopped holds its replica still; what it says is read from the disk, not asked of it."""
    store = tmp_path / "store"
    with servers(store, 2, *waiting(tmp_path, HASTY)) as (first, second):
        id = keep(first, secret)
        second.call("memory_list", limit=0)
        await_that(lambda: is_indexed(store, secret, 0, 1), BOUND)
        second.peer.process.send_signal(signal.SIGSTOP)
        try:
            answer = first.call("memory_forget", id=id)
            assert {"other's, term index", "other's, vector index"} <= set(places(answer, "pending"))
            assert any(trace.startswith("replicas") for trace in remains(store, secret))
        finally:
            second.peer.process.send_signal(signal.SIGCONT)
        left = left_at_last(store, secret)
        assert not left, "\n".join(left)
        await_that(lambda: "pending" not in states(first.call("memory_forget", id=id)).values(), BOUND)


def test_a_server_that_dies_while_it_is_waited_for_leaves_nothing(tmp_path: Path, secret: Sentinel) -> None:
    """W6: a slot whose process is gone is idle, and removed by whoever notices; without another forget."""
    store = tmp_path / "store"
    with servers(store, 2, *waiting(tmp_path, HASTY)) as (first, second):
        id = keep(first, secret)
        second.call("memory_list", limit=0)
        await_that(lambda: is_indexed(store, secret, 0, 1), BOUND)
        second.peer.process.send_signal(signal.SIGSTOP)
        assert "pending" in states(first.call("memory_forget", id=id)).values()
        second.peer.process.kill()
        left = left_at_last(store, secret)
        assert not left, "\n".join(left)


def test_an_index_of_another_history_is_not_believed(tmp_path: Path, secret: Sentinel) -> None:
    """W6: after the truth was put back to an earlier state, an idle index has applied, and is clean, beyond what there is now."""
    store, copy = tmp_path / "store", tmp_path / "copy"
    with servers(store, 2, *waiting(tmp_path, PATIENT)) as (first, second):
        id = keep(first, secret)
        second.call("memory_list", limit=0)
        await_that(lambda: is_indexed(store, secret, 0, 1), BOUND)
    copy.mkdir()
    for file in store.glob("truth.sqlite*"):
        shutil.copy(file, copy)
    with servers(store, 2, *waiting(tmp_path, PATIENT)) as (first, second):
        for server in (first, second):
            server.call("memory_list", limit=0)
        assert states(first.call("memory_forget", id="cap-1"))["truth"] == "purged"
        first.call("memory_store", items=others(random.Random(5), "of another history"))
        await_that(lambda: is_indexed(store, secret, 0, 1), BOUND)
    for file in store.glob("truth.sqlite*"):
        file.unlink()
    for file in copy.iterdir():
        shutil.copy(file, store)
    with servers(store, 1, *waiting(tmp_path, PATIENT)) as (server,):
        server.call("memory_forget", id=id)
        left = remains(store, secret)
        assert not left, "\n".join(left)


FORGET_AND_DIE = """
import os, signal, sys
from pathlib import Path
from recordance_adapters.driven.sql_truth.opening import open_sql_truth
from support.truths import entombed, write
truth = open_sql_truth(Path(sys.argv[1]) / "truth.sqlite")
write(truth, entombed(int(sys.argv[2].removeprefix("cap-"))))
os.kill(os.getpid(), signal.SIGKILL)
"""
"""A process that is killed between the tombstone and everything that should follow."""


def test_a_process_that_dies_before_it_could_purge_is_made_up_for_by_those_that_run(tmp_path: Path, secret: Sentinel) -> None:
    """W6: a forget is a write like any other, and everybody who sees it purges; idle slots, log and all."""
    store = tmp_path / "store"
    with servers(store) as (server,):
        with servers(store) as (idle,):
            id = keep(server, secret)
            idle.call("memory_list", limit=0)
            await_that(lambda: is_indexed(store, secret, 0, 1), BOUND)
        die(store, id)
        left = left_at_last(store, secret)
        assert not left, "\n".join(left)


def test_a_process_that_dies_before_it_could_purge_is_made_up_for_by_the_next_start(tmp_path: Path, secret: Sentinel) -> None:
    """W6: with nobody else there; killed, so that even the log lies as it was. Nobody asks for anything but the store."""
    store = tmp_path / "store"
    with servers(store, 2) as (first, second):
        id = keep(first, secret)
        second.call("memory_list", limit=0)
        await_that(lambda: is_indexed(store, secret, 0, 1), BOUND)
        first.peer.process.kill()
        second.peer.process.kill()
    die(store, id)
    assert is_indexed(store, secret, 0, 1)
    with servers(store) as (server,):
        server.call("memory_list", limit=0)
        left = left_at_last(store, secret)
        assert not left, "\n".join(left)
        assert states(server.call("memory_forget", id=id))["write-ahead log"] == "purged"


def die(store: Path, id: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FORGET_AND_DIE, str(store), id], env=checkout_environment(), timeout=BOUND, check=False
    )
    assert ended.returncode == -signal.SIGKILL


def test_the_last_vector_of_a_space_is_purged_like_any_other(tmp_path: Path, secret: Sentinel) -> None:
    """W6: a space that is empty again has an index all the same, and what lies in it was a vector once."""
    store = tmp_path / "store"
    with servers(store) as (server,):
        (kept,) = server.call("memory_store", content=secret.content, embedding=list(secret.vector))["results"]
        await_that(lambda: is_indexed(store, secret, 0), BOUND)
        server.peer.process.kill()
    die(store, kept["id"])
    with servers(store) as (server,):
        server.call("memory_list", limit=0)
        left = left_at_last(store, secret)
        assert not left, "\n".join(left)
