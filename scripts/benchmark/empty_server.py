"""An MCP server with one tool that does nothing: what the protocol itself costs, measured beside ours in the same run."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool

TOOL = Tool(name="nothing", input_schema={"type": "object"})


async def list_tools(_: Any, __: Any) -> ListToolsResult:
    """List the one tool."""
    return ListToolsResult(tools=[TOOL])


async def call_tool(_: Any, __: Any) -> CallToolResult:
    """Answer an empty object from a worker thread, as ours answers."""
    return await anyio.to_thread.run_sync(
        lambda: CallToolResult(content=[TextContent(type="text", text="{}")], structured_content={})
    )


async def main() -> None:
    """Serve until the input ends."""
    server: Server[Any] = Server("empty", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
