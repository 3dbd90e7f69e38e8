"""Text services in the configuration: a change rebuilds the term index, in each process as it starts."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from recordance.errors import InvalidArgument
from recordance_adapters.bootstrap import Service, open_memory_service, open_service
from recordance_adapters.bootstrap.text import text_services_of
from recordance_adapters.driven.tantivy_terms.sidecar import read_position
from recordance_adapters.settings import load_settings
from recordance_adapters.text_section import Language, TextSettings
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.retrieve import RETRIEVE
from recordance_adapters.wire.tools.store import STORE

PLAIN = ""
STEMS = '[text]\ninflection = "english"\n'
RUNS = "[text]\nsegmentation = true\n"


@contextmanager
def opened(folder: Path, written: str, make: Any = open_service) -> Iterator[Service]:
    file = folder / "config.toml"
    file.write_text(written, encoding="utf-8")
    with make(load_settings({"store": str(folder / "store"), "config": str(file)}, {})) as service:
        yield service


def call(service: Service) -> Call:
    return Call(destinations=service.destinations, caller=service.caller("ann"))


def matched(service: Service, *terms: str) -> list[list[str]]:
    answer: dict[str, Any] = RETRIEVE.handle(call(service), {"terms": list(terms)})
    return [result["matched_terms"] for result in answer["results"]]


def fill(service: Service) -> None:
    STORE.handle(call(service), {"items": [{"content": "tokens expire"}, {"content": "検索エンジンの設定"}]})


def test_opting_in_and_out_rebuilds_the_index_of_a_store(tmp_path: Path) -> None:
    """T5, T9: what was stored before is found by the services from the next start on, and no more after opting out."""
    with opened(tmp_path, PLAIN) as service:
        fill(service)
        assert matched(service, "token", "設定") == []
    with opened(tmp_path, STEMS) as service:
        assert matched(service, "token", "設定") == [["stem:token"]]
    with opened(tmp_path, RUNS) as service:
        assert matched(service, "token", "設定") == [["segment:設定"]]
    with opened(tmp_path, PLAIN) as service:
        assert matched(service, "token", "設定") == []
        assert matched(service, "tokens") == [["tokens"]]


def test_two_processes_with_different_services_do_not_share_an_index(tmp_path: Path) -> None:
    """T9, O11: each has what its own configuration says, and sees what the other writes."""
    with opened(tmp_path, PLAIN) as plain, opened(tmp_path, STEMS) as stems:
        fill(plain)
        assert matched(stems, "token") == [["stem:token"]]
        assert matched(plain, "token") == []
        with opened(tmp_path, STEMS) as other:
            assert matched(other, "token") == [["stem:token"]]


def test_an_index_with_the_same_services_is_used_again(tmp_path: Path) -> None:
    """T9, case D3: a restart that changes nothing builds nothing anew."""
    for _ in range(2):
        with opened(tmp_path, STEMS) as service:
            fill(service)
            service.destinations.reading(service.caller("ann"), None).terms.commit()
            assert matched(service, "token") == [["stem:token"]]
    (position,) = (tmp_path / "store" / "replicas").glob("*/applied")
    store = json.loads(position.read_text(encoding="utf-8").split("\n", 1)[1])["position"]["store"]
    services = text_services_of(TextSettings(inflection=Language.ENGLISH)).version
    assert read_position(position.parent, store, services) is not None
    assert read_position(position.parent, store) is None


def test_a_store_in_memory_has_the_same_services(tmp_path: Path) -> None:
    """T9: the oracle of golden answers reads the same configuration."""
    with opened(tmp_path, STEMS, open_memory_service) as service:
        fill(service)
        assert matched(service, "token") == [["stem:token"]]


def test_a_language_without_stems_is_refused_with_those_that_have_them(tmp_path: Path) -> None:
    """T9: a typing error is not taken for another language."""
    with pytest.raises(InvalidArgument, match="english"), opened(tmp_path, '[text]\ninflection = "klingon"\n'):
        pass
