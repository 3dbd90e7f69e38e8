"""Who may ask over HTTP at all: by which name, from which web page, from where, and with what token (case L1)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recordance.domain.caller import Permission
from recordance.errors import InvalidArgument
from recordance_adapters.driving.mcp_server.options import Options
from recordance_adapters.driving.mcp_server.over_http.application import METADATA_PATH
from recordance_adapters.driving.mcp_server.over_http.configuration import MCP_PATH, Listening, TokenGrant
from recordance_adapters.driving.mcp_server.over_http.guard import Guard
from recordance_adapters.driving.mcp_server.over_http.key_set import KeySet, KeysUnavailable, from_url
from recordance_adapters.driving.mcp_server.over_http.serving import check_exposure
from recordance_adapters.driving.mcp_server.over_http.signed_tokens import IssuedTokens
from recordance_adapters.settings import Settings
from support import protocol_tools
from support.http_peer import HttpPeer, Site, serving
from support.signing import Authority, answering, digest_of
from support.stdio_peer import HANDSHAKE, STATELESS

OPTIONS = Options(tools=protocol_tools.TOOLS, version="0")
ROUTES = [MCP_PATH, "/healthz", "/readyz", "/metrics", METADATA_PATH, METADATA_PATH + MCP_PATH, "/nothing"]
TOKEN, READER = "a-token-of-alice", "a-token-that-reads"
ISSUER, AUDIENCE = "https://login.example.org", "https://memory.example.org/mcp"


def listening(**more: Any) -> Listening:
    return Listening(port=0, **{"authorization_servers": [ISSUER], "public_url": "https://memory.example.org", **more})


@pytest.fixture(scope="module")
def open_site() -> Iterator[Site]:
    with serving(protocol_tools.NoStore(), OPTIONS, listening(allowed_hosts=["inner.example.org", "other.example.org:81"],
                 allowed_origins=["https://app.example.org"])) as site:  # fmt: skip
        yield site


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority(ISSUER, AUDIENCE)


@pytest.fixture(scope="module")
def site(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    keys = tmp_path_factory.mktemp("keys") / "keys.json"
    authority.publish(keys)
    grants = [
        TokenGrant(subject="alice", digest=digest_of(TOKEN), projects=frozenset({"acme"})),
        TokenGrant(subject="rita", digest=digest_of(READER), permissions=frozenset({Permission.READ})),
    ]
    with serving(protocol_tools.NoStore(), OPTIONS, listening(tokens=grants, issuer=authority.trusted(keys))) as running:
        yield running


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "DELETE"])
def test_a_name_that_was_pointed_at_this_machine_reaches_no_route(open_site: Site, route: str, method: str) -> None:
    """case L1: DNS rebinding makes a strange name lead here; the browser sends that name, and no route answers to it."""
    for host in (
        "evil.example.org",
        "evil.example.org:80",
        "localhost.evil.example.org",
        "127.0.0.1.evil.example.org",
        "",
        "[::2]",
    ):
        assert open_site.get(route, method, Host=host).status == 421, host


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "origin", ["https://evil.example.org", "null", "http://localhost.evil.example.org", "file://", "http://["]
)
def test_a_strange_web_page_reaches_no_route(open_site: Site, route: str, origin: str) -> None:
    """case L1: also one that calls this machine by its own name."""
    for method in ("GET", "POST", "OPTIONS"):
        reply = open_site.get(route, method, Origin=origin)
        assert reply.status == 403
        assert "access-control-allow-origin" not in reply.headers


@pytest.mark.parametrize("route", ROUTES)
def test_a_strange_page_cannot_even_show_what_it_cannot_read(open_site: Site, route: str) -> None:
    """case L1: an image or a frame is asked for without an origin, but browsers say that it is for another site."""
    assert open_site.get(route, Sec_Fetch_Site="cross-site").status == 403
    assert open_site.get("/healthz", Sec_Fetch_Site="none").status == 200


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:9",
        "127.0.0.1:8377",
        "[::1]:1",
        "memory.example.org",
        "inner.example.org:4",
        "other.example.org:81",
    ],
)
def test_the_servers_own_names_are_answered(open_site: Site, host: str) -> None:
    """case L1: the loopback's, the public one, and those on the list; with every port unless the list says which."""
    assert open_site.get("/healthz", Host=host).status == 200


def test_a_listed_name_with_a_port_is_taken_with_that_port_alone(open_site: Site) -> None:
    """case L1: a list says what it says."""
    assert open_site.get("/healthz", Host="other.example.org:82").status == 421


def test_the_address_of_the_connection_is_a_name_nobody_else_can_point_here() -> None:
    """case L1: probes and scrapers call a machine by its address; another machine's address is no name of ours."""
    guard = Guard(protocol_tools.NoStore(), Listening(host="0.0.0.0"))  # type: ignore[arg-type]
    assert guard.takes_host("10.1.2.3:8377", "10.1.2.3")
    assert guard.takes_host("[fd00::0001]:8377", "fd00::1")
    assert guard.takes_host("10.1.2.3:8377", "::ffff:10.1.2.3")
    assert not guard.takes_host("10.1.2.4:8377", "10.1.2.3")
    assert not guard.takes_host("evil.example.org", "10.1.2.3")


def test_a_listed_web_page_may_ask_and_read(open_site: Site) -> None:
    """case L1: its browser asks first, and is told what it may send and see."""
    asked = open_site.get(MCP_PATH, "OPTIONS", Origin="https://app.example.org", Access_Control_Request_Method="POST")
    assert (asked.status, asked.headers["access-control-allow-origin"]) == (204, "https://app.example.org")
    told = open_site.get("/healthz", Origin="https://app.example.org")
    assert "Mcp-Session-Id" in told.headers["access-control-expose-headers"]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "memory.example.org"])
def test_others_are_not_let_in_unasked(host: str) -> None:
    """case L1: a server that others can reach asks who they are, or does not start."""
    with pytest.raises(InvalidArgument) as refused:
        check_exposure(Listening(host=host))
    assert refused.value.field == "http.host"
    assert "recordance token" in refused.value.expected
    check_exposure(Listening(host=host, tokens=[TokenGrant(subject="a", digest="0" * 64)]))


@pytest.mark.parametrize("said", [{"allowed_hosts": ["memory.example.org"]}, {"public_url": "https://memory.example.org"}])
def test_a_server_behind_a_proxy_is_not_left_open(said: dict[str, Any]) -> None:
    """case L1: who names the proxy's address says that others come through it, on whatever address this server listens."""
    with pytest.raises(InvalidArgument) as refused:
        check_exposure(Listening(**said))
    assert refused.value.field == f"http.{next(iter(said))}"
    check_exposure(Listening(**said, tokens=[TokenGrant(subject="a", digest="0" * 64)]))


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.8.9.1"])
def test_this_machine_alone_needs_no_token(host: str) -> None:
    """case L1: the default is for one person's machine."""
    check_exposure(Listening(host=host))


@pytest.mark.parametrize("version", [HANDSHAKE, STATELESS])
def test_a_token_is_its_subject_whatever_the_client_calls_itself(site: Site, version: str) -> None:
    """W12, F13: writes are journalled under the token's subject."""
    with HttpPeer(site, version, TOKEN) as peer:
        assert peer.call("echo", {"text": "x"})["result"]["structuredContent"]["actor"] == "alice"


@pytest.mark.parametrize("sent", [None, "Bearer wrong", "Basic abc", "Bearer", "Bearer " + TOKEN + "x", "Bearer " + TOKEN[:-1]])
def test_without_a_token_that_is_known_nothing_of_mcp_is_answered(site: Site, sent: str | None) -> None:
    """F13: the challenge says where tokens are given (RFC 9728); the token itself is never repeated."""
    for method in ("POST", "GET", "DELETE"):
        reply = site.get(MCP_PATH, method, **({} if sent is None else {"Authorization": sent}))
        assert reply.status in (400, 401)
        assert f'resource_metadata="https://memory.example.org{METADATA_PATH}/mcp"' in reply.headers["www-authenticate"]
        assert TOKEN[:-1].encode() not in reply.body


def test_the_metadata_document_says_who_gives_tokens(site: Site) -> None:
    """F13: what RFC 9728 asks for, at both places where clients look."""
    for path in (METADATA_PATH, METADATA_PATH + MCP_PATH):
        (told,) = site.get(path).messages
        assert told["resource"] == AUDIENCE
        assert told["authorization_servers"] == [ISSUER]
        assert told["scopes_supported"] == ["read", "write"]


def test_a_session_is_its_openers_alone(site: Site) -> None:
    """F13: an id of a session that became known is of no use to the bearer of another token."""
    with HttpPeer(site, HANDSHAKE, TOKEN) as alice, HttpPeer(site, HANDSHAKE, READER) as rita:
        stolen = alice.headers({"method": "ping"})["Mcp-Session-Id"]
        assert rita.post(rita.era.request(1, "ping"), Mcp_Session_Id=stolen).status in (403, 404)


@pytest.mark.parametrize("fence", ["projects", "destinations"])
def test_a_session_is_of_one_fence(fence: str) -> None:
    """F13: one subject may bear tokens that reach less far than another; what the wider one asked in is not the narrower's."""
    narrow = TokenGrant(subject="alice", digest=digest_of("narrow"), **{fence: frozenset({"acme"})})
    given = Listening(port=0, tokens=[TokenGrant(subject="alice", digest=digest_of("wide")), narrow])
    with (
        serving(protocol_tools.NoStore(), OPTIONS, given) as site,
        HttpPeer(site, HANDSHAKE, "wide") as wide,
        HttpPeer(site, HANDSHAKE, "narrow") as other,
    ):
        session = wide.headers({"method": "ping"})["Mcp-Session-Id"]
        assert other.post(other.era.request(1, "ping"), Mcp_Session_Id=session).status in (403, 404)


def test_a_signed_token_is_its_subject_with_its_fences(site: Site, authority: Authority) -> None:
    """F13: the claims that the settings name are fences, the scopes permissions."""
    with HttpPeer(site, STATELESS, authority.token(sub="olga", scope="read openid", teams=["acme"])) as peer:
        assert peer.call("echo", {"text": "x"})["result"]["structuredContent"]["actor"] == "olga"


def test_a_signed_subject_is_a_name_that_the_journal_can_keep(authority: Authority, tmp_path: Path) -> None:
    """W12, W14: half a character in a claim would make a fault of every write."""
    authority.publish(tmp_path / "keys.json")
    tokens = IssuedTokens(authority.trusted(tmp_path / "keys.json"))
    assert tokens.caller(authority.token(sub="olga\ud800\0", scope="read", teams=["acme"])).actor == "olga\ufffd"


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"aud": "https://elsewhere.example.org"}, 401),
        ({"iss": "https://evil.example.org"}, 401),
        ({"exp": 1}, 401),
        ({"exp": None}, 401),
        ({"sub": None}, 401),
        ({"scope": "openid"}, 403),
        ({"scope": None}, 403),
        ({"scope": 7}, 403),
        ({"teams": None}, 401),
        ({"teams": []}, 401),
        ({"teams": [7]}, 401),
    ],
)
def test_a_signed_token_that_says_too_little_or_is_for_others_lets_nobody_in(
    site: Site, authority: Authority, change: dict[str, Any], status: int
) -> None:
    """F13: a fence that is missing is no open gate."""
    claims = {"sub": "olga", "scope": "read", "teams": ["acme"], **change}
    peer = HttpPeer(site, STATELESS, authority.token(**claims))
    assert peer.post(peer.era.request(1, "tools/list")).status == status
    peer.__exit__(None, None, None)


def test_a_token_signed_otherwise_lets_nobody_in(site: Site, authority: Authority) -> None:
    """F13: not unsigned, not with a secret made of the public key, not by a stranger's key under a known name."""
    for token in authority.forgeries(sub="olga", scope="read write", teams=["acme"]):
        assert site.get(MCP_PATH, "POST", Authorization=f"Bearer {token}").status == 401


def test_keys_that_change_are_read_again_and_withdrawn_ones_forgotten(authority: Authority) -> None:
    """F13: an issuer turns its keys; an unknown name of a key does not make the server ask at every request."""
    authority.check_rotation()


def test_keys_are_fetched_within_bounds_and_nowhere_else() -> None:
    """F13: not without end, not from where an answer leads to, and not at all while the issuer is away; that lets nobody in."""
    small, large = b'{"keys": []}', b" " * (2 << 20)
    with answering({"/keys": (200, small), "/large": (200, large), "/moved": (302, small)}) as url:
        assert from_url(f"{url}/keys")() == small
        for path in ("/large", "/moved", "/none"):
            with pytest.raises((ValueError, OSError)):
                from_url(url + path)()
            with pytest.raises(KeysUnavailable):
                KeySet(from_url(url + path)).key("one")


def test_a_server_without_tokens_takes_none(open_site: Site) -> None:
    """F13: whoever sends a token means its fences to hold; here none would."""
    peer = HttpPeer(open_site, STATELESS, "some-token")
    reply = peer.post(peer.era.request(1, "tools/list"))
    assert (reply.status, "knows no tokens" in reply.body.decode()) == (401, True)
    peer.__exit__(None, None, None)


def test_the_settings_of_a_service_reach_the_server(tmp_path: Path) -> None:
    """F13: what the file says of tokens and issuers is what the server goes by."""
    from recordance_adapters.entry import listening_of

    settings = Settings.model_validate(
        {"store": tmp_path, "http": {
            "public_url": "https://m.example.org/", "tokens": [{"subject": "a", "digest": "0" * 64, "projects": ["p"]}],
            "oauth": {"issuer": ISSUER, "jwks_file": "keys.json", "project_claim": "teams"}, "sessions": 0}}
    )  # fmt: skip
    found = listening_of(settings)
    assert found.tokens[0].projects == frozenset({"p"})
    assert found.issuer is not None
    assert (found.issuer.audience, found.issuer.project_claim) == ("https://m.example.org/mcp", "teams")
    assert found.bounds.sessions == 0
