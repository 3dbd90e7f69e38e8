"""Whole services over one Postgres, each with a folder of its own as on a host of its own: forgets, upkeep, and who is there."""

import random
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recordance.domain.caller import Caller
from recordance.domain.instant import MICROSECONDS_PER_DAY, Instant
from recordance.errors import StateKind, StoreUnusable
from recordance.usecases import inspect
from recordance.usecases.verify import verify_receipt
from recordance_adapters.bootstrap import Absent, Service, open_service
from recordance_adapters.driven.sql_truth.opening import open_postgres_truth
from recordance_adapters.settings import load_settings
from recordance_adapters.wire.catalogue import TOOLS
from recordance_adapters.wire.tool import Call
from support import postgres_stores
from support.postgres_server import session_server
from support.qdrant_double import qdrant_double
from support.remains import await_that, left_at_last, remains, sentinel
from support.stdio_peer import BOUND
from support.truths import IDENTITY

DIMENSION = 8
PATIENT = 60_000
TOOLS_BY_NAME = {tool.name: tool for tool in TOOLS}


class Host:
    """A service with a folder of its own, and the calls to it."""

    def __init__(self, service: Service, folder: Path) -> None:
        self.service = service
        self.folder = folder

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        call = Call(destinations=self.service.destinations, caller=self.service.caller("ann"))
        return TOOLS_BY_NAME[tool].handle(call, arguments)

    def store(self, *items: dict[str, Any]) -> list[str]:
        return [result["id"] for result in self.call("memory_store", items=list(items))["results"]]

    def found(self, *terms: str) -> list[str]:
        return [result["id"] for result in self.call("memory_retrieve", terms=list(terms))["results"]]

    def settle(self) -> None:
        """Wait until both indexes hold everything durably."""
        store = self.service.destinations.reading(self.service.caller("ann"), None)
        await_that(lambda: not any(each.status().is_due for each in (store.terms, store.vectors)), BOUND)

    def status(self) -> dict[str, Any]:
        return inspect.status(self.service.destinations, Caller(actor="ann"), None, self.service.housing())

    def doctor(self) -> dict[str, Any]:
        answer = inspect.doctor(
            self.service.destinations, Caller(actor="ann"), None, self.service.housing(), lambda done, total: None
        )
        return {check["name"]: check for check in answer["checks"]}


@contextmanager
def host(url: str, folder: Path, **more: Any) -> Iterator[Host]:
    options = {"store": str(folder), "truth": url, "forget": {"deadline_ms": PATIENT}, "follower": {"poll_ms": 50}, **more}
    with open_service(load_settings(options, {})) as service:
        yield Host(service, folder)


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """The URL of an empty store."""
    yield postgres_stores.database_of(tmp_path, IDENTITY)
    postgres_stores.give_back()


def states(answer: dict[str, Any]) -> dict[str, str]:
    return {place["place"]: place["state"] for place in answer["places"]}


def test_a_write_through_one_host_is_seen_by_the_next_recall_through_another(url: str, tmp_path: Path) -> None:
    """Decision 1: the recall reads the truth's head, whatever the index of its host has heard of."""
    with host(url, tmp_path / "a") as one, host(url, tmp_path / "b") as other:
        for number in range(20):
            writer, reader = (one, other) if number % 2 else (other, one)
            (id,) = writer.store({"content": f"word{number}"})
            assert reader.found(f"word{number}") == [id]


def test_what_is_forgotten_through_one_host_leaves_the_folders_of_all(url: str, tmp_path: Path) -> None:
    """W6: each host purges its own indexes, says so, and the forget waits until all that live have."""
    chance = random.Random(7)
    secret = sentinel(chance, DIMENSION)
    with ExitStack() as open_hosts:
        hosts = [open_hosts.enter_context(host(url, tmp_path / name)) for name in "abc"]
        (id,) = hosts[0].store({"content": secret.content, "embedding": list(secret.vector)})
        hosts[0].store(*({"content": f"statement {number}", "embedding": [1.0] * DIMENSION} for number in range(5)))
        for each in hosts:
            each.settle()
            assert remains(each.folder, secret)
        answer = hosts[1].call("memory_forget", id=id)
        told = states(answer)
        assert len(told) == 11, told
        assert {place for place, state in told.items() if state == "outside"} == {
            "database server", "exports", "copies made by others",
        }  # fmt: skip
        assert "pending" not in told.values()
        assert [remains(each.folder, secret) for each in hosts] == [[], [], []]
        assert all(each.found(*secret.words) == [] for each in hosts)


def test_a_host_that_ended_is_told_as_pending_and_purges_when_it_starts_again(url: str, tmp_path: Path) -> None:
    """W6, O13: nobody waits for it; the receipt is verified later, and tells what has been purged since."""
    chance = random.Random(8)
    secret = sentinel(chance, DIMENSION)
    with host(url, tmp_path / "a") as here:
        with host(url, tmp_path / "b") as there:
            (id,) = there.store({"content": secret.content, "embedding": list(secret.vector)})
            there.settle()
            here.settle()
        answer = here.call("memory_forget", id=id)
        late = [place for place in answer["places"] if place["state"] == "pending"]
        assert [place["place"].split(", ")[1] for place in late] == ["term index", "vector index"]
        assert all("has ended" in place["note"] for place in late)
        assert remains(tmp_path / "b", secret)
        with host(url, tmp_path / "b") as there:
            assert there.found(*secret.words) == []
            await_that(lambda: "pending" not in verified(here, answer["receipt"]).values(), BOUND)
        assert left_at_last(tmp_path / "b", secret) == []


def verified(host: Host, receipt: str) -> dict[str, str]:
    """The places of an erasure as they are now."""
    answer = verify_receipt(host.service.destinations, Caller(actor="ann"), None, receipt)
    return {place["place"]: place["state"] for place in answer["now"]}


def test_indexes_on_this_host_that_nobody_holds_are_removed_with_what_was_said_of_them(url: str, tmp_path: Path) -> None:
    """W6: a folder with forgotten words in it has nobody who would empty it, and a name that nobody bears any more."""
    chance = random.Random(9)
    secret = sentinel(chance, DIMENSION)
    with host(url, tmp_path / "a") as one:
        with host(url, tmp_path / "a") as two:
            (id,) = one.store({"content": secret.content, "embedding": list(secret.vector)})
            one.settle()
            two.settle()
            assert len(one.status()["followers"]) == 2
        assert set(states(one.call("memory_forget", id=id)).values()) == {"purged", "outside"}
        assert left_at_last(tmp_path / "a", secret) == []
        assert [(each["ours"], each["state"]) for each in one.status()["followers"]] == [(True, "follows")]


def test_the_status_tells_where_the_store_is_and_who_follows_and_no_password(url: str, tmp_path: Path) -> None:
    """D1: whoever looks after a service sees the server, its version, the bytes there, and every follower."""
    address = url.partition("@")[2]
    with host(url.replace("@", ":a-secret@", 1), tmp_path / "a") as one, host(url, tmp_path / "b"):
        one.store({"content": "a statement"})
        one.settle()
        status = one.status()
        assert status["place"] == f"postgresql://{address}"
        assert "a-secret" not in str(status)
        assert status["versions"]["postgres"][0].isdigit()
        assert status["bytes"]["postgres"] > 0
        assert status["bytes"]["replicas"] > 0
        assert {each["state"] for each in status["followers"]} == {"follows"}
        assert [each.get("ours", False) for each in status["followers"]].count(True) == 1
        assert (status["seq"], status["index"]["waiting"]) == (1, 0)


def test_the_doctor_names_a_follower_that_fell_silent(url: str, tmp_path: Path) -> None:
    """W6: its disk may hold what was forgotten, and nobody else would say so."""
    with host(url, tmp_path / "a") as one, closing(open_postgres_truth(url)) as truth:
        one.store({"content": "a statement"})
        checks = one.doctor()
        assert {check["verdict"] for check in checks.values()} == {"ok"}, checks
        (said,) = truth.acknowledgements()
        week_ago = Instant(said.seen_at - 8 * MICROSECONDS_PER_DAY)
        truth.acknowledge(replace(said, id="elsewhere.0123456789abcdef", host="host-b", seen_at=week_ago, clean_terms=0))
        assert one.doctor()["followers"]["verdict"] == "warn"
        assert "01234567 on host-b" in one.doctor()["followers"]["found"]
        told = states(one.call("memory_forget", id="cap-1"))
        assert told["replica 01234567, term index"] == "outside"


def test_what_was_said_a_month_ago_is_dropped_by_whoever_opens_the_store(url: str, tmp_path: Path) -> None:
    """W6: hosts come and go, and a table that only grows would make each receipt longer."""
    with host(url, tmp_path / "a") as one, closing(open_postgres_truth(url)) as truth:
        assert one.found("nothing") == []
        await_that(truth.acknowledgements, BOUND)
        (said,) = truth.acknowledgements()
        long_ago = Instant(said.seen_at - 40 * MICROSECONDS_PER_DAY)
        truth.acknowledge(replace(said, id="elsewhere.0123456789abcdef", seen_at=long_ago))
        with host(url, tmp_path / "b") as other:
            assert {each["name"] for each in other.status()["followers"]} >= {said.id.rpartition(".")[2][:8]}
            assert "01234567" not in {each["name"] for each in other.status()["followers"]}


def test_a_database_without_a_store_is_refused_where_none_is_to_be_made(tmp_path: Path) -> None:
    """case L4: whoever only asks has named the wrong database; an empty store in its place would look like a lost one."""
    server = session_server()
    name = server.make_database()
    settings = load_settings({"store": str(tmp_path / "a"), "truth": server.url_of(name), "postgres": {"schema": "other"}}, {})
    with open_service(settings, Absent.REFUSE) as service, pytest.raises(StoreUnusable, match="no store in the database"):
        _ = service.destinations
    with closing(server.admin()) as connection:
        count = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = %s", (name,)).fetchone()
    assert count == (0,), "a connection is left open"
    server.drop_database(name)


def test_a_server_that_is_not_there_is_told_as_that_and_looked_for_again(tmp_path: Path) -> None:
    """Decision 8: the service starts all the same, and opens the store as soon as it can."""
    settings = load_settings({"store": str(tmp_path / "a"), "truth": "postgresql://recordance@127.0.0.1:1/none"}, {})
    with open_service(settings) as service:
        for _ in range(2):
            with pytest.raises(StoreUnusable) as told:
                _ = service.destinations
            assert told.value.kind is StateKind.STORE_UNREACHABLE


def test_the_password_comes_from_its_file_and_a_file_that_is_not_there_is_told(url: str, tmp_path: Path) -> None:
    """Decision 8: a secret is read when it is needed, and stands in no message."""
    kept = tmp_path / "password"
    options = {"store": str(tmp_path / "a"), "truth": url, "truth_password_file": str(kept)}
    with open_service(load_settings(options, {})) as service:
        with pytest.raises(StoreUnusable, match="password of the truth's user"):
            _ = service.destinations
        kept.write_text("whatever the server trusts\n")
        assert service.destinations.default == "default"


def test_hosts_that_share_a_collection_find_each_others_vectors_and_forget_them_there(url: str, tmp_path: Path) -> None:
    """W6: one collection for all; what its server keeps for itself is told as outside."""
    with qdrant_double() as double:
        vectors = {"vectors": double.url, "qdrant": {"collection": "shared"}}
        with host(url, tmp_path / "a", **vectors) as one, host(url, tmp_path / "b", **vectors) as other:
            (id,) = one.store({"content": "a lighthouse", "embedding": [1.0, 2.0]})
            found = other.call("memory_retrieve", terms=["nothing"], query_embedding=[1.0, 2.0], lane="vector")
            assert [result["id"] for result in found["results"]] == [id]
            one.settle()
            told = states(other.call("memory_forget", id=id))
            assert told["vector collection"] == "purged"
            assert told["vector server"] == "outside"
            assert "pending" not in told.values()
            assert one.call("memory_retrieve", terms=["nothing"], query_embedding=[1.0, 2.0])["results"] == []
            for each in (one, other):
                each.settle()  # a client that is still asking when its service ends is closed by nobody
    assert not list((tmp_path / "a").rglob("vectors*"))
