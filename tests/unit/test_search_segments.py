"""`memory_search` where a store looks inside unspaced runs: the relaxed pass then splits them into pairs."""

from typing import Any

import pytest

from recordance.query.text_services import TextServices, fragments_of
from recordance.usecases.scoped_search import scoped_search
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
