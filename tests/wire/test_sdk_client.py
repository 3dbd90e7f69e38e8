"""The SDK's own client against our server: what a host's library makes of it, in either era and when it may choose."""

import sys
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters

from support import protocol_tools
from support.stdio_peer import BOUND, HANDSHAKE, STATELESS, checkout_environment

SERVER = StdioServerParameters(command=sys.executable, args=["-m", protocol_tools.__name__, "none"], env=checkout_environment())


@pytest.mark.parametrize("mode", ["auto", "legacy", STATELESS])
def test_the_librarys_client_lists_calls_and_is_refused(mode: str) -> None:
    """case J5: hosts are built on it; it judges every answer by the published schema."""

    async def session() -> None:
        heard: list[float] = []

        async def hear(done: float, _: float | None, __: str | None) -> None:
            heard.append(done)

        with anyio.fail_after(BOUND):
            async with Client(SERVER, mode=mode) as client:
                assert client.protocol_version == (HANDSHAKE if mode == "legacy" else STATELESS)
                assert (await client.list_tools()).tools[0].name == "echo"
                answer = await client.call_tool("echo", {"text": "★"})
                assert answer.structured_content is not None
                assert answer.structured_content["text"] == "★"
                await client.call_tool("count", {"steps": 200}, progress_callback=hear)
                assert heard[-1] == 200
                with pytest.raises(MCPError) as refused:
                    await client.call_tool("echo", {"txt": "x"})
                assert data_of(refused.value)["expected"] == "text instead"

    anyio.run(session)


def data_of(error: MCPError) -> dict[str, Any]:
    assert error.code == -32602
    assert isinstance(error.data, dict)
    return error.data
