"""On whose behalf a call runs, which every transport knows in its own way (W12, F13)."""

from collections.abc import Iterable
from typing import Any, Protocol

from mcp.server.context import ServerRequestContext

from recordance.domain.caller import Caller, Permission
from recordance.errors import MissingState, StateKind
from recordance.usecases.whereabouts import Started
from recordance_adapters.wire.failure import writable
from recordance_adapters.wire.tool import Effect, Tool

UNKNOWN_CLIENT = "unknown-client"
_LONGEST_NAME = 200

Context = ServerRequestContext[Any, Any]


class Callers(Protocol):
    """Tells who sent a request."""

    def of(self, context: Context) -> Caller:
        """Return the caller of the request; raises Refusal for one that must not get any further."""
        ...


class LocalCallers:
    """Whoever may reach the transport may do everything: the one that started this process, under the name it gives."""

    def __init__(self, actor: str | None) -> None:
        self._known = None if actor is None else Caller(actor=actor)

    def of(self, context: Context) -> Caller:
        """Return the configured actor, else the client by its own name."""
        return self._known or Caller(actor=_client_name(context) or UNKNOWN_CLIENT)


def may_call(caller: Caller, tool: Tool) -> bool:
    """Whether the caller's permissions reach as far as the tool; one that may write is a writing tool, whatever it is asked."""
    return _needed(tool) in caller.permissions


def require_permission(caller: Caller, tool: Tool) -> None:
    """Refuse a call that the caller's permissions do not cover, before any of its arguments is looked at."""
    if not may_call(caller, tool):
        needed = _needed(tool).value
        lesson = f"this caller may not {needed}, which {tool.name} may do; use a token that may"
        raise MissingState(StateKind.NOT_PERMITTED, needed, lesson)


def stamp_for(caller: Caller, project: str | None) -> str | None:
    """Return the project of writes that name none: the server's where the caller sees it, else the caller's own if it is one."""
    if caller.projects is None or (project is not None and caller.sees_project(project)):
        return project
    return next(iter(caller.projects)) if len(caller.projects) == 1 else None


def started_for(caller: Caller, project: str | None, tools: Iterable[Tool]) -> Started:
    """Return what a caller may know of how the server was started: its project only where they see that (F10, F13)."""
    seen = project if project is not None and caller.sees_project(project) else None
    return Started(project=seen, tool_sets=tuple(dict.fromkeys(tool.tool_set.value for tool in tools)))


def _needed(tool: Tool) -> Permission:
    return Permission.READ if tool.effect is Effect.READS else Permission.WRITE


def _client_name(context: Context) -> str | None:
    """Return the name by which the client introduced itself, as the journal can hold it."""
    params = context.session.client_params
    name = "" if params is None else str(writable(params.client_info.name)).replace("\0", "")
    return name.strip()[:_LONGEST_NAME] or None
