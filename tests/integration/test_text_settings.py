"""Text services in the configuration: a change rebuilds the term index, in each process as it starts."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from recordance.errors import InvalidArgument
from recordance.usecases import inspect
from recordance.usecases.overseeing import status_of_all
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


TWO = """
[text]
inflection = "english"
[[destinations]]
name = "notes"
store = "notes"
[[destinations]]
name = "wiki"
store = "wiki"
text = {segmentation = true}
"""


@contextmanager
def opened(folder: Path, written: str, make: Any = open_service) -> Iterator[Service]:
    file = folder / "config.toml"
    file.write_text(written, encoding="utf-8")
    alone = {} if "destinations" in written else {"store": str(folder / "store")}
    with make(load_settings({**alone, "config": str(file)}, {})) as service:
        yield service


def call(service: Service) -> Call:
    return Call(destinations=service.destinations, caller=service.caller("ann"))


def matched(service: Service, *terms: str, scope: str = "routed") -> list[list[str]]:
    answer: dict[str, Any] = RETRIEVE.handle(call(service), {"terms": list(terms), "search_scope": scope})
    return [result["matched_terms"] for result in answer["results"]]


def fill(service: Service, **where: str) -> None:
    STORE.handle(call(service), {"items": [{"content": "tokens expire"}, {"content": "検索エンジンの設定"}], **where})


def slots(folder: Path) -> dict[str, bytes]:
    """The position of each slot's index, as it lies on the disk."""
    return {path.parent.name: path.read_bytes() for path in (folder / "store" / "replicas").glob("*/applied")}


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


def test_processes_with_different_services_that_run_in_turns_keep_an_index_each(tmp_path: Path) -> None:
    """T9, case D3: neither takes the other's index for its own, and none is built anew at every start."""
    for written, seen in ((PLAIN, []), (STEMS, [["stem:token"]]), (RUNS, [])):
        with opened(tmp_path, written) as service:
            if not slots(tmp_path):
                fill(service)
            terms = service.destinations.reading(service.caller("ann"), None).terms
            terms.commit()
            assert matched(service, "token") == seen
    built = slots(tmp_path)
    assert sorted(built) == ["0", "1", "2"]
    for written in (STEMS, RUNS, PLAIN):
        with opened(tmp_path, written) as service:
            store = service.destinations.reading(service.caller("ann"), None)
            assert store.terms.status().applied == 2
    assert slots(tmp_path) == built


def test_the_doctor_names_processes_that_match_words_otherwise(tmp_path: Path) -> None:
    """O11: an index that nobody uses is no warning, and one in use by a process with other settings is."""

    def verdict(service: Service) -> str:
        answer = inspect.doctor(service.destinations, service.caller("ann"), None, service.housing(), lambda _done, _all: None)
        return next(str(check["verdict"]) for check in answer["checks"] if check["name"] == "text")

    with opened(tmp_path, PLAIN) as plain:
        fill(plain)
        plain.destinations.reading(plain.caller("ann"), None).terms.commit()
        with opened(tmp_path, STEMS) as stems:
            assert verdict(stems) == "warn"
    with opened(tmp_path, STEMS) as stems:
        assert verdict(stems) == "ok"


@pytest.mark.parametrize("make", [open_service, open_memory_service])
def test_each_destination_has_the_services_that_it_names(tmp_path: Path, make: Any) -> None:
    """T5, T9, D1: one stems and the other looks inside runs; its own table stands in place of the one for all."""
    with opened(tmp_path, TWO, make) as service:
        for name in ("notes", "wiki"):
            fill(service, destination=name)
        assert matched(service, "token", "設定", scope="notes") == [["stem:token"]]
        assert matched(service, "token", "設定", scope="wiki") == [["segment:設定"]]
        assert sorted(matched(service, "token", "設定", scope="all")) == [["segment:設定"], ["stem:token"]]
        text = {each["destination"]: each["text"] for each in standing(service)}
    assert (text["notes"]["inflection"], text["notes"]["segmentation"]) == ("english", False)
    assert (text["wiki"]["inflection"], text["wiki"]["segmentation"]) == (None, True)


def standing(service: Service) -> list[dict[str, Any]]:
    return list(status_of_all(service.destinations, service.caller("ann"), service.housing)["destinations"])


def test_a_destination_without_a_table_of_its_own_has_the_one_for_all(tmp_path: Path) -> None:
    """T9: what is misspelt in one of several is refused by the place where it stands."""
    with opened(tmp_path, STEMS + '[[destinations]]\nname = "notes"\nstore = "notes"\n') as service:
        fill(service)
        assert matched(service, "token") == [["stem:token"]]
    wrong = TWO.replace("segmentation", "segments")
    with pytest.raises(InvalidArgument, match=r"destinations\[1\]\.text\.segments.*segmentation"), opened(tmp_path, wrong):
        pass


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
