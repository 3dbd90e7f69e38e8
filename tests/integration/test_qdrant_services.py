"""Whole services whose vectors are on a server: side by side on one store, without the server, and with the wrong collection."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from recordance.domain.attaching import attached
from recordance.domain.embedding import Space, vector_of
from recordance.errors import StoreUnusable
from recordance.usecases.examining import Verdict
from recordance.usecases.examining_vectors import vector_index
from recordance.usecases.remember import remember
from recordance.usecases.store import Store
from recordance_adapters.bootstrap import Service, open_service
from recordance_adapters.sections import QdrantSettings
from recordance_adapters.settings import Settings
from support.qdrant_double import QdrantDouble, qdrant_double
from support.shared_indexes import scanned
from support.stdio_peer import checkout_environment
from support.stores import ANN, draft
from support.truths import NOON
from support.vector_views import asks, recall_holds

NORTH = asks(0.0, 1.0)


@pytest.fixture(scope="module")
def double() -> Iterator[QdrantDouble]:
    with qdrant_double() as double:
        yield double


@pytest.fixture
def settings(double: QdrantDouble, tmp_path: Path) -> Settings:
    """A store in a folder, with its vectors in a collection of their own."""
    given = QdrantSettings(collection=f"of {tmp_path.name}", timeout_ms=60_000)
    double.weather.refusals.clear()
    return Settings(store=tmp_path / "store", vectors=double.url, qdrant=given)


def store_in(service: Service) -> Store:
    return service.destinations.writing(ANN, None)


def embed(store: Store, number: int, *values: float) -> None:
    with store.truth.writing() as writer:
        held, capsule = writer.space("default"), writer.capsules([number])[number]
        space = Space("default", len(values), None)
        writer.apply(attached(capsule, vector_of(values), held and held.space, space, NOON), "ann", NOON)


def furnish(service: Service, count: int = 4) -> Store:
    """A store of so many capsules with vectors, all of them in the index."""
    remember(service.destinations, ANN, None, [draft(f"statement {number}") for number in range(1, count + 1)], None)
    store = store_in(service)
    for number in range(1, count + 1):
        embed(store, number, number / 10, 1.0)
    store.vectors.commit()
    return store


def test_services_on_one_store_share_one_collection(settings: Settings, double: QdrantDouble) -> None:
    """Decision 2: what one attaches, the other finds at once, before and after it is in the index."""
    with ExitStack() as opened:
        first, second = (opened.enter_context(open_service(settings)) for _ in range(2))
        furnish(first)
        other = store_in(second)
        other.vectors.commit()
        embed(store_in(first), 2, 0.0, 1.0)
        assert not scanned(recall_holds(other.vectors, other.truth, NORTH))
        other.vectors.commit()
        assert (other.vectors.held(), vector_index(store_in(first)).verdict) == (4, Verdict.OK)
        double.delete(str(settings.qdrant.collection))
        recall_holds(other.vectors, other.truth, NORTH)
        other.vectors.commit()
        assert not scanned(recall_holds(store_in(first).vectors, store_in(first).truth, NORTH))
    with open_service(settings) as third:
        store_in(third).vectors.commit()
        assert store_in(third).vectors.held() == 4


def test_without_its_server_a_service_answers_from_the_truth_and_says_so(settings: Settings, double: QdrantDouble) -> None:
    """Decision 2: exact, and slower; the doctor tells what is the matter, and neither the address nor the key."""
    with open_service(settings) as service:
        store = furnish(service)
        double.weather.refuse(503, times=10_000)
        assert scanned(recall_holds(store.vectors, store.truth, NORTH))
        embed(store, 3, -1.0, 0.0)
        told = vector_index(store)
        assert told.verdict is Verdict.FAIL
        assert "busy" in told.found
        assert double.url not in str(told)
        double.weather.refusals.clear()
        store.vectors.commit()
        assert not scanned(recall_holds(store.vectors, store.truth, NORTH))
        assert vector_index(store).verdict is Verdict.OK


def test_a_service_that_was_given_somebody_else_s_collection_does_not_start(settings: Settings, double: QdrantDouble) -> None:
    """L2, W4: the mistake is told at the start, with both numbers, before anything is lost."""
    name = str(settings.qdrant.collection)
    with open_service(settings) as service:
        furnish(service)
    double.delete(name)
    double.make(name, size=768)
    with open_service(settings) as service, pytest.raises(StoreUnusable) as raised:
        store_in(service)
    assert all(told in raised.value.lesson for told in ("768", "2", name))
    assert double._shards.info(name)["points_count"] == 1


UNASKED = """
import sys
from pathlib import Path
from recordance.usecases.remember import remember
from recordance_adapters.bootstrap import open_service
from recordance_adapters.settings import Settings
from support.stores import ANN, draft
for place, given in enumerate([{}, {"vectors": "http://127.0.0.1:9"}]):
    with open_service(Settings(store=Path(sys.argv[1], str(place)), **given)) as service:
        remember(service.destinations, ANN, None, [draft("one")], None)
        service.destinations.reading(ANN, None).vectors.commit()
print(*sorted({"qdrant_client", "grpc", "httpx"} & sys.modules.keys()))
"""


def test_the_client_of_a_server_is_loaded_where_vectors_are_on_one(tmp_path: Path) -> None:
    """Decision 9: it takes a second, which nobody shall wait for who has no server, or no vector yet."""
    environment = checkout_environment()
    environment["PYTHONPATH"] += f":{Path(__file__).parents[1]}"
    command = [sys.executable, "-c", UNASKED, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [], "")
