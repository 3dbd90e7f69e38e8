"""The program: the command line, with the server that `recordance mcp` starts. Here the two driving adapters meet."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import recordance
from recordance_adapters.bootstrap import Service
from recordance_adapters.driving.cli.main import main as run_command
from recordance_adapters.driving.cli.session import Servers
from recordance_adapters.settings import Settings

if TYPE_CHECKING:
    from recordance_adapters.driving.mcp_server.options import Options
    from recordance_adapters.driving.mcp_server.over_http.configuration import Listening, TrustedIssuer


WRITES_AT_ONCE = 8
"""Calls that write and run at the same time where there are several destinations: one that hangs must not hold up the others."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command of `recordance` and return its exit code; `argv` are the words after the program's name."""
    return run_command(argv, Servers(stdio=serve, http=listen))


def serve(service: Service, settings: Settings) -> None:
    """Serve MCP over stdio until stdin ends, as the settings say."""
    from recordance_adapters.driving.mcp_server.serve import serve_stdio

    serve_stdio(service, options_of(settings))


def listen(service: Service, settings: Settings) -> None:
    """Serve MCP over HTTP until a signal asks for the end, as the settings say."""
    from recordance_adapters.driving.mcp_server.over_http.serving import serve_http

    serve_http(service, options_of(settings), listening_of(settings), settings.log_level)


def options_of(settings: Settings) -> "Options":
    """Return the settings of a server's tools as the server takes them."""
    from recordance_adapters.driving.mcp_server.options import Options
    from recordance_adapters.wire.catalogue import tools_of

    return Options(
        tools=tools_of(settings.tools),
        version=recordance.__version__,
        project=settings.project,
        token_budget=settings.token_budget,
        actor=settings.actor,
        writes_at_once=1 if len(settings.places()) == 1 else WRITES_AT_ONCE,
    )


def listening_of(settings: Settings) -> "Listening":
    """Return the settings of the HTTP server as the server takes them."""
    from recordance_adapters.driving.mcp_server.over_http.configuration import Bounds, Listening, TokenGrant

    http = settings.http
    return Listening(
        host=http.host,
        port=http.port,
        allowed_hosts=http.allowed_hosts,
        allowed_origins=http.allowed_origins,
        public_url=http.public_url,
        tokens=[TokenGrant(**dict(token)) for token in http.tokens],
        authorization_servers=http.authorization_servers,
        issuer=_issuer(settings),
        metrics=http.metrics,
        required=http.required,
        bounds=Bounds(
            request_bytes=http.max_request_bytes,
            request_seconds=http.request_ms / 1_000,
            connections=http.connections,
            sessions=http.sessions,
            session_idle_seconds=http.session_idle_ms / 1_000,
            shutdown_seconds=http.shutdown_ms / 1_000,
            ready_seconds=http.ready_ms / 1_000,
        ),
    )


def _issuer(settings: Settings) -> "TrustedIssuer | None":
    from recordance_adapters.driving.mcp_server.over_http.configuration import MCP_PATH, TrustedIssuer

    oauth = settings.http.oauth
    return (
        None
        if oauth is None
        else TrustedIssuer(
            issuer=oauth.issuer,
            audience=oauth.audience or (settings.http.public_url or "").rstrip("/") + MCP_PATH,
            keys_url=oauth.jwks_url,
            keys_file=oauth.jwks_file,
            project_claim=oauth.project_claim,
            destination_claim=oauth.destination_claim,
        )
    )
