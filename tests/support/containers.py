"""Containers for the tests: Postgres and Qdrant, from the official images or from those that two variables name."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from testcontainers.community.postgres import PostgresContainer
from testcontainers.community.qdrant import QdrantContainer
from testcontainers.core.config import ConnectionMode, testcontainers_config

from support.images import NoImage, obtain
from support.ports import free_port
from support.postgres_image import make_postgres_image

POSTGRES = ("RECORDANCE_TEST_POSTGRES_IMAGE", "postgres:18")
QDRANT = ("RECORDANCE_TEST_QDRANT_IMAGE", "qdrant/qdrant:v1.16.2")
"""For each server the variable that names an image, and the image that is taken where it names none."""


def set_up_testcontainers() -> None:
    """Have containers reached by their published ports on the loopback, and removed by whoever started them."""
    testcontainers_config.ryuk_disabled = True
    testcontainers_config.tc_host_override = "127.0.0.1"
    testcontainers_config.connection_mode_override = ConnectionMode.docker_host


def postgres_image() -> str:
    """Return the image of Postgres: the one that is named, else the official one, else one made here."""
    variable, official = POSTGRES
    if named := os.environ.get(variable):
        return obtain(named)
    try:
        return obtain(official)
    except NoImage:
        return make_postgres_image()


def qdrant_image() -> str:
    """Return the image of Qdrant: the one that is named, else the official one. Raises NoImage."""
    variable, official = QDRANT
    return obtain(os.environ.get(variable) or official)


@contextmanager
def postgres_container(image: str) -> Iterator[PostgresContainer]:
    """Run Postgres in a container, at a port that stays the same when it is started again."""
    container = PostgresContainer(image, username="recordance", password="its-secret", dbname="recordance", driver=None)
    container.ports["5432"] = ("127.0.0.1", free_port())
    # Processes are killed here, no machine loses its power: what the system has taken over is safe without waiting for the disk.
    container.with_command("postgres -c fsync=off -c full_page_writes=off")
    with container as running:
        yield running


@contextmanager
def qdrant_container(image: str) -> Iterator[str]:
    """Run Qdrant in a container and give its URL."""
    with QdrantContainer(image) as running:
        yield f"http://{running.rest_host_address}"
