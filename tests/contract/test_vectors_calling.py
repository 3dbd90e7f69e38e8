"""How a server in trouble is asked: what is tried again, after which pause, and what a caller hears in the end."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from recordance.errors import Fault, ReplicaDamaged, StoreUnusable
from recordance.ports.shared_vectors import SharedPosition
from recordance_adapters.driven.qdrant_vectors.calling import Trouble, Unanswered
from recordance_adapters.driven.qdrant_vectors.collection import QdrantCollection
from recordance_adapters.driven.qdrant_vectors.remote import open_collection
from support.certificates import own_certificate
from support.qdrant_double import QdrantDouble, qdrant_double
from support.qdrant_grpc import grpc_beside
from support.qdrant_servers import remote_at
from support.vector_indexes import asking_near, embedded

EAST = [1.0, 0.0]
BEGUN = SharedPosition(epoch="first", applied=0, mark="", intent=0, dimension=2)


@pytest.fixture(scope="module")
def running() -> Iterator[QdrantDouble]:
    with qdrant_double() as double:
        yield double


@pytest.fixture
def double(running: QdrantDouble) -> Iterator[QdrantDouble]:
    """A stand-in that is well again at the end."""
    yield running
    running.weather.refusals.clear()
    running.weather.api_key = None
    running.weather.released.set()


@contextmanager
def patient(double: QdrantDouble, pauses: list[float], **given: object) -> Iterator[QdrantCollection]:
    """A collection with a position, whose pauses take no time."""
    with closing(open_collection(remote_at(double.url, **given), "ours")) as index:
        index._calling = replace(index._calling, pause=pauses.append)
        index.begin(BEGUN)
        double.weather.asked.clear()
        yield index


@contextmanager
def hurried(double: QdrantDouble, index: QdrantCollection, **given: object) -> Iterator[QdrantCollection]:
    """The same collection for somebody who waits a second."""
    remote = remote_at(double.url, collection=index._name, timeout=1.0, **given)
    with closing(open_collection(remote, "ours")) as other:
        yield other


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_gets_a_write_again_after_growing_pauses(double: QdrantDouble, status: int) -> None:
    """Decision 2: backpressure is no failure; the background has time."""
    pauses = list[float]()
    with patient(double, pauses) as index:
        double.weather.refuse(status, times=3)
        index.put([embedded(1, EAST).point], ())
        assert index.count() == 1
    assert pauses == [0.25, 0.5, 1.0]


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_says_how_long_is_left_alone_so_long(double: QdrantDouble, status: int) -> None:
    """Decision 2: whoever asks a limited server sooner is refused again, and makes it longer."""
    pauses = list[float]()
    with patient(double, pauses) as index:
        double.weather.refuse(status, times=2, Retry_After="3")
        index.put([embedded(1, EAST).point], ())
    assert pauses == [3.0, 3.0]


def test_a_server_that_stays_busy_is_a_fault_after_a_bound(double: QdrantDouble) -> None:
    """Decision 2: a commit is tried again later; nothing waits for ever, and not for an hour where the server says so."""
    pauses = list[float]()
    with patient(double, pauses) as index:
        double.weather.refuse(503, times=99)
        with pytest.raises(Unanswered) as raised:
            index.put([embedded(1, EAST).point], ())
        assert raised.value.trouble is Trouble.BUSY
        assert len(pauses) == 6
        double.weather.refuse(429, times=99, Retry_After="3600")
        with pytest.raises(Unanswered):
            index.put([embedded(1, EAST).point], ())
        assert len(pauses) == 6


def test_a_recall_waits_for_a_busy_server_no_longer_than_a_moment(double: QdrantDouble) -> None:
    """Decision 2: it has the truth to scan."""
    pauses = list[float]()
    with patient(double, pauses) as index:
        double.weather.refuse(503, times=99)
        with pytest.raises(Unanswered):
            index.nearest(asking_near(EAST), 3)
        double.weather.refuse(429, times=99, Retry_After="1")
        with pytest.raises(Unanswered):
            index.nearest(asking_near(EAST), 3)
    assert sum(pauses) < 0.5


def test_a_server_that_is_silent_is_a_fault_once_the_time_is_over(double: QdrantDouble) -> None:
    """Decision 2: an answer that never comes costs the timeout, and is asked for once."""
    with patient(double, []) as index, hurried(double, index) as other:
        double.weather.hang()
        with pytest.raises(Unanswered) as raised:
            other.position()
        assert raised.value.trouble is Trouble.SILENT
        assert double.weather.asked == [("POST", "/points")]


def test_a_key_that_is_refused_is_told_without_the_key_and_without_the_address(double: QdrantDouble) -> None:
    """Decision 2: who looks into the log or asks the doctor sees what is wrong, and learns no secret."""
    with patient(double, [], api_key="not the right one") as index:
        double.weather.api_key = "the right one"
        with pytest.raises(Unanswered) as raised:
            index.nearest(asking_near(EAST), 3)
        assert raised.value.trouble is Trouble.REFUSED
        assert not any(secret in str(raised.value) for secret in ("right", double.url))
        double.weather.api_key = "not the right one"
        assert index.position() == BEGUN


def test_an_error_of_the_server_is_a_fault_and_no_missing_collection(double: QdrantDouble) -> None:
    """Decision 1: an index is not begun anew because a server stumbled."""
    with patient(double, []) as index:
        double.weather.refuse(500, times=1, only="/points/query")
        with pytest.raises(Fault) as raised:
            index.nearest(asking_near(EAST), 3)
        assert not isinstance(raised.value, ReplicaDamaged | StoreUnusable)
        assert index.nearest(asking_near(EAST), 3) == []


# ── over gRPC, whose errors are others ────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def port(running: QdrantDouble) -> Iterator[int]:
    with grpc_beside(running) as port:
        yield port


def test_a_server_that_says_over_grpc_how_long_is_left_alone_so_long(double: QdrantDouble, port: int) -> None:
    """Decision 2: the same patience on either way to a server."""
    pauses = list[float]()
    with patient(double, pauses, grpc=True, grpc_port=port) as index:
        double.weather.refuse(429, times=2, Retry_After="3")
        index.put([embedded(1, EAST).point], ())
        double.weather.refuse(429, times=1)
        index.put([embedded(2, EAST).point], ())
        assert index.count() == 2
    assert pauses == [3.0, 3.0, 0.25]


@pytest.mark.parametrize(
    ("status", "trouble"), [(401, Trouble.REFUSED), (503, Trouble.UNREACHABLE), (500, Trouble.OTHER)], ids=str
)
def test_what_is_the_matter_is_told_over_grpc_as_over_rest(
    double: QdrantDouble, port: int, status: int, trouble: Trouble
) -> None:
    """Decision 2: by the code of the answer, never by its text."""
    with patient(double, [], grpc=True, grpc_port=port, api_key="a key") as index:
        double.weather.refuse(status, times=9)
        with pytest.raises(Unanswered) as raised:
            index.nearest(asking_near(EAST), 3)
        assert raised.value.trouble is trouble
        double.weather.refusals.clear()
        assert index.position() == BEGUN


def test_a_server_that_is_silent_over_grpc_is_a_fault_once_the_time_is_over(double: QdrantDouble, port: int) -> None:
    """Decision 2: the timeout holds on either way."""
    given = {"grpc": True, "grpc_port": port}
    with patient(double, [], **given) as index, hurried(double, index, **given) as other:
        double.weather.hang()
        with pytest.raises(Unanswered) as raised:
            other.position()
        assert raised.value.trouble is Trouble.SILENT


# ── over TLS ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("way", ["rest", "grpc"])
def test_a_server_is_believed_by_the_certificates_of_the_file_and_by_no_other(tmp_path: Path, way: str) -> None:
    """Decision 2: a key is not handed to whoever answers at an address."""
    made = own_certificate(tmp_path)
    with qdrant_double(certificate=made) as double, grpc_beside(double, made) as port:
        remote = remote_at(double.url, ca_file=made.certificate, api_key="a key", grpc=way == "grpc", grpc_port=port)
        double.weather.api_key = "a key"
        with closing(open_collection(remote, "ours")) as index:
            index.begin(BEGUN)
            assert index.position() == BEGUN
        with closing(open_collection(replace(remote, ca_file=None), "ours")) as index, pytest.raises(Unanswered) as raised:
            index.position()
        assert raised.value.trouble is Trouble.UNREACHABLE
