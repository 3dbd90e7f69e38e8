"""One scenario, the same bytes over every transport and on every adapter (O11). A changed byte is a diff to be read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from recordance_adapters.bootstrap import open_memory_service, open_service
from recordance_adapters.wire.catalogue import TOOLS
from support.golden import Calls, calls_of, calls_over, fixed_configuration, fixed_settings, golden, play, written
from support.stdio_peer import HANDSHAKE, STATELESS, Era, Peer


@contextmanager
def in_memory(folder: Path) -> Iterator[Calls]:
    with open_memory_service(fixed_settings(folder / "store")) as service:
        yield calls_of(service)


@contextmanager
def in_a_folder(folder: Path) -> Iterator[Calls]:
    with open_service(fixed_settings(folder / "store")) as service:
        yield calls_of(service)


@contextmanager
def over_stdio(folder: Path, version: str) -> Iterator[Calls]:
    era = Era(version)
    with Peer(["-m", "recordance_adapters", "mcp", "--config", str(fixed_configuration(folder))]) as peer:
        era.open(peer)
        yield calls_over(peer, era)


@contextmanager
def by_handshake(folder: Path) -> Iterator[Calls]:
    with over_stdio(folder, HANDSHAKE) as calls:
        yield calls


@contextmanager
def stateless(folder: Path) -> Iterator[Calls]:
    with over_stdio(folder, STATELESS) as calls:
        yield calls


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The scenario as the in-memory adapters answer it: the oracle."""
    with in_memory(tmp_path_factory.mktemp("oracle")) as calls:
        return play(calls)


def test_the_oracle_answers_the_recorded_bytes(played: list[dict[str, Any]], request: pytest.FixtureRequest) -> None:
    """O11, L6, O1, O2, O4: what users have seen does not change unnoticed; renew with --update-golden and read the diff."""
    path = golden("scenario")
    if request.config.getoption("--update-golden", default=False):
        path.write_text(written(played), encoding="utf-8")
    assert written(played) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("transport", [in_a_folder, by_handshake, stateless], ids=["folder", HANDSHAKE, STATELESS])
def test_every_transport_and_adapter_answers_the_same_bytes(transport: Any, played: list[dict[str, Any]], tmp_path: Path) -> None:
    """O11: the engines propose, the core decides; no transport adds, drops or reorders anything."""
    with transport(tmp_path) as calls:
        assert written(play(calls)) == written(played)


def test_every_answer_fits_its_published_schema(played: list[dict[str, Any]]) -> None:
    """case J5: clients judge answers by the schema, and drop what does not fit."""
    judges = {tool.name: Draft202012Validator(dict(tool.output)) for tool in TOOLS}
    for step in played:
        if "answer" in step:
            judges[step["tool"]].validate(step["answer"])


def test_every_field_that_an_answer_shows_is_in_its_schema(played: list[dict[str, Any]]) -> None:
    """case J5: a field that nobody announced is one that nobody reads."""
    known = {tool.name: set(tool.output["properties"]) for tool in TOOLS}
    shown = {(step["tool"], name) for step in played for name in step.get("answer", {})}
    assert {(tool, name) for tool, name in shown if name not in known[tool]} == set()


def test_the_scenario_calls_every_tool_and_meets_every_outcome(played: list[dict[str, Any]]) -> None:
    """O1: what the scenario never meets, it does not hold."""
    assert {step["tool"] for step in played} == {tool.name for tool in TOOLS}
    assert {step["answer"]["outcome"] for step in played if step["tool"] == "memory_retrieve" and "answer" in step} == {
        "grounded",
        "missing_evidence",
        "abstain",
    }
    assert {step["error"]["code"] for step in played if "error" in step} == {-32602, -32002}


def test_the_published_tools_are_the_recorded_ones(request: pytest.FixtureRequest) -> None:
    """What clients are shown is reviewed as a diff, like any answer."""
    listed = [
        {"name": tool.name, "description": tool.description, "input": tool.arguments.schema, "output": dict(tool.output)}
        for tool in TOOLS
    ]
    path = golden("tools")
    if request.config.getoption("--update-golden", default=False):
        path.write_text(written(listed), encoding="utf-8")
    assert written(listed) == path.read_text(encoding="utf-8")
