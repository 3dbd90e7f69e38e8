"""Destinations that are away, over real sockets: one hangs, one refuses, one is dead, and the fine one answers in time."""

import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from recordance.errors import SearchFailed
from recordance_adapters.bootstrap import Service, open_service
from recordance_adapters.sections import DestinationSettings
from recordance_adapters.settings import Settings
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.retrieve import RETRIEVE
from recordance_adapters.wire.tools.store import STORE
from support.ports import free_port

DEADLINE_MS = 400
ROOM = 30.0
"""Seconds within which even a busy machine gets to the end of a deadline: less than any driver waits."""


@pytest.fixture
def hanging() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield server.getsockname()[1]


def place(name: str, **given: Any) -> DestinationSettings:
    """A destination that has all the time that it needs; only the one that hangs is not waited for."""
    return DestinationSettings.model_validate({"name": name, "deadline_ms": 60_000, **given})


@pytest.fixture
def service(tmp_path: Path, hanging: int) -> Iterator[Service]:
    (tmp_path / "dead").write_text("no folder")
    settings = Settings(
        destinations=(
            place("hung", truth=f"postgresql://u@127.0.0.1:{hanging}/x", store=tmp_path / "hung", deadline_ms=DEADLINE_MS),
            place("closed", truth=f"postgresql://u@127.0.0.1:{free_port()}/x", store=tmp_path / "closed"),
            place("dead", store=tmp_path / "dead"),
            place("fine", store=tmp_path / "fine", default=True),
        ),
    )
    with open_service(settings) as opened:
        yield opened


def call(service: Service) -> Call:
    return Call(destinations=service.destinations, caller=service.caller("test"))


def test_the_fine_one_answers_and_all_four_are_named(service: Service) -> None:
    """D3: hung, refusing, dead and fine: the answer comes, with every destination and its reason in it."""
    assert STORE.handle(call(service), {"content": "tokio is pinned"})["captured"] == 1
    start = time.monotonic()
    answer = RETRIEVE.handle(call(service), {"terms": ["tokio"], "search_scope": "all"})
    assert time.monotonic() - start < ROOM
    assert [each["id"] for each in answer["results"]] == ["cap-1"]
    hung, closed, dead, fine = answer["searched"]
    assert (hung["destination"], hung["failed"], hung["why"]) == ("hung", "late", "no answer within 0.4 s")
    assert (closed["destination"], closed["failed"]) == ("closed", "store_unreachable")
    assert (dead["destination"], dead["failed"]) == ("dead", "store_unusable")
    assert fine == {"destination": "fine", "outcome": "grounded", "matched": 1}
    for secret in ("127.0.0.1", "postgres", "dead/"):
        assert secret not in str([closed["why"], dead["why"]])


def test_without_the_fine_one_it_is_an_error_that_names_the_three(service: Service) -> None:
    """D3: never an abstention; asked again, the one that hangs is not waited for longer than before."""
    for _ in range(2):
        with pytest.raises(SearchFailed) as failed:
            RETRIEVE.handle(call(service), {"terms": ["tokio"], "search_scope": "hung, closed, dead"})
        assert failed.value.data["failures"].keys() == {"hung", "closed", "dead"}
