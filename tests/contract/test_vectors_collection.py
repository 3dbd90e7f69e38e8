"""A collection behind a Qdrant client: what only something that others can reach, too, must be held to."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from qdrant_client import QdrantClient

from recordance.errors import Fault, ReplicaDamaged
from recordance_adapters.driven.qdrant_vectors.collection import QdrantCollection
from support.vector_indexes import asking_near, embedded, numbers_near

pytestmark = pytest.mark.filterwarnings("ignore:Local mode performs exact")  # which is what was asked for
NAME = "memories"
EAST = [1.0, 0.0]


@pytest.fixture
def client() -> Iterator[QdrantClient]:
    with closing(QdrantClient(":memory:")) as client:
        yield client


@pytest.fixture
def index(client: QdrantClient) -> QdrantCollection:
    index = QdrantCollection(client, NAME, "ours")
    index.clear(2)
    index.put([embedded(1, EAST).point, embedded(2, EAST).point], ())
    index.settle(7, "mark")
    return index


def test_an_emptied_collection_says_that_nothing_was_applied(client: QdrantClient, index: QdrantCollection) -> None:
    """Decision 2: the position goes with the points, so that whoever emptied the collection gets it filled again."""
    client.delete_collection(NAME)
    index_again = QdrantCollection(client, NAME, "ours")
    assert (index_again.applied, index_again.count, index_again.dimension) == (0, 0, 0)
    index.clear(2)
    assert (index.applied, index.mark) == (0, "")


def test_all_who_share_a_collection_see_what_any_of_them_wrote(client: QdrantClient, index: QdrantCollection) -> None:
    """Decision 2: it is one follower for all processes, and nobody goes by what it remembers of it."""
    other = QdrantCollection(client, NAME, "ours")
    other.put([embedded(3, EAST).point], [1])
    other.settle(9, "later")
    assert (index.applied, index.mark, index.count) == (9, "later", 2)
    assert sorted(numbers_near(index, asking_near(EAST))) == [2, 3]


def test_another_store_s_collection_is_neither_read_from_nor_emptied(client: QdrantClient, index: QdrantCollection) -> None:
    """Decision 2: two stores that were given one name would take turns in emptying it."""
    theirs = QdrantCollection(client, NAME, "theirs")
    for attempt in (lambda: theirs.applied, lambda: theirs.settle(8), lambda: theirs.clear(2)):
        with pytest.raises(Fault, match="another store") as raised:
            attempt()
        assert not isinstance(raised.value, ReplicaDamaged)
    assert (index.applied, index.count) == (7, 2)


def test_a_server_that_cannot_be_reached_is_a_fault_and_costs_no_index(client: QdrantClient, index: QdrantCollection) -> None:
    """Decision 1: what cannot be asked is not damaged; it is not built anew for that."""
    client.close()
    with closing(QdrantClient(url="http://127.0.0.1:9", check_compatibility=False)) as nowhere:
        for unreachable in (index, QdrantCollection(nowhere, NAME, "ours")):
            with pytest.raises(Fault) as raised:
                unreachable.nearest(asking_near(EAST), 5)
            assert not isinstance(raised.value, ReplicaDamaged)
