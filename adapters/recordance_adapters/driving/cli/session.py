"""What a command runs with: the settings, the service, and how the servers are started."""

from collections.abc import Callable
from dataclasses import dataclass

from recordance.usecases.follow import Progress
from recordance.usecases.whereabouts import Started
from recordance_adapters.bootstrap import Service
from recordance_adapters.settings import Settings
from recordance_adapters.wire.tool import Call, unheard

ACTOR = "command-line"
"""Who writes when no actor is configured (W12)."""

Serve = Callable[[Service, Settings], None]
"""Serves MCP until the end is asked for. Another driving adapter's work, which the entry point brings along."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """What `recordance mcp` and `recordance serve` start."""

    stdio: Serve
    http: Serve


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One command's surroundings. The store opens when `service.destinations` is first read."""

    settings: Settings
    service: Service
    servers: Servers | None

    def call(self, progress: Progress = unheard) -> Call:
        """Return what a tool runs with."""
        return Call(
            destinations=self.service.destinations,
            caller=self.service.caller(ACTOR),
            project=self.settings.project,
            token_budget=self.settings.token_budget,
            progress=progress,
            started=Started(project=self.settings.project),
        )
