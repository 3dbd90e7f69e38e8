"""A collection on a server, as several processes share it: its position, how it is made, and whose it is."""

import warnings
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from recordance.errors import Fault, ReplicaDamaged, StoreUnusable
from recordance.ports.shared_vectors import SharedPosition
from recordance_adapters.driven.qdrant_vectors.collection import Plan, QdrantCollection
from recordance_adapters.driven.qdrant_vectors.remote import RemoteVectors, open_collection
from support.qdrant_double import QdrantDouble, qdrant_double
from support.qdrant_servers import CLIENTS, LOCAL_WARNINGS, collection, remote_at
from support.vector_indexes import asking_near, embedded

pytestmark = LOCAL_WARNINGS
EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
BEGUN = SharedPosition(epoch="first", applied=0, mark="", intent=0, dimension=2)
SETTLED = replace(BEGUN, applied=7, mark="seven", intent=9)


@pytest.fixture(params=CLIENTS, scope="module")
def shared(request: pytest.FixtureRequest) -> Iterator[QdrantCollection]:
    with collection(request.param) as index:
        yield index


@pytest.fixture
def index(shared: QdrantCollection) -> QdrantCollection:
    """A collection with two points, settled at 7."""
    shared._client.delete_collection(shared._name)
    shared.begin(BEGUN)
    shared.put([embedded(1, EAST).point, embedded(2, NORTH).point], ())
    assert shared.advance("first", SETTLED)
    return shared


@pytest.fixture(scope="module")
def double() -> Iterator[QdrantDouble]:
    with qdrant_double() as double:
        yield double


def beside(index: QdrantCollection, store: str) -> QdrantCollection:
    """What another process has of the same collection."""
    return QdrantCollection(index._client, index._name, store, Plan(), index._calling)


def numbers(index: QdrantCollection) -> list[int]:
    return sorted(near.number for near in index.nearest(asking_near([1.0, 0.5]), 9))


def test_a_position_is_kept_as_it_was_told_and_is_no_point_that_anybody_finds(index: QdrantCollection) -> None:
    """Decision 2: it comes and goes with the data, and is neither proposed nor counted."""
    assert (index.position(), index.count(), numbers(index)) == (SETTLED, 2, [1, 2])
    index.begin(replace(BEGUN, epoch="second", dimension=3))
    assert (index.position(), index.count()) == (replace(BEGUN, epoch="second", dimension=3), 0)


def test_a_position_is_replaced_only_where_its_epoch_is_the_expected_one(index: QdrantCollection) -> None:
    """Decision 2: a writer that lost its duty, or whose index was emptied, does not say that anything was applied."""
    later = replace(SETTLED, epoch="second", applied=9)
    assert not index.advance("zeroth", later)
    assert index.position() == SETTLED
    assert index.advance("first", later)
    assert not index.advance("first", SETTLED)
    assert index.position() == later
    index._client.delete(index._name, [0], wait=True)
    assert not index.advance("second", later)
    assert index.position() is None


def test_what_one_process_wrote_the_others_find_at_once(index: QdrantCollection) -> None:
    """Decision 2: nobody goes by what it remembers of it."""
    other = beside(index, index._store)
    other.put([embedded(3, EAST).point], [2])
    assert other.advance("first", replace(SETTLED, applied=9))
    assert (numbers(index), index.count(), index.position()) == ([1, 3], 2, replace(SETTLED, applied=9))


def test_a_collection_that_is_not_there_has_no_position_and_is_damaged_for_all_else(index: QdrantCollection) -> None:
    """Decision 2, case D5: whoever deleted it, it is made anew by the next writer."""
    index._client.delete_collection(index._name)
    assert index.position() is None
    index.prove(2)
    for attempt in (
        lambda: numbers(index),
        lambda: index.put([embedded(3, EAST).point], ()),
        lambda: index.put((), [1]),
        index.count,
        lambda: index.advance("first", SETTLED),
    ):
        with pytest.raises(ReplicaDamaged):
            attempt()


def test_another_store_s_collection_is_neither_read_from_nor_emptied(index: QdrantCollection) -> None:
    """Decision 2: two stores that were given one name would take turns in emptying it."""
    theirs = beside(index, "another store")
    for attempt in (theirs.position, lambda: theirs.prove(2), lambda: theirs.begin(BEGUN), lambda: theirs.prove(None)):
        with pytest.raises(StoreUnusable) as raised:
            attempt()
        assert "another store's" in raised.value.lesson
    assert (index.position(), index.count()) == (SETTLED, 2)


def test_one_s_own_collection_of_another_dimension_is_begun_anew_and_not_refused(index: QdrantCollection) -> None:
    """W4: a space may lose its vectors and take longer ones while nobody writes the index."""
    index.prove(3)
    assert index.count() == 2


# ── at the stand-in alone ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("vector", "size"), [("", 5), ("default", 5), ("title", 5)])
def test_somebody_else_s_collection_is_refused_with_both_dimensions(double: QdrantDouble, vector: str, size: int) -> None:
    """L2: whoever names the wrong collection learns which numbers do not fit, and loses nothing."""
    remote = remote_at(double.url)
    double.make(str(remote.collection), size, vector)
    with closing(open_collection(remote, "ours")) as index:
        for attempt, told in ((lambda: index.prove(2), ("5", "2")), (lambda: index.prove(5), ("not made by this program",))):
            with pytest.raises(StoreUnusable) as raised:
                attempt()
            assert all(word in raised.value.lesson for word in (*told, repr(remote.collection)))
            assert double.url not in str(raised.value)
        with pytest.raises(StoreUnusable):
            index.begin(BEGUN)
        assert double._shards.info(str(remote.collection))["points_count"] == 1


def test_a_collection_is_made_with_a_named_vector_indexed_fields_and_what_was_configured(double: QdrantDouble) -> None:
    """Decision 7: fences act before the ranking, which costs more than the search where a field has no index."""
    remote = remote_at(double.url, shard_number=3, replication_factor=2)
    with closing(open_collection(remote, "ours")) as index:
        index.begin(BEGUN)
    made = double._shards.described[str(remote.collection)]
    assert made["params"]["vectors"] == {"default": {"size": 2, "distance": "Dot"}}
    assert {key: made["params"][key] for key in ("shard_number", "replication_factor", "write_consistency_factor")} == {
        "shard_number": 3,
        "replication_factor": 2,
        "write_consistency_factor": 2,
    }
    assert made["payload_schema"] == {"labels": "uuid", "event": "integer", "epoch": "keyword"}


def test_writes_are_ordered_and_waited_for_and_the_position_is_read_from_every_replica(double: QdrantDouble) -> None:
    """Decision 2: else a search on one replica may lack what the position on another one says to be there."""
    with closing(open_collection(remote_at(double.url), "ours")) as index:
        index.begin(BEGUN)
        double.weather.queries.clear()
        index.put([embedded(1, EAST).point], [5])
        index.advance("first", SETTLED)
        asked = dict(double.weather.queries)
    for path in ("/points/delete", "/points/payload"):
        assert "wait=true" in asked[path]
        assert "ordering=strong" in asked[path]
    assert "consistency=all" in asked["/points"]


def test_many_points_travel_in_several_requests(double: QdrantDouble) -> None:
    """Decision 7: servers refuse bodies beyond 32 MB, and memory is bounded on both sides."""
    with closing(open_collection(remote_at(double.url, batch=10), "ours")) as index:
        index.begin(BEGUN)
        double.weather.asked.clear()
        index.put((embedded(number, [1.0, number / 100]).point for number in range(1, 26)), ())
        assert double.weather.asked == [("PUT", "/points")] * 3
        assert index.count() == 25


def test_a_connection_that_is_used_again_is_not_made_again_and_one_that_was_dropped_is(double: QdrantDouble) -> None:
    """Decision 2: servers drop idle connections, and are started anew; a recall hears nothing of that."""
    with qdrant_double() as first:
        remote = remote_at(first.url)
        index = open_collection(remote, "ours")
        index.begin(BEGUN)
        assert index.position() == BEGUN
        port = int(first.url.rpartition(":")[2])
    with qdrant_double(port) as second, closing(index):
        assert second.url == first.url
        assert index.position() is None


def test_nothing_of_a_client_reaches_the_streams(double: QdrantDouble, capfd: pytest.CaptureFixture[str]) -> None:
    """Decision 9: over stdio every stray line is a protocol error, and a key over http is told in the log alone."""
    remote = RemoteVectors(url=double.url, collection="quiet", api_key="k" * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with closing(open_collection(remote, "ours")) as index:
            index.begin(BEGUN)
    assert "k" * 20 not in repr(remote)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("given", [{}, {"grpc": True, "grpc_port": 9}], ids=["rest", "grpc"])
def test_a_server_that_cannot_be_reached_is_a_fault_and_costs_no_index(given: dict[str, object]) -> None:
    """Decision 2: what cannot be asked is not damaged; it is not built anew for that."""
    remote = remote_at("http://127.0.0.1:9", timeout=1.0, **given)
    with closing(open_collection(remote, "ours")) as nowhere:
        for attempt in (nowhere.position, nowhere.count, lambda: numbers(nowhere), lambda: nowhere.prove(2)):
            with pytest.raises(Fault) as raised:
                attempt()
            assert not isinstance(raised.value, ReplicaDamaged | StoreUnusable)
            assert "127.0.0.1" not in str(raised.value)


def test_an_address_that_is_none_is_refused_without_being_repeated() -> None:
    """Decision 2: an address may hold a password."""
    for url in ("ftp://user:word@host", "http://host:notaport"):
        with pytest.raises(StoreUnusable) as raised:
            open_collection(RemoteVectors(url=url), "ours")
        assert url not in str(raised.value)
