"""`memory_search` where a store has text services: the relaxed pass splits unspaced runs into pairs, and goes by stems."""

from typing import Any

import pytest

from recordance.query.text_services import TextServices, fragments_of
from recordance.usecases.scoped_search import scoped_search
from recordance_adapters.bootstrap.text import text_services_of
from recordance_adapters.text_section import Language, TextSettings
from recordance_adapters.wire.tools.search import search_request
from support.recalls import ANYBODY, Recalls

CUT = TextServices(version="runs", cut=fragments_of)


@pytest.mark.parametrize("services", [CUT, TextServices()], ids=["segmented", "plain"])
def test_pairs_of_characters_are_fragments_where_the_store_knows_them(services: TextServices) -> None:
    """L9, T5, case A1: the pairs of a run are counted and covered like words; without the service a run is one word."""
    recalls = Recalls(services=services)
    recalls.remember("设备清单(devices) NAS", "备用电源", "电源线")
    asked: dict[str, Any] = {"query": "设备清理", "search_mode": "auto"}
    answer = scoped_search(recalls.destinations, ANYBODY, search_request({"selection": asked}))
    fallback = answer["retrieval"]["fallback"]
    if services.cut is None:
        assert (answer["memories"], fallback["dropped_unmatched_fragments"]) == ([], ["设备清理"])
        return
    assert (fallback["fragments"], fallback["dropped_unmatched_fragments"]) == (["设备", "备清"], ["清理"])
    assert [(row["id"], row["matched_fragments"]) for row in answer["memories"]] == [("cap-1", ["设备", "备清"])]


STEMMED = text_services_of(TextSettings(inflection=Language.SPANISH))


def test_words_are_fragments_by_their_stem_where_the_store_knows_it() -> None:
    """L9, T9: a question in other forms finds what it asks for, and each fragment says whether its word stands there."""
    recalls = Recalls(services=STEMMED)
    recalls.remember("las configuraciones del servidor", "la configuración", "otra cosa")
    asked: dict[str, Any] = {"query": "¿dónde está la configuración de los servidores?", "search_mode": "auto"}
    answer = scoped_search(recalls.destinations, ANYBODY, search_request({"selection": asked}))
    assert answer["retrieval"]["fallback"]["fragments"] == ["la", "servidores", "configuracion"]
    assert [row["matched_fragments"] for row in answer["memories"]] == [
        ["la", "configuracion"],
        ["stem:servidores", "stem:configuracion"],
    ]
