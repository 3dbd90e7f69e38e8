"""What a token does not reach does not show: every tool over HTTP, on stores with and without what is hidden (F13)."""

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from recordance.domain.caller import Caller, Permission
from recordance_adapters.bootstrap import Service, open_memory_service, open_service
from recordance_adapters.driving.mcp_server.options import Options
from recordance_adapters.driving.mcp_server.over_http.configuration import Listening, TokenGrant
from recordance_adapters.settings import Settings
from recordance_adapters.wire.catalogue import ALL, tools_of
from recordance_adapters.wire.tool import Call, Effect
from support.golden import FIXED, fixed_settings
from support.http_peer import HttpPeer, Site, serving
from support.signing import digest_of
from support.stdio_peer import HANDSHAKE, STATELESS

TOOLS = {tool.name: tool for tool in tools_of([ALL])}
OPTIONS = Options(tools=tuple(TOOLS.values()), version="0", project="elsewhere")
SENTINELS = ("zanzibar", "quokka", "nightjar", "secret-lab", "vault")
"""Words, labels and names that stand in what is hidden alone."""
OWN = ("cap-1", "cap-2", "cap-3")
HIDDEN = ("cap-4", "cap-5", "cap-6", "cap-7")
TOKENS = {
    "acme": TokenGrant(subject="alice", digest=digest_of("acme"), projects=frozenset({"acme"})),
    "team": TokenGrant(subject="tess", digest=digest_of("team"), destinations=frozenset({"team"})),
    "reader": TokenGrant(subject="rita", digest=digest_of("reader"), permissions=frozenset({Permission.READ})),
    "writer": TokenGrant(subject="wim", digest=digest_of("writer"), permissions=frozenset({Permission.WRITE})),
    "pair": TokenGrant(subject="pat", digest=digest_of("pair"), projects=frozenset({"acme", "nott"})),
}
LISTENING = Listening(port=0, tokens=list(TOKENS.values()))
VISIBLE: Sequence[dict[str, Any]] = (
    {
        "content": "tokio is pinned at 1.38",
        "project_id": "acme",
        "session_id": "s-1",
        "embedding": [1.0, 0.5, 0.25],
        "key": "tokio",
    },
    {"content": "serde is not pinned", "project_id": "acme/web", "tags": ["pins"], "entities": ["Serde"]},
    {"content": "the timer wheel breaks in 1.39", "project_id": "acme", "event_at": "2026-02-01T00:00:00Z"},
)
INVISIBLE: Sequence[dict[str, Any]] = (
    {"content": "zanzibar tokio runs at 1.38", "project_id": "secret-lab", "session_id": "s-1", "embedding": [1.0, 0.5, 0.2],
     "key": "t", "source": "vault", "tags": ["quokka", "pins"], "anchor": "vault.py:3"},
    {"content": "tokio is pinned at 1.38", "project_id": "secret-lab", "entities": ["Quokka", "Serde"], "kind": "epic"},
    {"content": "nightjar quokka, unstamped", "topics": ["vault"], "event_at": "2026-02-01T00:00:00Z", "staged": True},
    {"content": "acmeist zanzibar is not acme", "project_id": "acmeist", "metadata": {"vault": "quokka"}},
)  # fmt: skip
NAMES = ("Serde", "quokka", "tokio", "nothing of it")
FENCES: dict[str, Any] = {
    "project_id": "secret-lab", "project_prefix": "secret-lab", "session_id": "s-1",
    "time_window": {"from": "2026-01-01T00:00:00Z"}, "effort_id": "cap-5", "include_staged": True,
}  # fmt: skip


def asks() -> dict[str, list[dict[str, Any]]]:
    """For every tool, what somebody sends who would learn of what is hidden; nothing of it changes what the caller sees."""
    terms = [["tokio"], ["zanzibar"], ["quokka", "serde"], ["cap-4", "cap-7", "nightjar"], ["lexicon word"], ["nothing of it"]]
    fences = [{}, *({name: value} for name, value in FENCES.items())]
    lanes = [{}, {"query_embedding": [1.0, 0.5, 0.2]}, {"query_embedding": [1.0, 0.5, 0.2], "mode": "vector"}]
    recalls = [{"terms": asked, **fence} for asked in terms for fence in fences]
    recalls += [{"terms": asked, **lane} for asked in terms for lane in lanes]
    accrued: list[dict[str, Any]] = [
        {}, {"all_projects": True, "full": True, "with_warrant": True}, {"resolve_conflicts": True, "mmr": 0.5},
        {"include_quarantined": True, "include_archive": True}, {"session_id": "s-1"}, {"trusted_only": True},
        {"query_embedding": [1.0, 0.5, 0.2]},
    ]  # fmt: skip
    piped: list[dict[str, Any]] = [{}, {"query_embedding": [1.0, 0.5, 0.2]}, {"fusion": "legacy"}, {"project": "secret-lab"}]
    viewed: list[dict[str, Any]] = [
        {"graph_depth": 1, "expand_context": True}, {"mode": "timeline", "neighbors": 9}, {"mode": "index", "session_id": "s-1"},
        {"entities": ["quokka"]}, {"metadata_filter": {"nothing": "of it"}}, {"stages": ["term"], "output_format": "json"},
    ]  # fmt: skip
    relations = [{"kind": "supports", "from": "cap-1", "to": id} for id in HIDDEN]
    return {
        "memory_retrieve": [*recalls, {"terms": ["tokio"], "token_budget": 0}, {"terms": ["tokio"], "limit": 1}],
        "memory_store": [
            {"content": "x", "project_id": "secret-lab"},
            {"content": "x", "project_id": "acmeist"},
            {"content": "x", "supersedes": ["cap-4"]},
            {"items": [{"content": "zanzibar", "project_id": "secret-lab"}, {"content": "y", "supersedes": ["cap-6"]}]},
        ],
        "memory_get": [{"id": id} for id in (*OWN, *HIDDEN, "cap-99")] + [{"ids": [*OWN, *HIDDEN, "cap-99"]}],
        "memory_list": [{}, {"project_id": "secret-lab"}, {"project_prefix": "acmeist"}, {"kind": "epic"}, {"limit": 0}],
        "memory_relate": [*relations, *({"remove": each} for each in relations)],
        "memory_alias": [{"list": True}, {"remove": {"term": "lexicon word", "alias": "any"}}],
        "memory_vector": [{"capsule_id": id, "embedding": [1, 2, 3]} for id in HIDDEN],
        "memory_forget": [{"id": id, "reason": "gone"} for id in HIDDEN],
        "memory_feedback": [{"capsule_id": id, "outcome": "hurt"} for id in HIDDEN] + [{"receipt": "rcpt-x", "outcome": "hurt"}],
        "memory_review": [{"id": id, "verdict": verdict} for id in HIDDEN for verdict in ("ratify", "release", "propose")],
        "memory_misses": [{}, {"limit": 1}],
        "memory_archive": [{"id": id, "action": action} for id in HIDDEN for action in ("archive", "restore")],
        "memory_search_scopes": [{}],
        "recall": [{"query": " ".join(asked), **more} for asked in terms for more in accrued],
        "memory_search_fast": [{"query": " ".join(asked), **more} for asked in terms for more in piped],
        "memory_explain_search": [{"query": " ".join(asked), "id": id} for asked in terms for id in (*OWN, *HIDDEN, "cap-99")],
        "memory_search": [{"selection": {"query": " ".join(asked), "search_mode": "auto"}} for asked in terms],
        "memory_update": [{"id": id, "changes": {"content": "zanzibar"}} for id in HIDDEN],
        "memory_history": [{"id": id} for id in HIDDEN],
        "memory_recall": [{"query": " ".join(asked), **more} for asked in terms for more in (*piped, *viewed)],
        "memory_entity": [{"name": name} for name in NAMES],
        "memory_relations": [{"entity": name} for name in NAMES],
        "where_am_i": [{}],
        "projects": [{}],
    }  # fmt: skip


def writes() -> Iterator[tuple[str, dict[str, Any]]]:
    """What the caller may do, and what it may come to see by it."""
    yield "memory_store", {"content": "zanzibar tokio runs at 1.38"}
    yield (
        "memory_store",
        {"items": [{"content": "quokka nightjar vault", "key": "t"}, {"content": "nightjar quokka, unstamped"}]},
    )
    yield "memory_alias", {"term": "lexicon word", "alias": "the vault"}
    yield "memory_vector", {"capsule_id": "cap-2", "embedding": [1.0, 0.5, 0.2]}
    yield "memory_relate", {"kind": "supports", "from": "cap-1", "to": "cap-2"}
    yield "memory_review", {"id": "cap-2", "verdict": "propose"}
    yield "memory_feedback", {"capsule_id": "cap-1", "outcome": "helped"}
    yield "memory_archive", {"id": "cap-3", "action": "archive"}
    yield "memory_retrieve", {"terms": ["tokio", "quokka"]}
    yield "memory_list", {}
    yield "memory_misses", {"clear": True}
    yield "memory_forget", {"id": "cap-1", "reason": "asked for"}


def fill(service: Service, *, hidden: bool) -> None:
    """Write what the token sees, and behind it what it does not, with everything that can stand beside a capsule."""
    everybody = Call(destinations=service.destinations, caller=Caller(actor="root"))

    def do(tool: str, **arguments: Any) -> dict[str, Any]:
        return TOOLS[tool].handle(everybody, arguments)

    do("memory_store", items=[dict(each) for each in VISIBLE])
    do("memory_alias", term="lexicon word", alias="timer wheel")
    if not hidden:
        return
    do("memory_store", items=[dict(each) for each in INVISIBLE])
    do("memory_relate", kind="supports", **{"from": "cap-4", "to": "cap-1"})
    do("memory_relate", kind="part_of", **{"from": "cap-4", "to": "cap-5"})
    do("memory_alias", term="nothing of it", alias="quokka zanzibar")
    do("memory_retrieve", terms=["missed by the vault"])
    do("memory_feedback", capsule_id="cap-4", outcome="helped")
    do("memory_review", id="cap-6", verdict="ratify")
    do("memory_archive", id="cap-7", action="archive")


@contextmanager
def filled(folder: Path, *, hidden: bool) -> Iterator[Site]:
    with open_memory_service(fixed_settings(folder)) as service:
        fill(service, hidden=hidden)
        with serving(service, OPTIONS, LISTENING) as site:
            yield site


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Site]]:
    folder = tmp_path_factory.mktemp("fences")
    with filled(folder, hidden=True) as whole, filled(folder, hidden=False) as part:
        yield whole, part


def told(peer: HttpPeer, tool: str, arguments: dict[str, Any]) -> str:
    """Everything that a call brings back, but for what seals the journal's length: receipts are the store's (O13)."""
    message = peer.call(tool, arguments)
    message.get("result", {}).pop("_meta", None)
    return re.sub(r"(rcpt|ersr)-[\w.+-]+", r"\1", json.dumps(message, ensure_ascii=False))


def echoed(answer: str, arguments: Any) -> str:
    """The answer without the texts that the caller sent: to repeat a question tells nothing."""
    for text in sorted({str(leaf) for leaf in leaves(arguments)}, key=len, reverse=True):
        answer = answer.replace(text, "")
    return answer


def leaves(value: Any) -> Iterator[Any]:
    match value:
        case dict():
            yield from itertools.chain.from_iterable(leaves(each) for each in value.values())
        case list():
            yield from itertools.chain.from_iterable(leaves(each) for each in value)
        case str():
            yield from (value, *value.split())
        case _:
            return


def test_every_tool_is_asked() -> None:
    """F13: a tool that nobody asks here is one of which nobody knows what it shows."""
    assert TOOLS.keys() <= asks().keys()


@pytest.mark.parametrize("tool", [name for name in asks() if name in TOOLS])
def test_what_a_project_fence_hides_makes_no_difference_to_any_answer(tool: str, sites: tuple[Site, Site]) -> None:
    """F13: byte by byte the same as on a store in which the hidden projects do not exist, for answers and errors alike; and
    no word of theirs in either."""
    whole, part = sites
    with HttpPeer(whole, STATELESS, "acme") as there, HttpPeer(part, STATELESS, "acme") as alone:
        for arguments in asks()[tool]:
            answer = told(there, tool, arguments)
            assert answer == told(alone, tool, arguments), arguments
            hidden = ("missed by",) if tool == "memory_misses" else SENTINELS  # their own misses are in their own words
            assert not [word for word in hidden if word in echoed(answer, arguments).lower()], (arguments, answer)


def test_what_a_fenced_caller_writes_shows_nothing_of_what_is_hidden(tmp_path: Path) -> None:
    """F13: no equal or similar content, key, miss or receipt of another project; new ids alone tell that others write."""
    with filled(tmp_path, hidden=True) as whole, filled(tmp_path, hidden=False) as part:
        assert [*played(whole)] == [*played(part)]


def played(site: Site) -> Iterator[str]:
    """Yield what each write brings back, with the ids that were new called by the order in which they came."""
    new: dict[str, str] = {id: id for id in OWN}
    with HttpPeer(site, STATELESS, "acme") as peer:
        for tool, arguments in writes():
            answer = told(peer, tool, arguments)
            for id in re.findall(r"\bcap-\d+\b", answer):
                new.setdefault(id, f"new-{len(new)}")
            yield re.sub(r"\bcap-\d+\b", lambda id: new[id[0]], answer)


def test_a_write_of_a_token_with_one_project_is_stamped_with_it(tmp_path: Path) -> None:
    """F13: where the server's own stamp lies outside; with several projects the write must say which."""
    with (
        filled(tmp_path, hidden=False) as site,
        HttpPeer(site, STATELESS, "acme") as one,
        HttpPeer(site, STATELESS, "pair") as two,
    ):
        stored = one.call("memory_store", {"content": "stamped by the token"})["result"]["structuredContent"]
        (capsule,) = one.call("memory_get", {"id": stored["results"][0]["id"]})["result"]["structuredContent"]["capsules"]
        assert capsule["project_id"] == "acme"
        refused = two.call("memory_store", {"content": "of which project?"})["error"]
        assert "project_id" in json.dumps(refused)


@pytest.mark.parametrize("version", [HANDSHAKE, STATELESS])
def test_a_token_lists_and_calls_what_it_permits(version: str, sites: tuple[Site, Site]) -> None:
    """F13: a tool that may write is refused before any of its arguments is looked at, and not offered either."""
    for token, kind in (("reader", True), ("writer", False)):
        with HttpPeer(sites[0], version, token) as peer:
            allowed = [name for name, tool in TOOLS.items() if (tool.effect is Effect.READS) is kind]
            assert [each["name"] for each in peer.answer(peer.era.request(2, "tools/list"))["result"]["tools"]] == allowed
            for name in TOOLS.keys() - set(allowed):
                error = peer.call(name, {"no": "such argument"})["error"]
                assert (error["code"], error["data"]["kind"]) == (-32002, "not_permitted"), name


def several(folder: Path, *, hidden: bool) -> Settings:
    """A service with the destination `team`, and with one of the name `vault` beside it where `hidden`."""
    beside = [{"name": "vault", "description": "the quokka's", "store": folder / "vault", "match": [{"kind": ["fact"]}]}]
    scopes = [{"name": "nightjar", "description": "zanzibar", "destinations": ["vault"]}]
    return Settings.model_validate(
        {
            "destinations": [{"name": "team", "default": True, "store": folder / "team"}, *(beside if hidden else [])],
            "scopes": scopes if hidden else [],
            "fixed": FIXED,
        }
    )


@contextmanager
def with_destinations(folder: Path, *, hidden: bool) -> Iterator[Site]:
    with open_service(several(folder, hidden=hidden)) as service:
        root = Call(destinations=service.destinations, caller=Caller(actor="root"))
        TOOLS["memory_store"].handle(root, {"items": [dict(each) for each in VISIBLE], "destination": "team"})
        if hidden:
            stored = {"items": [dict(each) for each in INVISIBLE], "destination": "vault"}
            TOOLS["memory_store"].handle(root, stored)
        with serving(service, OPTIONS, LISTENING) as site:
            yield site


ELSEWHERE = ("vault", "nightjar", "all", "routed", "team", "none-such", "team,vault")


def named_places(tool: str) -> Iterator[dict[str, Any]]:
    """What somebody sends who would learn of other destinations, as far as the tool takes it."""
    taken = {parameter.name for parameter in TOOLS[tool].arguments.parameters}
    first = next((each for each in asks()[tool]), {})
    yield from asks()[tool][:12]
    for field in {"search_scope", "destination"} & taken:
        yield from ({**first, field: place} for place in ELSEWHERE)
    for field in {"id", "capsule_id"} & taken:
        yield from ({**first, field: f"vault:{id}"} for id in HIDDEN)
    if "terms" in taken:
        yield {"terms": ["vault:cap-1", "vault:cap-99"]}


def test_what_a_destination_fence_hides_makes_no_difference_to_any_answer(tmp_path: Path) -> None:
    """F13: a destination outside the fence is unknown by its name, its scopes, its ids and what is routed there."""
    with (
        with_destinations(tmp_path / "whole", hidden=True) as whole,
        with_destinations(tmp_path / "part", hidden=False) as part,
        HttpPeer(whole, STATELESS, "team") as there,
        HttpPeer(part, STATELESS, "team") as alone,
    ):
        for tool in TOOLS:
            for arguments in named_places(tool):
                answer = told(there, tool, arguments)
                assert answer == told(alone, tool, arguments), (tool, arguments)
                assert "quokka" not in echoed(answer, arguments).lower(), (tool, arguments, answer)
