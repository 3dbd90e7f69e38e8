"""The golden scenario over HTTP, in both eras, with sessions and without, by the library's client and by plain requests (O11)."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import pytest
from mcp import Client, MCPError

from recordance_adapters.bootstrap import open_memory_service, open_service
from recordance_adapters.driving.mcp_server.options import Options
from recordance_adapters.driving.mcp_server.over_http.configuration import Bounds, Listening
from recordance_adapters.wire.catalogue import ALL, tools_of
from support.golden import ACTOR, Calls, Outcome, fixed_settings, golden, play, text_of, written
from support.http_peer import HttpPeer, Site, calls_over_http, serving
from support.stdio_peer import HANDSHAKE, STATELESS

RECORDED = golden("scenario").read_text(encoding="utf-8")
OPTIONS = Options(tools=tools_of([ALL]), version="0", actor=ACTOR)
NO_SESSIONS = Listening(port=0, bounds=Bounds(sessions=0))


@contextmanager
def plain(site: Site, version: str) -> Iterator[Calls]:
    with HttpPeer(site, version) as peer:
        yield calls_over_http(peer)


@contextmanager
def by_the_library(site: Site, mode: str) -> Iterator[Calls]:
    with anyio.from_thread.start_blocking_portal() as portal:
        client = Client(site.url, mode="legacy" if mode == HANDSHAKE else mode)
        with portal.wrap_async_context_manager(client):

            async def ask(name: str, arguments: dict[str, Any]) -> Outcome:
                try:
                    answer = await client.call_tool(name, arguments)
                except MCPError as refused:
                    return {"error": {"code": refused.code, "message": refused.error.message, "data": refused.data}}
                assert answer.content[0].text == text_of(name, answer.structured_content, arguments)  # type: ignore[union-attr]
                return {"answer": answer.structured_content}

            yield lambda name, arguments: portal.call(ask, name, arguments)


@pytest.mark.parametrize("version", [HANDSHAKE, STATELESS])
@pytest.mark.parametrize("client", [plain, by_the_library])
def test_http_answers_the_recorded_bytes(client: Any, version: str, tmp_path: Path) -> None:
    """O11: one catalogue and the same bytes, whichever client asks, in either era."""
    with (
        open_memory_service(fixed_settings(tmp_path / "store")) as service,
        serving(service, OPTIONS) as site,
        client(site, version) as calls,
    ):
        assert written(play(calls)) == RECORDED


def test_without_sessions_the_older_protocol_answers_the_same(tmp_path: Path) -> None:
    """O11: any of several servers behind one address can take each request."""
    with (
        open_service(fixed_settings(tmp_path / "store")) as service,
        serving(service, OPTIONS, NO_SESSIONS) as site,
        plain(site, HANDSHAKE) as calls,
    ):
        assert written(play(calls)) == RECORDED
