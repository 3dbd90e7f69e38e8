"""Where a model's endpoint is a place of what was forgotten: contents were sent there, and nobody here reaches it (W6)."""

from pathlib import Path
from typing import Any

import pytest

from recordance.domain.caller import Caller
from recordance.usecases.forget import forget
from recordance.usecases.verify import verify_receipt
from recordance_adapters.bootstrap import open_service
from recordance_adapters.bootstrap.memory import open_memory_service
from recordance_adapters.bootstrap.service import Service
from recordance_adapters.settings import Settings
from support.houses import told

ANN = Caller(actor="ann")
URL = "http://127.0.0.1:9/v1"
AWAY = {"kind": "endpoint", "model": "m", "url": URL, "timeout_ms": 10}
HERE = {"kind": "local", "model": "m", "path": Path("model")}


def settings(**sections: dict[str, Any]) -> Settings:
    return Settings.model_validate(sections)


def outside(service: Service) -> dict[str, str]:
    """What a forget and its receipt say of the models' places, which are never pending."""
    told(service.destinations, ANN, "memory_store", {"content": "the secret plan"})
    answer = forget(service.destinations, ANN, None, "cap-1")
    now = verify_receipt(service.destinations, ANN, None, answer["receipt"])["now"]
    named = {each["place"]: each for each in answer["places"] if each["place"].endswith("ing endpoint")}
    assert {each["state"] for each in named.values()} <= {"outside"}
    assert named.keys() <= {each["place"] for each in now}
    return {place: each["note"] for place, each in named.items()}


@pytest.mark.parametrize(
    ("sections", "places"),
    [
        ({}, []),
        ({"embedder": AWAY}, ["embedding endpoint"]),
        ({"reranker": AWAY}, ["reranking endpoint"]),
        ({"embedder": AWAY, "reranker": AWAY}, ["embedding endpoint", "reranking endpoint"]),
        ({"embedder": {**AWAY, "kind": "off"}}, []),
        ({"embedder": HERE, "reranker": HERE}, []),
    ],
    ids=["none", "embedder", "reranker", "both", "off", "local"],
)
def test_an_endpoint_is_a_place_out_of_reach(sections: dict[str, dict[str, Any]], places: list[str]) -> None:
    """W6: what was sent to a model elsewhere may lie there; a model in this process keeps nothing."""
    with open_memory_service(settings(**sections)) as service:
        notes = outside(service)
    assert list(notes) == places
    assert all("operator" in note and URL not in note for note in notes.values())


def test_a_store_in_a_folder_says_so_too(tmp_path: Path) -> None:
    """W6: wherever a store is kept, and though its embedder was never reached."""
    with open_service(settings(embedder=AWAY).model_copy(update={"store": tmp_path / "s"})) as service:
        assert list(outside(service)) == ["embedding endpoint"]
