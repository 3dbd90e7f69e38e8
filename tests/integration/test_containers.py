"""Against servers in containers: Postgres wherever an engine answers or may be brought, Qdrant where its image is to be had.

All in one file, so that one process brings one engine for all of it.
"""

import json
import os
import re
import secrets
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import docker
import psycopg
import pytest
from testcontainers.community.postgres import PostgresContainer

from support import checkout
from support.compose import Compose, compose
from support.containers import (
    postgres_container,
    postgres_image,
    qdrant_container,
    qdrant_image,
    set_up_testcontainers,
)
from support.debian import Unfetched
from support.deployments import Deployment, deployment
from support.docker_engine import NoEngine, docker_engine
from support.http_peer import HttpPeer, Site
from support.images import NoImage
from support.ports import free_port
from support.remains import await_that
from support.servers import Server, servers
from support.service_image import make_service_image
from support.stdio_peer import STATELESS

BOUND = 60.0
PASSED = re.compile(r"(\d+) passed")


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


@pytest.fixture(scope="module")
def postgres(image: str) -> Iterator[PostgresContainer]:
    """A Postgres in a container, for the tests that leave it as they found it or use a schema of their own."""
    with postgres_container(image) as container:
        yield container


@pytest.fixture
def url(postgres: PostgresContainer) -> Iterator[str]:
    """The URL of a database of the test's own."""
    name = f"t{secrets.token_hex(6)}"
    with closing(psycopg.connect(postgres.get_connection_url(), autocommit=True)) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        yield postgres.get_connection_url().rpartition("/")[0] + f"/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def suite(variable: str, value: str, *words: str) -> int:
    """Run tests of this checkout against the server that a variable names, and return how many passed; fails if any did not."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *words]
    environment = {**os.environ, variable: value}
    ran = subprocess.run(command, cwd=checkout.ROOT, env=environment, capture_output=True, text=True, timeout=280, check=False)
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-2000:]
    passed = PASSED.search(ran.stdout.splitlines()[-1])
    assert passed is not None, ran.stdout[-2000:]
    return int(passed[1])


def test_the_contract_of_the_truth_holds_on_a_container(postgres: PostgresContainer) -> None:
    """Decision 1: what every truth promises is promised by a server as it is run, over a network and behind a password."""
    files = sorted(str(path) for path in (checkout.ROOT / "tests" / "contract").glob("test_truth_*.py"))
    assert suite("RECORDANCE_TEST_POSTGRES_URL", postgres.get_connection_url(), *files, "-k", "postgres") > 50


def test_the_contract_of_the_vectors_holds_on_a_container(engine: None) -> None:
    """Decision 7: what every vector index promises is promised by a Qdrant server, too."""
    try:
        name = qdrant_image()
    except NoImage as problem:
        pytest.skip(f"{problem}; the HTTP double takes the same tests")
    with qdrant_container(name) as where:
        files = sorted(str(path) for path in (checkout.ROOT / "tests" / "contract").glob("test_vectors_*.py"))
        assert suite("RECORDANCE_TEST_QDRANT_URL", where, *files, "-k", "server") > 10


def test_a_service_over_a_container_remembers_and_forgets(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres: PostgresContainer
) -> None:
    """W6: a store is a URL; what is in it outlives the service, and what is forgotten is in no table any more."""
    monkeypatch.setenv("RECORDANCE_TRUTH", url)
    with servers(tmp_path / "a") as (server,):
        kept, secret = server.store("the harbour opens at dawn"), server.store("the zanzibar cipher is nine")
        assert server.found("harbour") == [kept]
        assert server.found("zanzibar") == [secret]
    with servers(tmp_path / "b") as (server,):  # another machine's folder: nothing of the store is in it
        assert server.found("harbour") == [kept]
        receipt = server.call("memory_forget", id=secret)
        assert server.found("zanzibar") == []
        assert server.found("harbour") == [kept]
    assert "zanzibar" not in json.dumps(receipt)
    assert not rows_with(url, "cipher")  # nobody asked for it since: a word that is asked for and not found is kept as a miss
    assert rows_with(url, "harbour")


def rows_with(url: str, word: str) -> list[str]:
    """The tables that hold a row with a word in it, whatever the column."""
    with closing(psycopg.connect(url)) as connection:
        tables = connection.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'").fetchall()
        count = "SELECT count(*) FROM {0} AS row WHERE row::text LIKE %s"
        found = {name: connection.execute(count.format(f'"{name}"').encode(), [f"%{word}%"]).fetchone() for (name,) in tables}
    return [name for name, row in found.items() if row and row[0]]


@dataclass
class Writer:
    """A thread that stores one statement after another through a server of its own, and keeps what was said of each."""

    server: Server
    name: str
    kept: dict[str, str] = field(default_factory=dict)
    refused: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        for number in range(100_000):
            if self.over.is_set():
                return
            word = f"{self.name}x{number}"
            message = self.server.said("memory_store", content=f"{word} went through the lock")
            if "error" in message:
                self.refused[word] = message["error"]
                self.over.wait(0.05)
            else:
                self.kept[word] = message["result"]["structuredContent"]["results"][0]["id"]


def test_a_server_that_is_killed_and_started_again_loses_nothing_that_was_answered(
    image: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Decision 1, on a server: what was acknowledged is there, what was refused as unwritten is not, and nothing is twice.

    The service goes on by itself once its database is back.
    """
    with postgres_container(image) as container:
        monkeypatch.setenv("RECORDANCE_TRUTH", container.get_connection_url())
        with servers(tmp_path / "store", 2) as both:
            writers = [Writer(server, name) for server, name in zip(both, ("left", "right"), strict=True)]
            threads = [threading.Thread(target=writer.run) for writer in writers]
            for thread in threads:
                thread.start()
            try:
                ride_through(container, writers)
            finally:
                for writer in writers:
                    writer.over.set()
                for thread in threads:
                    thread.join(BOUND)
            for writer in writers:
                hold_to(writer, both[0], container)


def ride_through(container: PostgresContainer, writers: list[Writer]) -> None:
    """Kill the server under load, see that its absence is told, start it again, see that work goes on."""
    await_that(lambda: all(len(writer.kept) > 5 for writer in writers), BOUND)
    container.get_wrapped_container().kill()
    await_that(lambda: all(len(writer.refused) > 1 for writer in writers), BOUND)
    before = [len(writer.kept) for writer in writers]
    container.get_wrapped_container().start()
    await_that(lambda: all(len(writer.kept) > count + 5 for writer, count in zip(writers, before, strict=True)), BOUND)


def hold_to(writer: Writer, server: Server, container: PostgresContainer) -> None:
    """Hold the store to every answer that a writer had."""
    for word, id in writer.kept.items():
        assert server.found(word) == [id], word
    for word, error in writer.refused.items():
        assert container.password not in json.dumps(error)
        kind = error["data"]["kind"]
        assert kind in {"store_unreachable", "write_uncertain"}, error
        assert len(server.found(word)) <= (1 if kind == "write_uncertain" else 0), (word, error)


@dataclass(frozen=True)
class Trial:
    """The shipped deployment, up to its client."""

    client: Compose
    deployment: Deployment

    def ready(self) -> None:
        site = self.site

        def holds() -> bool:
            try:
                return site.get("/readyz").status == 200
            except OSError:
                return False

        await_that(holds, BOUND)

    @property
    def site(self) -> Any:
        return Site(None, ("127.0.0.1", self.deployment.port))  # type: ignore[arg-type]

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        with HttpPeer(self.site, STATELESS, self.deployment.token) as peer:
            message = peer.call(tool, arguments)
        answer: dict[str, Any] = message["result"]["structuredContent"]
        return answer

    def container(self, service: str) -> Any:
        with closing(docker.from_env()) as client:
            labels = [f"com.docker.compose.project={self.client.project}", f"com.docker.compose.service={service}"]
            (found,) = client.containers.list(filters={"label": labels})
            return found

    def lose(self, volume: str) -> None:
        with closing(docker.from_env()) as client:
            client.volumes.get(f"{self.client.project}_{volume}").remove()


@pytest.fixture(scope="module")
def service(engine: None) -> str:
    """The image of the service, built by the shipped Dockerfile."""
    try:
        return make_service_image()
    except Unfetched as problem:
        pytest.skip(f"no image to build on: {problem}")


@pytest.fixture
def trial(image: str, service: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trial]:
    """The shipped compose file without Qdrant, whose image is not to be had everywhere; nothing is left of it."""
    monkeypatch.setenv("POSTGRES_IMAGE", image)
    monkeypatch.setenv("RECORDANCE_IMAGE", service)
    written = deployment(tmp_path, free_port(), "qdrant")
    try:
        client = compose(written.file, f"trial{secrets.token_hex(4)}", tmp_path / "client")
    except Unfetched as problem:
        pytest.skip(f"no client for compose files: {problem}")
    try:
        yield Trial(client, written)
    finally:
        client.run("down", "--volumes")


def test_what_the_shipped_deployment_remembers_outlives_its_containers(trial: Trial) -> None:
    """case L3: store, down, up, recall; the indexes may be lost in between, for they are made anew of the truth."""
    trial.client.run("up", "--detach")
    trial.ready()
    (stored,) = trial.call("memory_store", content="the lighthouse keeps a log")["results"]
    trial.client.run("down")
    trial.lose("indexes")
    trial.client.run("up", "--detach")
    trial.ready()
    answer = trial.call("memory_retrieve", terms=["lighthouse"])
    assert [result["id"] for result in answer["results"]] == [stored["id"]]
    hold_to_the_image(trial)


def hold_to_the_image(trial: Trial) -> None:
    """What runs is nobody's, may nothing, writes only where it may, is healthy by its own check and ends when it is asked."""
    service = trial.container("recordance")
    await_that(lambda: trial.container("recordance").attrs["State"]["Health"]["Status"] == "healthy", BOUND)
    assert service.attrs["HostConfig"]["ReadonlyRootfs"] is True
    assert service.attrs["HostConfig"]["CapDrop"] == ["ALL"]
    assert service.exec_run(["id", "-u"]).output.strip() == b"10001"
    assert service.exec_run(["touch", "/opt/recordance/here"]).exit_code != 0
    assert service.exec_run(["python3", "-c", "import pip"]).exit_code != 0
    assert trial.site.get("/mcp").status == 401
    service.stop(timeout=20)
    service.reload()
    assert service.attrs["State"]["ExitCode"] == 0
