"""Services of several destinations in memory, called through their tools as any client calls them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from recordance.domain.caller import Caller
from recordance.domain.destination import Catalogue, Group, Profile, Rule
from recordance.domain.identity import StoreIdentity
from recordance.errors import Refusal
from recordance.usecases.store import Destinations, Store
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from recordance_adapters.wire.catalogue import TOOLS
from recordance_adapters.wire.failure import failure_of
from recordance_adapters.wire.tool import Call
from support.stores import ANN, Parts, bench

HOUSE = Catalogue(
    profiles=(
        Profile(name="home", description="whatever has no other place"),
        Profile(name="notes", description="what ann jots down", rules=(Rule(subtrees=frozenset({"notes"})),)),
        Profile(name="team", rules=(Rule(tags=frozenset({"team"})), Rule(subtrees=frozenset({"acme"})))),
    ),
    default="home",
    groups=(Group(name="work", description="both", members=("team", "notes")),),
)
_TOOLS = {tool.name: tool for tool in TOOLS}


class House:
    """The destinations of a catalogue, each a store of its own identity; those with a problem cannot be opened."""

    def __init__(self, catalogue: Catalogue = HOUSE) -> None:
        names = catalogue.names()
        self.benches = {name: bench(Parts(truth=MemoryTruth(StoreIdentity(name, name.encode() * 8)))) for name in names}
        self.opened: list[str] = []
        self.problems: dict[str, Exception] = {}
        self.catalogue = catalogue
        self.destinations = self.as_seen(catalogue)

    def as_seen(self, catalogue: Catalogue) -> Destinations:
        """The same stores, as a service that has no more than these destinations."""
        return Destinations(_Stores(self), catalogue, note_fault=lambda _name, _problem: "fault-1")

    def call(self, tool: str, caller: Caller = ANN, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its answer; raises what it raises."""
        return _TOOLS[tool].handle(Call(destinations=self.destinations, caller=caller), arguments)

    def store(self, content: str, **fields: Any) -> str:
        """Store one capsule and return its id."""
        (result,) = self.call("memory_store", content=content, **fields)["results"]
        assert result["status"] == "captured", result
        return str(result["id"])


class _Stores(Mapping[str, Store]):
    def __init__(self, house: House) -> None:
        self._house = house

    def __getitem__(self, name: str) -> Store:
        if name in self._house.problems:
            raise self._house.problems[name]
        self._house.opened.append(name)
        return replace(self._house.benches[name].store, name=name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._house.benches)

    def __len__(self) -> int:
        return len(self._house.benches)


def told(destinations: Destinations, caller: Caller, tool: str, arguments: dict[str, Any]) -> str:
    """All that a call tells its caller, answer or refusal, as text."""
    try:
        return json.dumps(_TOOLS[tool].handle(Call(destinations=destinations, caller=caller), arguments), ensure_ascii=False)
    except Refusal as refusal:
        failure = failure_of(refusal)
        return json.dumps([failure.code, failure.message, dict(failure.data)], ensure_ascii=False)
