"""What one service says of its own places after a forget: both engines, the background and the store's files as they are run."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from recordance_adapters.bootstrap import Service, open_service
from recordance_adapters.settings import load_settings
from recordance_adapters.wire.catalogue import TOOLS
from recordance_adapters.wire.tool import Call
from support.remains import await_that, remains, sentinel, words_in
from support.stdio_peer import BOUND

DIMENSION = 8
PATIENT = 60_000
"""Milliseconds that a forget waits: more than the background needs on any machine."""


class House:
    """A service over a store, and the calls to it."""

    def __init__(self, service: Service, store: Path) -> None:
        self.service = service
        self.store = store
        self.tools = {tool.name: tool for tool in TOOLS}

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        call = Call(destinations=self.service.destinations, caller=self.service.caller("ann"))
        return self.tools[tool].handle(call, arguments)

    def stored(self, *items: dict[str, Any]) -> list[str]:
        return [result["id"] for result in self.call("memory_store", items=list(items))["results"]]

    def is_settled(self) -> bool:
        """Whether both indexes hold everything durably."""
        store = self.service.destinations.reading(self.service.caller("ann"), None)
        return not any(follower.status().is_due for follower in (store.terms, store.vectors))


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    options = {"store": str(tmp_path / "store"), "forget": {"deadline_ms": PATIENT}}
    with open_service(load_settings(options, {})) as service:
        yield House(service, tmp_path / "store")


def states(answer: dict[str, Any]) -> set[str]:
    return {place["state"] for place in answer["places"]}


def test_what_never_had_an_embedding_is_purged_from_a_store_that_has_some(house: House) -> None:
    """W6: the vector index says up to where it is settled, also for a tombstone that dropped no vector."""
    house.stored({"content": "the lighthouse", "embedding": [1.0, 2.0]}, {"content": "the harbour"}, {"content": "the ferry"})
    await_that(house.is_settled, BOUND)
    for id in ("cap-2", "cap-3"):
        assert states(house.call("memory_forget", id=id)) == {"purged", "outside"}
    await_that(house.is_settled, BOUND)
    assert states(house.call("memory_forget", id="cap-1")) == {"purged", "outside"}


def test_a_forget_right_after_a_write_finds_nothing_pending(house: House) -> None:
    """W6: an index that has not caught up yet, or is not even open, never had what it is asked to purge, or purges it in time."""
    for number in range(3):
        (id,) = house.stored({"content": f"the secret {number}", "embedding": [1.0, number]})
        assert states(house.call("memory_forget", id=id)) == {"purged", "outside"}


def test_many_that_are_forgotten_at_once_are_all_purged_when_they_are_answered(house: House) -> None:
    """Decision 11: each waits for its own; they leave together, and what stays is indexed once it is quiet."""
    chance = random.Random(5)
    secrets = [sentinel(chance, DIMENSION) for _ in range(8)]
    ids = house.stored(*({"content": secret.content, "embedding": list(secret.vector)} for secret in secrets))
    house.stored(*({"content": f"statement w{number}", "embedding": [1.0] * DIMENSION} for number in range(20)))
    await_that(house.is_settled, BOUND)
    assert all(remains(house.store, secret) for secret in secrets)
    with ThreadPoolExecutor(len(ids)) as pool:
        answers = list(pool.map(lambda id: house.call("memory_forget", id=id), ids))
    assert {state for answer in answers for state in states(answer)} == {"purged", "outside"}
    assert [remains(house.store, secret) for secret in secrets] == [[]] * len(secrets)
    await_that(house.is_settled, BOUND)
    assert {f"w{number}" for number in range(20)} < words_in(house.store / "replicas" / "0" / "terms")


def test_what_only_an_earlier_revision_said_leaves_every_place_too(house: House) -> None:
    """W6, W13: it is in the store's files long after the words were changed, and in none of them once it is forgotten."""
    secret = sentinel(random.Random(9), DIMENSION)
    (id,) = house.stored({"content": secret.content, "embedding": list(secret.vector)})
    for content in ("harmless words", "more harmless words"):
        assert house.call("memory_update", id=id, changes={"content": content})["status"] == "updated"
    await_that(house.is_settled, BOUND)
    assert remains(house.store, secret)
    assert secret.content in str(house.call("memory_history", id=id))
    assert states(house.call("memory_forget", id=id)) == {"purged", "outside"}
    assert remains(house.store, secret) == []
    assert secret.content not in str(house.call("memory_history", id=id))
    (result,) = house.call("memory_store", items=[{"content": secret.content}])["results"]
    assert result["status"] == "rejected"


def test_recalls_find_everything_else_at_every_moment_of_a_purge(house: House) -> None:
    """Decision 11: while the index is emptied and filled again, a recall neither fails nor misses what stays."""
    ids = house.stored(*({"content": f"tokio w{number}"} for number in range(200)))
    await_that(house.is_settled, BOUND)
    gone = list[str]()

    def forget_all() -> None:
        for id in ids[:20]:
            gone.append(id)
            house.call("memory_forget", id=id)

    with ThreadPoolExecutor(1) as pool:
        forgetting = pool.submit(forget_all)
        while not forgetting.done() or not house.is_settled():
            answered = gone[:-1]
            answer = house.call("memory_retrieve", terms=["tokio"], token_budget=10**6)
            found = {result["id"] for result in answer["results"]}
            assert found.isdisjoint(answered)
            assert found >= set(ids) - set(gone)
        forgetting.result(BOUND)
