"""Against servers in containers: Postgres wherever an engine answers or may be brought, Qdrant where its image is to be had."""

from collections.abc import Iterator

import psycopg
import pytest

from support.containers import postgres_container, postgres_image, set_up_testcontainers
from support.docker_engine import NoEngine, docker_engine


@pytest.fixture(scope="module", autouse=True)
def engine() -> Iterator[None]:
    """A Docker engine for this file; without one its tests say why they do not run."""
    try:
        with docker_engine():
            set_up_testcontainers()
            yield
    except NoEngine as problem:
        pytest.skip(str(problem))


@pytest.fixture(scope="module")
def image(engine: None) -> str:
    """The image of Postgres."""
    return postgres_image()


def test_a_container_that_is_killed_keeps_what_was_committed(image: str) -> None:
    """Decision 8: what the tests below ask of the service is asked of a server that keeps its own promises."""
    with postgres_container(image) as server:
        url = server.get_connection_url()
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 1 AS one")
        server.get_wrapped_container().kill()
        server.get_wrapped_container().start()
        server._connect()
        with psycopg.connect(server.get_connection_url()) as connection:
            assert connection.execute("SELECT one FROM kept").fetchone() == (1,)
        assert server.get_connection_url() == url
