"""The program: the command line, with the server that `recordance mcp` starts. Here the two driving adapters meet."""

from collections.abc import Sequence

import recordance
from recordance_adapters.bootstrap import Service
from recordance_adapters.driving.cli.main import main as run_command
from recordance_adapters.settings import Settings


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command of `recordance` and return its exit code; `argv` are the words after the program's name."""
    return run_command(argv, serve)


def serve(service: Service, settings: Settings) -> None:
    """Serve MCP over stdio until stdin ends, as the settings say."""
    from recordance_adapters.driving.mcp_server.options import Options
    from recordance_adapters.driving.mcp_server.serve import serve_stdio
    from recordance_adapters.wire.catalogue import tools_of

    options = Options(
        tools=tools_of(settings.tools),
        version=recordance.__version__,
        project=settings.project,
        token_budget=settings.token_budget,
        actor=settings.actor,
    )
    serve_stdio(service, options)
