"""A caller who sees some destinations is answered as by a service that has no others (F13)."""

from typing import Any

from recordance.domain.caller import Caller
from recordance.domain.destination import Catalogue, Group, Profile, Rule
from recordance_adapters.wire.catalogue import TOOLS
from support.houses import House, told

WHOLE = Catalogue(
    profiles=(
        Profile(name="vault", description="hush", rules=(Rule(tags=frozenset({"hush"})),)),
        Profile(name="notes"),
        Profile(name="team", rules=(Rule(subtrees=frozenset({"acme"})),)),
    ),
    default="vault",
    groups=(Group(name="work", members=("vault", "team")), Group(name="safe", members=("vault",))),
    default_scope=("all",),
)
SEEN = frozenset({"notes", "team"})
EVE = Caller(actor="eve", destinations=SEEN)
PLAIN = Caller(actor="eve")
BOAT = {"terms": ["boat"]}
SCRIPT: tuple[tuple[str, dict[str, Any]], ...] = (
    ("memory_search_scopes", {}),
    ("memory_store", {"content": "the boat is red", "key": "boat"}),
    ("memory_store", {"content": "the boat is in the vault"}),
    ("memory_store", {"content": "hush, the boat", "tags": ["hush"]}),
    ("memory_store", {"items": [{"content": "a boat of acme", "project_id": "acme"}, {"content": "b", "destination": "vault"}]}),
    ("memory_store", {"content": "x", "destination": "vault"}),
    ("memory_store", {"content": "x", "supersedes": ["vault:cap-1"]}),
    ("memory_store", {"content": "the boat is blue", "key": "boat"}),
    ("memory_get", {"id": "vault:cap-1"}),
    ("memory_get", {"ids": ["cap-1", "team:cap-1", "notes:cap-2", "cap-77"]}),
    ("memory_get", {"id": "cap-1", "destination": "vault"}),
    ("memory_list", {}),
    ("memory_list", {"destination": "vault"}),
    ("memory_relate", {"kind": "about", "from": "cap-1", "to": "cap-2"}),
    ("memory_relate", {"kind": "about", "from": "cap-1", "to": "vault:cap-1"}),
    ("memory_alias", {"term": "ship", "alias": "boat"}),
    ("memory_alias", {"list": True}),
    ("memory_alias", {"list": True, "destination": "vault"}),
    ("memory_vector", {"capsule_id": "cap-1", "embedding": [1, 0]}),
    (
        "memory_vector",
        {"items": [{"capsule_id": "vault:cap-1", "embedding": [1]}, {"capsule_id": "team:cap-1", "embedding": [1]}]},
    ),
    ("memory_retrieve", BOAT),
    ("memory_retrieve", {**BOAT, "search_scope": "all"}),
    ("memory_retrieve", {**BOAT, "search_scope": "work"}),
    ("memory_retrieve", {**BOAT, "search_scope": "safe"}),
    ("memory_retrieve", {**BOAT, "search_scope": "vault,notes"}),
    ("memory_retrieve", {**BOAT, "search_scope": "nothing"}),
    ("memory_retrieve", {**BOAT, "destination": "vault"}),
    ("memory_retrieve", {**BOAT, "destination": "notes"}),
    ("memory_retrieve", {**BOAT, "effort_id": "vault:cap-1"}),
    ("memory_retrieve", {**BOAT, "effort_id": "cap-1"}),
    ("memory_search", {"selection": {"query": "boat", "search_mode": "auto"}}),
    ("memory_search", {"selection": {"query": "boat", "query_variants": ["red"]}, "search_scope": "all"}),
    ("memory_search", {"selection": {"query": "ship boat", "search_mode": "auto"}, "search_scope": "all"}),
    ("memory_search", {"selection": {}, "search_scope": "work"}),
    ("memory_search", {"selection": {"query": "boat", "scope": "project", "scope_id": "acme"}}),
    ("memory_search", {"selection": {"query": "nothing of it"}, "destination": "notes"}),
    ("memory_search", {"selection": {"query": "boat"}, "search_scope": "vault"}),
    ("recall", {"query": "the boat", "with_warrant": True, "resolve_conflicts": True}),
    ("recall", {"query": "the boat", "search_scope": "all", "full": True, "all_projects": True}),
    ("recall", {"query": "the boat", "search_scope": "vault"}),
    ("recall", {"query": "the boat", "trusted_only": True}),
    ("recall", {"query": "nothing of it", "search_scope": "notes"}),
    ("memory_search_fast", {"query": "the boat", "query_embedding": [1, 0]}),
    ("memory_search_fast", {"query": "the boat", "search_scope": "all"}),
    ("memory_search_fast", {"query": "the boat", "search_scope": "vault,notes"}),
    ("memory_search_fast", {"query": "nothing of it", "search_scope": "notes"}),
    ("memory_recall", {"query": "the boat", "graph_depth": 1, "expand_context": True}),
    ("memory_recall", {"query": "the boat", "search_scope": "all", "mode": "timeline"}),
    ("memory_recall", {"query": "the boat", "search_scope": "vault"}),
    ("memory_recall", {"query": "nothing of it", "search_scope": "notes", "mode": "index"}),
    ("memory_entity", {"name": "boat"}),
    ("memory_entity", {"name": "boat", "search_scope": "all"}),
    ("memory_entity", {"name": "boat", "destination": "vault"}),
    ("memory_relations", {"entity": "boat", "search_scope": "all"}),
    ("memory_relations", {"entity": "boat", "search_scope": "work,vault"}),
    ("memory_explain_search", {"query": "the baot", "search_scope": "all", "id": "vault:cap-1"}),
    ("memory_explain_search", {"query": "the boat", "search_scope": "all", "id": "team:cap-1"}),
    ("memory_explain_search", {"query": "the boat", "id": "cap-1"}),
    ("memory_explain_search", {"query": "the boat", "id": "cap-77", "destination": "notes"}),
    ("memory_explain_search", {"query": "the boat", "destination": "vault", "project": "acme"}),
    ("where_am_i", {}),
    ("projects", {}),
    ("projects", {"search_scope": "vault"}),
    ("memory_feedback", {"capsule_id": "vault:cap-1", "outcome": "hurt"}),
    ("memory_feedback", {"receipt": "vault:rcpt-x.y", "outcome": "hurt"}),
    ("memory_feedback", {"capsule_id": "team:cap-1", "outcome": "hurt"}),
    ("memory_review", {"id": "cap-1", "verdict": "propose"}),
    ("memory_review", {"id": "vault:cap-1", "verdict": "propose"}),
    ("memory_update", {"id": "vault:cap-1", "changes": {"content": "the boat is mine"}}),
    ("memory_update", {"id": "cap-1", "changes": {"content": "the boat is in the vault"}, "expected_revision": 1}),
    ("memory_update", {"id": "cap-1", "changes": {"tags": ["t"]}, "destination": "vault"}),
    ("memory_history", {"id": "vault:cap-1"}),
    ("memory_history", {"id": "cap-1"}),
    ("memory_history", {"id": "team:cap-1", "limit": 1}),
    ("memory_archive", {"id": "vault:cap-1"}),
    ("memory_archive", {"id": "team:cap-1"}),
    ("memory_misses", {}),
    ("memory_misses", {"destination": "vault", "clear": True}),
    ("memory_forget", {"id": "vault:cap-1"}),
    ("memory_forget", {"id": "cap-2"}),
)


def furnished() -> House:
    """A house whose vault holds what others hold too, so that whatever looks into it shows."""
    house = House(WHOLE)
    for content in ("the boat is red", "the boat is in the vault", "a boat of acme"):
        house.store(content, destination="vault")
    house.call("memory_alias", term="ship", alias="galleon", destination="vault")
    house.opened.clear()
    return house


def test_whoever_sees_some_destinations_is_answered_as_if_there_were_no_others() -> None:
    """F13, D2: every tool, its answers, errors and lists, are those of a service without the rest; nor is the rest opened."""
    house, lesser = furnished(), furnished()
    small = lesser.as_seen(WHOLE.seen(SEEN))
    for tool, arguments in SCRIPT:
        fenced = told(house.destinations, EVE, tool, arguments)
        assert fenced == told(small, PLAIN, tool, arguments), (tool, arguments)
        if "vault" not in str(arguments):
            assert "galleon" not in fenced
            assert "vault:" not in fenced
    assert "vault" not in house.opened


def test_whoever_sees_no_destination_learns_the_name_of_none() -> None:
    """F13: a token may be for destinations that this service does not have, or has no more."""
    house, nobody = furnished(), Caller(actor="eve", destinations=frozenset({"elsewhere"}))
    for tool, arguments in SCRIPT:
        if "vault" not in str(arguments):
            assert "vault" not in told(house.destinations, nobody, tool, arguments), (tool, arguments)
    assert house.opened == []


def test_the_script_calls_every_tool() -> None:
    """F13: a tool that nobody tries is the one that tells."""
    assert {tool for tool, _ in SCRIPT} == {tool.name for tool in TOOLS}


def test_a_receipt_tells_a_fenced_caller_nothing_of_what_else_it_showed() -> None:
    """F13, O13: a receipt that another caller got names a destination that this one does not have."""
    house = furnished()
    house.store("a boat too", destination="notes")
    receipt = house.call("memory_retrieve", **BOAT, search_scope="all")["receipt"]
    given = {"receipt": receipt, "outcome": "helped"}
    answer = told(house.destinations, EVE, "memory_feedback", given)
    assert answer == told(house.as_seen(WHOLE.seen(SEEN)), PLAIN, "memory_feedback", given)
    assert "vault" not in answer
    assert "judged" not in answer
